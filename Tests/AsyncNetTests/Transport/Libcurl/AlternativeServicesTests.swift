import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetLibcurl

/// Which requests are sent over HTTP/3, without I/O: steps at given seconds, and the route of a request after them.
@Suite("Alternative services")
struct AlternativeServicesTests {
    enum Step: Sendable {
        /// A response offers this.
        case offer(String)
        /// A response of this age offers this.
        case aged(Int64, String)
        /// So many seconds pass.
        case wait(Int)
        /// A request asks for its route, which must be this.
        case route(AlternativeServices.Route)
        /// The same for a request that may not try an offer.
        case routeWithoutTrial(AlternativeServices.Route)
        case succeeded, failed, abandoned, removed, removedOnOtherPort
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let steps: [Step]
        var testDescription: String { name }
        init(_ name: String, _ steps: Step...) { (self.name, self.steps) = (name, steps) }
    }

    private static let origin = AlternativeServices.Origin(host: "a.example", port: 443)
    private static let own = #"h3=":443""#
    private static let direct = AlternativeServices.Route.http3(port: 443, isTrial: false)

    private static let cases = [
        Case("nothing is offered", .route(.origin)),
        Case("one request tries an offer", .offer(own), .route(.race), .route(.origin), .route(.origin)),
        Case("all use one that worked", .offer(own), .route(.race), .succeeded, .route(direct), .route(direct)),
        Case(
            "an offer on another port cannot race", .offer(#"h3=":8443""#), .route(.http3(port: 8443, isTrial: true)),
            .route(.origin), .succeeded, .route(.http3(port: 8443, isTrial: false))),
        Case("a request may be unfit for a trial", .offer(own), .routeWithoutTrial(.origin), .route(.race)),
        Case(
            "a request unfit for a trial uses an offer that worked", .offer(own), .route(.race), .succeeded,
            .routeWithoutTrial(direct)),
        Case("an abandoned trial is repeated", .offer(own), .route(.race), .abandoned, .route(.race)),
        Case(
            "an abandoned request does not undo a success", .offer(own), .route(.race), .succeeded, .abandoned,
            .route(direct)),
        Case(
            "an offer that failed is put aside for five minutes", .offer(own), .route(.race), .failed, .wait(299),
            .route(.origin), .offer(own), .route(.origin), .wait(1), .route(.race)),
        Case(
            "an offer that failed twice in a row is put aside for ten minutes", .offer(own), .route(.race), .failed,
            .wait(300), .route(.race), .failed,
            .wait(599), .route(.origin), .wait(1), .route(.race)),
        Case(
            "an offer that failed often is put aside for a day at most", .offer(#"h3=":443"; ma=31536000"#), .failed,
            .wait(86_400), .failed, .wait(86_400),
            .failed,
            .wait(86_400), .failed, .wait(86_400), .failed, .wait(86_400), .failed, .wait(86_400), .failed,
            .wait(86_400), .failed, .wait(86_400), .failed, .wait(86_400), .failed, .wait(86_399), .route(.origin),
            .wait(1), .route(.race)),
        Case(
            "failures at the same time are one", .offer(own), .failed, .failed, .failed, .wait(300), .route(.race)),
        Case(
            "a success ends the pause and its growth", .offer(own), .failed, .wait(300), .failed, .succeeded,
            .route(direct), .failed, .wait(300), .route(.race)),
        Case(
            "an offer that worked and failed is put aside", .offer(own), .route(.race), .succeeded, .failed,
            .route(.origin)),
        Case("ma=0 ends an offer", .offer(own), .offer(#"h3=":443"; ma=0"#), .route(.origin)),
        Case("clear ends an offer", .offer(own), .offer("clear"), .route(.origin)),
        Case("another field replaces an offer", .offer(own), .offer(#"h2=":443""#), .route(.origin)),
        Case("a malformed field replaces an offer", .offer(own), .offer("?"), .route(.origin)),
        Case("an offer expires", .offer(#"h3=":443"; ma=60"#), .wait(59), .route(.race), .wait(1), .route(.origin)),
        Case(
            "an offer without ma expires after a day", .offer(own), .wait(86_399), .route(.race), .succeeded, .wait(1),
            .route(.origin)),
        Case(
            "a new field renews an offer that worked", .offer(#"h3=":443"; ma=60"#), .route(.race), .succeeded,
            .wait(59),
            .offer(#"h3=":443"; ma=60"#), .wait(59), .route(direct)),
        Case("the response's age counts", .aged(59, #"h3=":443"; ma=60"#), .wait(1), .route(.origin)),
        Case("a response that is too old", .aged(60, #"h3=":443"; ma=60"#), .route(.origin)),
        Case("a negative age is none", .aged(-9, #"h3=":443"; ma=60"#), .wait(60), .route(.origin)),
        Case(
            "another port is another offer", .offer(own), .failed, .offer(#"h3=":8443""#),
            .route(.http3(port: 8443, isTrial: true))),
        Case(
            "the first usable offer counts", .offer(#"h2=":1", h3-29=":2", h3="x.example:3", h3=":443""#), .route(.race)
        ),
        Case("the origin's own host by name", .offer(#"h3="A.Example:443""#), .route(.race)),
        Case("an address in brackets is another host", .offer(#"h3="[::1]:443""#), .route(.origin)),
        Case("another host is ignored", .offer(#"h3="b.example:443""#), .route(.origin)),
        Case("a removed offer", .offer(own), .removed, .route(.origin), .succeeded, .failed, .route(.origin)),
        Case("an offer on the own port stays", .offer(own), .removedOnOtherPort, .route(.race)),
        Case("an offer on another port is removed", .offer(#"h3=":8443""#), .removedOnOtherPort, .route(.origin)),
    ]

    @Test("An offer of HTTP/3, a trial of it or its removal leads to the expected route", arguments: cases)
    func offers(_ example: Case) {
        var (services, now) = (AlternativeServices(), ContinuousClock.now)
        for (index, step) in example.steps.enumerated() {
            switch step {
            case .offer(let field): services.receive(AltSvc([field]), from: Self.origin, at: now)
            case .aged(let age, let field): services.receive(AltSvc([field]), from: Self.origin, age: age, at: now)
            case .wait(let seconds): now += .seconds(seconds)
            case .route(let expected):
                let route = services.route(to: Self.origin, at: now)
                #expect(route == expected, "step \(index)")
            case .routeWithoutTrial(let expected):
                let route = services.route(to: Self.origin, at: now, mayTry: false)
                #expect(route == expected, "step \(index)")
            case .succeeded: services.succeeded(Self.origin)
            case .failed: services.failed(Self.origin, at: now)
            case .abandoned: services.abandonedTrial(Self.origin)
            case .removed: services.remove(Self.origin)
            case .removedOnOtherPort: services.remove(Self.origin, unlessOnOwnPort: true)
            }
        }
    }

    @Test("An offer of one origin is not used for another host or port")
    func origins() {
        var (services, now) = (AlternativeServices(), ContinuousClock.now)
        services.receive(AltSvc([Self.own]), from: Self.origin, at: now)
        let others = [("b.example", 443), ("a.example", 8443)].map { AlternativeServices.Origin(host: $0, port: $1) }
        for other in others {
            let route = services.route(to: other, at: now)
            #expect(route == .origin)
        }
        now += .seconds(1)
        #expect(services.responses(from: Self.origin) == 0)
        services.succeeded(Self.origin)
        #expect(services.responses(from: Self.origin) == 1)
    }

    @Test("Offers of a thousand origins are kept, and the one that expires first is removed for another")
    func capacity() {
        var (services, now) = (AlternativeServices(), ContinuousClock.now)
        func origin(_ number: Int) -> AlternativeServices.Origin { .init(host: "\(number).example", port: 443) }
        for number in 0..<1000 {
            services.receive(AltSvc([#"h3=":443"; ma=\#(100 + number)"#]), from: origin(number), at: now)
        }
        services.receive(AltSvc([Self.own]), from: origin(1000), at: now)
        #expect(services.count == 1000)
        let routes = [0, 1, 1000].map { services.route(to: origin($0), at: now) }
        #expect(routes == [.origin, .race, .race])
        now += .seconds(150)
        services.receive(AltSvc([Self.own]), from: origin(1001), at: now)
        #expect(services.count == 951)
    }

    @Test(
        "The origin of an https URL has its lower-case host and its port",
        arguments: [
            ("https://A.Example/x", "a.example 443"), ("https://a.example:8443/", "a.example 8443"),
            ("https://[::1]:9/", "::1 9"), ("https:/x", ""),
        ])
    func originOfURL(_ url: String, _ expected: String) throws {
        let origin = AlternativeServices.Origin(try #require(URL(string: url)))
        #expect(origin.map { "\($0.host) \($0.port)" } ?? "" == expected)
    }
}

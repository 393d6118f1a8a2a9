import Testing

@testable import AsyncNet
@testable import AsyncNetLibcurl

/// Which transfers of a loop start and which wait, without a loop.
@Suite("LoopAdmission")
struct LoopAdmissionTests {
    final class Transfer: QueuedTransfer {
        let name: String
        var place: Int?
        init(_ name: String) { self.name = name }
        var origin: OriginKey { OriginKey(name.utf8.first ?? 0) }
    }

    /// The first letter of a name is the transfer's origin.
    enum Step: Sendable {
        case admit(String)
        /// Ends a transfer; the names are those that start in its place, in order.
        case finish(String, starts: [String] = [])
        case withdraw(String)
        /// A response over HTTP/2 has come from the origin of this transfer; the names are those that start then.
        case http2(String, starts: [String] = [])
        /// A response over HTTP/1 has come from the origin of this transfer.
        case http1(String)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var perOrigin = 2
        var connections = 100
        let steps: [Step]
        /// All that started at once, in order.
        let started: [String]
    }

    @Test(
        "Transfers of a loop start in order, within the limits of each case",
        arguments: origins + connections + streams + withdrawals)
    func admission(_ test: Case) {
        var model = Model(test.perOrigin, test.connections)
        for (index, step) in test.steps.enumerated() {
            switch step {
            case .finish(_, let expected), .http2(_, let expected):
                #expect(model.apply(step) == expected, "step \(index): \(step)")
            default: _ = model.apply(step)
            }
        }
        #expect(model.started == test.started)
    }

    @Test("An origin whose version is not known yet counts as HTTP/2 only while two of its transfers run")
    func unknownVersion() {
        var admission = LoopAdmission<Transfer>(
            LoopLimits(connectionsPerOrigin: 2, connections: 2, keptConnections: 2))
        let origin = OriginKey(1)
        #expect(!admission.mayBeHTTP2(origin))
        _ = admission.admit(Transfer("a"), to: origin)
        #expect(!admission.mayBeHTTP2(origin))
        _ = admission.admit(Transfer("b"), to: origin)
        #expect(admission.mayBeHTTP2(origin))
        _ = admission.note(origin, isHTTP2: false)
        #expect(!admission.mayBeHTTP2(origin))
        _ = admission.note(origin, isHTTP2: true)
        #expect(admission.mayBeHTTP2(origin))
    }

    static let origins = [
        Case(
            testDescription: "Transfers beyond the origin's limit wait and start in order",
            steps: [
                .admit("a1"), .admit("a2"), .admit("a3"), .admit("a4"), .finish("a2", starts: ["a3"]),
                .finish("a1", starts: ["a4"]), .finish("a3"), .finish("a4"),
            ], started: ["a1", "a2"]),
        Case(
            testDescription: "Transfers of one origin do not wait for those of another", perOrigin: 1,
            steps: [.admit("a1"), .admit("a2"), .admit("b1"), .finish("b1"), .finish("a1", starts: ["a2"])],
            started: ["a1", "b1"]),
        Case(
            testDescription: "Many transfers wait in order", perOrigin: 1,
            steps: [.admit("a0")] + (1...600).map { .admit("a\($0)") }
                + (0..<600).map { .finish("a\($0)", starts: ["a\($0 + 1)"]) },
            started: ["a0"]),
    ]

    static let connections = [
        Case(
            testDescription: "A transfer waits for a connection of the loop, though its origin has a permit",
            connections: 2,
            steps: [.admit("a1"), .admit("b1"), .admit("c1"), .finish("a1", starts: ["c1"]), .finish("b1")],
            started: ["a1", "b1"]),
        Case(
            testDescription: "The origin of the transfer that ended comes first", connections: 2,
            steps: [
                .admit("a1"), .admit("b1"), .admit("c1"), .admit("b2"), .finish("b1", starts: ["b2"]),
                .finish("b2", starts: ["c1"]),
            ], started: ["a1", "b1"]),
        Case(
            testDescription: "A free connection does not raise an origin's limit", perOrigin: 1, connections: 2,
            steps: [
                .admit("a1"), .admit("b1"), .admit("a2"), .admit("c1"), .finish("b1", starts: ["c1"]), .finish("c1"),
                .finish("a1", starts: ["a2"]),
            ], started: ["a1", "b1"]),
    ]

    static let streams = [
        Case(
            testDescription: "Over HTTP/2 an origin has a hundred times its permits", perOrigin: 1,
            steps: [.admit("a1"), .admit("a2"), .admit("a3"), .http2("a1", starts: ["a2", "a3"]), .finish("a1")]
                + (4...101).map { .admit("a\($0)") } + [.admit("a102"), .finish("a2", starts: ["a102"])],
            started: ["a1"] + (4...101).map { "a\($0)" }),
        Case(
            testDescription: "Transfers over HTTP/2 share one connection of the loop", connections: 2,
            steps: [
                .admit("a1"), .admit("a2"), .admit("b1"), .admit("b2"), .admit("a3"),
                .http2("a1", starts: ["a3", "b1"]), .finish("a1"), .admit("a4"), .finish("a2"),
                .finish("a3", starts: ["a4"]),
            ], started: ["a1", "a2"]),
    ]

    static let withdrawals = [
        Case(
            testDescription: "A transfer that was withdrawn does not start", perOrigin: 1,
            steps: [
                .admit("a1"), .admit("a2"), .admit("a3"), .withdraw("a2"), .finish("a1", starts: ["a3"]),
                .finish("a3"),
            ], started: ["a1"]),
        Case(
            testDescription: "Many transfers are withdrawn, and the others start in order", perOrigin: 1,
            steps: [.admit("a0")] + (1...300).map { .admit("a\($0)") }
                + (1...300).filter { $0 % 10 != 0 }.map { .withdraw("a\($0)") }
                + stride(from: 0, to: 300, by: 10).map { .finish("a\($0)", starts: ["a\($0 + 10)"]) },
            started: ["a0"]),
        Case(
            testDescription: "An origin that spoke HTTP/2 starts several transfers at once later", perOrigin: 1,
            steps: [
                .admit("a1"), .http2("a1"), .finish("a1"), .admit("a2"), .admit("a3"), .withdraw("a3"), .finish("a2"),
            ], started: ["a1", "a2", "a3"]),
        Case(
            testDescription: "An origin that goes back to HTTP/1 has its own permits again", perOrigin: 1,
            steps: [.admit("a1"), .http2("a1"), .http1("a1"), .admit("a2"), .finish("a1", starts: ["a2"])],
            started: ["a1"]),
    ]

    @Test("A loop is idle while nothing runs or waits")
    func idle() {
        var model = Model(1, 1)
        #expect(model.admission.isIdle)
        for step in [Step.admit("a1"), .admit("a2"), .admit("b1"), .withdraw("b1"), .finish("a1")] {
            _ = model.apply(step)
            #expect(!model.admission.isIdle)
        }
        _ = model.apply(.finish("a2"))
        #expect(model.admission.isIdle)
    }

    @Test("Of 257 origins without transfers one is removed, and its HTTP version is forgotten")
    func manyOrigins() {
        var admission = LoopAdmission<Transfer>(
            LoopLimits(connectionsPerOrigin: 1, connections: 1000, keptConnections: 1))
        func speaksHTTP2(_ origin: OriginKey) -> Bool {
            let pair = [Transfer("1"), Transfer("2")]
            let decisions = pair.map { admission.admit($0, to: origin) }
            return decisions == [.start, .start]
        }
        for origin in 0..<257 as Range<OriginKey> { _ = admission.admit(Transfer("0"), to: origin) }
        for origin in 0..<257 as Range<OriginKey> {
            _ = admission.note(origin, isHTTP2: true)
            admission.finish(origin)
        }
        #expect(!speaksHTTP2(0))
        #expect(speaksHTTP2(1))
    }

    /// Does what a loop does with the decisions.
    struct Model {
        var admission: LoopAdmission<Transfer>
        var started: [String] = []
        private var transfers: [String: Transfer] = [:]

        init(_ perOrigin: Int, _ connections: Int) {
            admission = LoopAdmission(
                LoopLimits(connectionsPerOrigin: perOrigin, connections: connections, keptConnections: 1))
        }

        /// The names of the transfers that start in place of one that ended.
        mutating func apply(_ step: Step) -> [String] {
            switch step {
            case .admit(let name): admit(Transfer(name))
            case .finish(let name, _): return finish(name)
            case .withdraw(let name):
                if let transfer = transfers[name] { admission.withdraw(transfer, from: transfer.origin) }
            case .http1(let name): _ = admission.note(Transfer(name).origin, isHTTP2: false)
            case .http2(let name, _):
                let origin = Transfer(name).origin
                return admission.note(origin, isHTTP2: true) ? startNext(origin) : []
            }
            return []
        }

        private mutating func admit(_ transfer: Transfer) {
            transfers[transfer.name] = transfer
            let decision = admission.admit(transfer, to: transfer.origin)
            if decision == .start { started.append(transfer.name) }
            #expect((transfer.place != nil) == (decision == .wait))
        }

        private mutating func finish(_ name: String) -> [String] {
            let origin = Transfer(name).origin
            admission.finish(origin)
            return startNext(origin)
        }

        private mutating func startNext(_ origin: OriginKey) -> [String] {
            var next: [String] = []
            while let transfer = admission.next(preferring: origin) {
                #expect(transfer.place == nil)
                next.append(transfer.name)
            }
            return next
        }
    }
}

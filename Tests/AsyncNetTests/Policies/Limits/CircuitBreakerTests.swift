import AsyncNetTesting
import Testing

@testable import AsyncNet

@Suite("Circuit breaker", .timeLimit(.minutes(5)))
struct CircuitBreakerTests {
    /// What happens to a circuit; requests are numbered in the order they begin.
    enum Happening: Sendable {
        /// A request begins: whether it is admitted, or until when it is refused.
        case begins(Bool, until: Int? = nil)
        /// So many requests, one after the other, begin and end.
        case pass(Int, OriginVerdict)
        case ends(Int, OriginVerdict)
        case after(seconds: Double)
        case isNow(BreakerState.Phase)
    }

    private static let rules = CircuitBreaker(consecutiveFailures: 3, openDuration: .seconds(10))
    private static let rate = CircuitBreaker(
        consecutiveFailures: nil, failureRate: 0.5, minimumRequests: 10, window: .seconds(10),
        openDuration: .seconds(10))
    private static let open = BreakerState.Phase.open(until: .seconds(10))
    private static let probing = BreakerState.Phase.halfOpen(running: 1, succeeded: 0)

    @Test(
        "A circuit opens, admits probes and closes as its results require",
        arguments: [
            ("a circuit stays closed after successes", rules, [.pass(100, .success), .isNow(.closed)]),
            (
                "the third failure in a row opens the circuit", rules,
                [.pass(2, .failure), .isNow(.closed), .pass(1, .failure), .isNow(open), .begins(false, until: 10)]
            ),
            (
                "a success resets the count of failures in a row", rules,
                [.pass(2, .failure), .pass(1, .success), .pass(2, .failure), .isNow(.closed)]
            ),
            (
                "a cancelled request does not reset the count", rules,
                [.pass(2, .failure), .pass(9, .ignored), .pass(1, .failure), .isNow(open)]
            ),
            (
                "requests that began before the circuit opened do not count", rules,
                [
                    .begins(true), .begins(true), .pass(3, .failure), .isNow(open), .ends(0, .failure), .isNow(open),
                    .after(seconds: 10), .begins(true), .isNow(probing),
                    .ends(1, .failure), .isNow(probing), .ends(0, .success), .isNow(probing), .ends(5, .success),
                    .isNow(.closed),
                ]
            ),
            (
                "a circuit stays open for openDuration", rules,
                [
                    .pass(3, .failure), .after(seconds: 9.999), .begins(false, until: 10), .after(seconds: 0.001),
                    .begins(true), .isNow(probing),
                ]
            ),
            (
                "one probe at a time is admitted", rules,
                [
                    .pass(3, .failure), .after(seconds: 10), .begins(true), .begins(false), .ends(3, .success),
                    .begins(true),
                ]
            ),
            (
                "a failed probe opens the circuit again", rules,
                [
                    .pass(3, .failure), .after(seconds: 12), .begins(true), .ends(3, .failure),
                    .isNow(.open(until: .seconds(22))),
                ]
            ),
            (
                "a cancelled probe admits another probe", rules,
                [
                    .pass(3, .failure), .after(seconds: 10), .begins(true), .ends(3, .ignored),
                    .isNow(.halfOpen(running: 0, succeeded: 0)), .begins(true), .isNow(probing),
                ]
            ),
            (
                "a closed circuit counts failures from zero again", rules,
                [.pass(3, .failure), .after(seconds: 10), .pass(1, .success), .pass(2, .failure), .isNow(.closed)]
            ),
            (
                "two probes are admitted, both of which have to succeed",
                CircuitBreaker(consecutiveFailures: 1, openDuration: .seconds(10), probes: 2),
                [
                    .pass(1, .failure), .after(seconds: 10), .begins(true), .begins(true), .begins(false),
                    .ends(1, .success), .begins(false), .ends(2, .success), .isNow(.closed),
                ]
            ),
            (
                "one failed probe of two opens the circuit, even if the other succeeds",
                CircuitBreaker(consecutiveFailures: 1, openDuration: .seconds(10), probes: 2),
                [
                    .pass(1, .failure), .after(seconds: 10), .begins(true), .begins(true), .ends(1, .failure),
                    .ends(2, .success), .isNow(.open(until: .seconds(20))),
                ]
            ),
            (
                "a failure rate of a half opens the circuit", rate,
                [.pass(5, .success), .pass(4, .failure), .isNow(.closed), .pass(1, .failure), .isNow(open)]
            ),
            (
                "with fewer than ten requests the failure rate is not used", rate,
                [.pass(9, .failure), .isNow(.closed), .pass(1, .failure), .isNow(open)]
            ),
            (
                "a failure rate below a half does not open the circuit", rate,
                [.pass(11, .success), .pass(10, .failure), .isNow(.closed)]
            ),
            (
                "failures before the window do not count", rate,
                [
                    .pass(9, .failure), .after(seconds: 10), .pass(9, .failure), .isNow(.closed), .pass(1, .failure),
                    .isNow(.open(until: .seconds(20))),
                ]
            ),
            (
                "failures within the window count", rate,
                [.pass(9, .failure), .after(seconds: 9), .pass(1, .failure), .isNow(.open(until: .seconds(19)))]
            ),
            (
                "without both rules the circuit never opens", CircuitBreaker(consecutiveFailures: nil),
                [.pass(1000, .failure), .isNow(.closed)]
            ),
            (
                "limits below one count as one",
                CircuitBreaker(consecutiveFailures: -1, openDuration: .seconds(-1), probes: 0),
                [.pass(1, .failure), .isNow(.open(until: .zero)), .pass(1, .success), .isNow(.closed)]
            ),
            (
                "a rate of NaN counts as 1",
                CircuitBreaker(consecutiveFailures: nil, failureRate: .nan, minimumRequests: 0),
                [.pass(1, .success), .pass(9, .failure), .isNow(.closed)]
            ),
        ] as [(String, CircuitBreaker, [Happening])])
    func machine(_: String, _ rules: CircuitBreaker, _ happenings: [Happening]) throws {
        var state = BreakerState(rules)
        var now = Duration.zero
        var passes: [BreakerState.Pass] = []
        func begin() -> BreakerState.Admission {
            let admission = state.allow(at: now)
            if case .allowed(let pass) = admission { passes.append(pass) }
            return admission
        }
        for happening in happenings {
            switch happening {
            case .begins(let isAllowed, let end):
                let count = passes.count
                let admission = begin()
                #expect(passes.count - count == (isAllowed ? 1 : 0))
                if case .refused(let until, _) = admission { #expect(until == end.map { .seconds($0) }) }
            case .pass(let count, let verdict):
                for _ in 0..<count {
                    _ = begin()
                    state.record(verdict, of: try #require(passes.last), at: now)
                }
            case .ends(let number, let verdict):
                state.record(verdict, of: try #require(passes.dropFirst(number).first), at: now)
            case .after(let seconds): now += .milliseconds(Int((seconds * 1000).rounded()))
            case .isNow(let phase): #expect(state.phase == phase)
            }
        }
    }

    @Test(
        "Statuses of 500 and above count as failures, and 429 is ignored",
        arguments: [
            (200, .success), (304, .success), (404, .success), (408, .success), (429, .ignored), (499, .success),
            (500, .failure), (503, .failure), (599, .failure),
        ] as [(Int, OriginVerdict)])
    func statusCodes(_ status: Int, _ verdict: OriginVerdict) {
        #expect(OriginVerdict(statusCode: status) == verdict)
    }

    @Test("Errors of the origin count as failures, and other errors are ignored")
    func errorCodes() {
        for code: AsyncNetError.Code in [
            .cannotConnect, .connectionLost, .timedOut, .tlsHandshakeFailed, .hostNotFound, .emptyReply,
            .deadlineExceeded,
        ] {
            #expect(OriginVerdict(code) == .failure)
        }
        for code: AsyncNetError.Code in [
            .cancelled, .encodingFailed, .fileNotReadable, .bodyTooLarge, .circuitOpen, .decodingFailed,
            .sessionFinished,
        ] {
            #expect(OriginVerdict(code) == OriginVerdict.ignored)
        }
    }
}

@Suite("Circuits of several origins", .timeLimit(.minutes(5)))
struct CircuitBreakersTests {
    private let clock = TestClock()

    private func breakers(
        _ rules: CircuitBreaker = .init(consecutiveFailures: 1, openDuration: .seconds(10)), capacity: Int = 1024
    ) -> CircuitBreakers {
        CircuitBreakers(rules, time: TimeSource(clock), capacity: capacity)
    }

    @Test("Of the refusals since a circuit opened, all but the first are marked as repetitions")
    func repetitions() throws {
        let breakers = breakers()
        func refusal() -> AsyncNetError? {
            do throws(AsyncNetError) {
                try breakers.allow(origin: "a").record(.failure)
                return nil
            } catch {
                return error
            }
        }
        var told: [Bool?] = []
        for _ in 0..<2 {
            #expect(!breakers.isOpen(origin: "a", after: .zero))
            #expect(refusal() == nil)
            #expect(
                breakers.isOpen(origin: "a", after: .seconds(9)) && !breakers.isOpen(origin: "a", after: .seconds(10)))
            told += (0..<3).map { _ in refusal()?.isRepetition }
            clock.advance(by: .seconds(10))
        }
        #expect(told == [false, true, true, false, true, true])
    }

    @Test("The error circuitOpen says when the next probe is allowed")
    func message() throws {
        let breakers = breakers()
        try breakers.allow(origin: "a.example").record(.failure)
        clock.advance(by: .milliseconds(7499))
        let error = #expect(throws: AsyncNetError.self) { try breakers.allow(origin: "a.example") }
        #expect(error?.code == .circuitOpen)
        #expect(
            error?.message == "Requests to a.example failed too often; the next probe is allowed in 2.501 seconds")
        clock.advance(by: .milliseconds(2501))
        let probe = try breakers.allow(origin: "a.example")
        let other = #expect(throws: AsyncNetError.self) { try breakers.allow(origin: "a.example") }
        #expect(other?.code == .circuitOpen)
        #expect(
            other?.message == "Requests to a.example failed too often; the result of a probe is awaited")
        probe.record(.success)
        _ = try breakers.allow(origin: "a.example")
    }

    @Test("Each origin has its own circuit")
    func hosts() throws {
        let breakers = breakers()
        try breakers.allow(origin: "a").record(.failure)
        #expect(AsyncNetError.code { _ = try breakers.allow(origin: "a") } == .circuitOpen)
        _ = try breakers.allow(origin: "b")
    }

    @Test("A probe that ends without a result admits another, and only the first result of a probe counts")
    func lostPermit() throws {
        let breakers = breakers()
        try breakers.allow(origin: "a").record(.failure)
        clock.advance(by: .seconds(10))
        do { _ = try breakers.allow(origin: "a") }
        let probe = try breakers.allow(origin: "a")
        probe.record(.ignored)
        probe.record(.failure)
        try breakers.allow(origin: "a").record(.success)
    }

    @Test("No more than the allowed number of concurrent probes are admitted", arguments: 0..<200)
    func concurrentProbes(_: Int) async throws {
        let breakers = breakers(.init(consecutiveFailures: 1, openDuration: .seconds(10), probes: 2))
        try breakers.allow(origin: "a").record(.failure)
        clock.advance(by: .seconds(10))
        let permits = await withTaskGroup(of: CircuitBreakers.Permit?.self) { group in
            for _ in 0..<10 { group.addTask { try? breakers.allow(origin: "a") } }
            return await group.reduce(into: [CircuitBreakers.Permit]()) { if let permit = $1 { $0.append(permit) } }
        }
        #expect(permits.count == 2)
        for permit in permits { permit.record(.success) }
        _ = try breakers.allow(origin: "a")
    }

    @Test("The number of remembered circuits is limited, and a result for a forgotten one is ignored")
    func bounded() throws {
        let breakers = breakers(capacity: 10)
        let late = try breakers.allow(origin: "first")
        for host in 0..<1000 { try breakers.allow(origin: "\(host)").record(.success) }
        #expect(breakers.originCount <= 20)
        let permit = try breakers.allow(origin: "first")
        late.record(.failure)
        permit.record(.success)
        _ = try breakers.allow(origin: "first")
    }
}

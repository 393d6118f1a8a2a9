import Foundation
import Testing

@testable import AsyncNet

/// What the connections of a transport share of the lookups of a resolver.
@Suite("Name lookups", .timeLimit(.minutes(1)))
struct NameLookupTests {
    private typealias Answers = AwaitedState<[String]>

    /// Asks, and adds the answer to the list: the addresses, or the error's code.
    @discardableResult
    private func ask(_ lookup: NameLookup, _ answers: Answers, _ name: String = "name.test") -> NameLookup.Ticket? {
        lookup.addresses(of: name) { answer in
            let text =
                switch answer {
                case .success(let addresses): addresses.compactMap(\.text).joined(separator: " ")
                case .failure(let error): error.code.rawValue
                }
            answers.change { $0.append(text) }
        }
    }

    private func answer(_ lookup: NameLookup, _ name: String = "name.test") async -> String {
        let answers = Answers([])
        ask(lookup, answers, name)
        await answers.wait { !$0.isEmpty }
        return answers.read { $0[0] }
    }

    // MARK: What is asked

    @Test("Concurrent lookups of a name ask the resolver once, and each gets the answer")
    func shared() async {
        let (gate, answers) = (Gate(), Answers([]))
        let resolver = TestResolver { _ in
            await gate.wait()
            return [ResolvedAddress("192.0.2.1")]
        }
        let lookup = NameLookup(resolver)
        for _ in 0..<10 { ask(lookup, answers) }
        ask(lookup, answers, "other.test")
        gate.open()
        await answers.wait { $0.count == 11 }
        #expect(answers.read { $0 } == Array(repeating: "192.0.2.1", count: 11))
        #expect(resolver.names.sorted() == ["name.test", "other.test"])
    }

    @Test("Lookups that all callers have withdrawn from, and that do not end, do not delay another name")
    func abandoned() async {
        let begun = Counter()
        let hasEnded = DispatchSemaphore(value: 0)
        let lookup = NameLookup(.system) { name, _ in
            guard name.hasPrefix("lost") else { return .success([]) }
            _ = begun.next()
            hasEnded.wait()
            return .success([])
        }
        let tickets = (0..<16).map { ask(lookup, Answers([]), "lost\($0).test") }
        await begun.reaches(16)
        for case let ticket? in tickets { lookup.withdraw(ticket) }
        #expect(await answer(lookup) == "")
        for _ in 0..<16 { hasEnded.signal() }
    }

    @Test(
        "An answer is kept only if the shortest time to live of its addresses is above zero",
        arguments: [
            ([60], true), ([60, 60], true), ([60, 0], false), ([0], false), ([-1], false), ([Int64.max >> 2], true),
        ] as [([Int64], Bool)])
    func timeToLive(_ seconds: [Int64], _ isKept: Bool) async {
        let resolver = TestResolver { _ in
            seconds.enumerated().map { ResolvedAddress("192.0.2.\($0)", timeToLive: .seconds($1)) }
        }
        let lookup = NameLookup(resolver)
        let expected = seconds.indices.map { "192.0.2.\($0)" }.joined(separator: " ")
        for _ in 0..<2 { #expect(await answer(lookup) == expected) }
        #expect(resolver.names.count == (isKept ? 1 : 2))
        lookup.forget("name.test")
        #expect(await answer(lookup) == expected)
        #expect(resolver.names.count == (isKept ? 2 : 3))
    }

    @Test("An answer has the resolver's addresses in their order, without text that is no address")
    func addresses() async {
        let resolver = TestResolver { _ in ["2001:db8::1", "none", "192.0.2.1"].map { ResolvedAddress($0) } }
        #expect(await answer(NameLookup(resolver)) == "2001:db8::1 192.0.2.1")
    }

    @Test("A resolver gets a name without its last dot, and sees no task-local values")
    func name() async {
        let resolver = TestResolver { _ in [ResolvedAddress("192.0.2.\(Self.number)")] }
        let found = await Self.$number.withValue(7) {
            await answer(NameLookup(resolver), "a.test.")
        }
        #expect(found == "192.0.2.1" && resolver.names == ["a.test"])
    }

    @TaskLocal private static var number = 1

    // MARK: Errors

    private struct Unknown: Error {}

    @Test("After any error of a resolver, or an invalid address, a lookup ends with .hostNotFound, which is not kept")
    func errors() async {
        let errors: [(any Error)?] = [
            nil, Unknown(), CancellationError(), AsyncNetError(.cancelled), AsyncNetError(.timedOut),
            AsyncNetError(.hostNotFound),
        ]
        let next = Counter()
        let resolver = TestResolver { _ in
            let number = next.next() - 1
            if number < errors.count, let error = errors[number] { throw error }
            return number < errors.count ? [ResolvedAddress("no address")] : [ResolvedAddress("192.0.2.1")]
        }
        let lookup = NameLookup(resolver)
        for _ in errors { #expect(await answer(lookup) == "hostNotFound") }
        #expect(await answer(lookup) == "192.0.2.1")
    }

    // MARK: Who no longer waits

    @Test("A lookup is cancelled when its last caller withdraws, and the next one asks the resolver again")
    func withdrawn() async throws {
        let (answers, cancelled, ended) = (Answers([]), Gate(), Counter())
        let calls = Counter()
        let resolver = TestResolver { _ in
            guard calls.next() == 1 else { return [ResolvedAddress("192.0.2.2")] }
            await withTaskCancellationHandler {
                await cancelled.wait()
            } onCancel: {
                cancelled.open()
            }
            ended.add()
            return [ResolvedAddress("192.0.2.1")]
        }
        let lookup = NameLookup(resolver)
        let tickets = [ask(lookup, answers), ask(lookup, answers)].compactMap(\.self)
        await resolver.lookups(atLeast: 1)
        lookup.withdraw(try #require(tickets.first))
        // One still waits.
        #expect(ended.value == 0)
        lookup.withdraw(try #require(tickets.last))
        #expect(await answer(lookup) == "192.0.2.2")
        await ended.reaches(1)
        // The end of the one that was given up answers nobody, and replaces nothing.
        #expect(await answer(lookup) == "192.0.2.2")
        #expect(answers.read { $0.isEmpty } && calls.value == 2)
    }

    @Test("A lookup answers the caller that waits although the other callers have withdrawn")
    func remaining() async throws {
        let (gate, answers) = (Gate(), Answers([]))
        let resolver = TestResolver { _ in
            await gate.wait()
            return Task.isCancelled ? [] : [ResolvedAddress("192.0.2.1")]
        }
        let lookup = NameLookup(resolver)
        let tickets = (0..<4).compactMap { _ in ask(lookup, answers) }
        for ticket in tickets.dropLast() { lookup.withdraw(ticket) }
        gate.open()
        await answers.wait { !$0.isEmpty }
        lookup.withdraw(tickets[3])
        #expect(answers.read { $0 } == ["192.0.2.1"])
    }

    @Test("Lookups by the system's resolver get an answer although other callers withdraw")
    func system() async throws {
        let (lookup, answers) = (NameLookup(.system), Answers([]))
        // Numeric, so that no name server is asked.
        let tickets = (1...100).compactMap { ask(lookup, answers, "127.0.0.\($0)") }
        for ticket in tickets.dropFirst(20) { lookup.withdraw(ticket) }
        await answers.wait { $0.count >= 20 }
        #expect(await answer(lookup, "127.0.0.100") == "127.0.0.100")
    }

    // MARK: Turns

    @Test(
        "A rotating resolver's answers begin with each address in turn, whether they are kept or not",
        arguments: [0, 60])
    func rotation(_ seconds: Int64) async {
        let resolver = TestResolver { _ in
            ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map { ResolvedAddress($0, timeToLive: .seconds(seconds)) }
        }
        let lookup = NameLookup(.rotating(over: resolver))
        var firsts: [String] = []
        for _ in 0..<6 { firsts.append(String(await answer(lookup).prefix { $0 != " " })) }
        #expect(Set(firsts.prefix(3)).count == 3 && firsts.prefix(3) == firsts.suffix(3))
        #expect(resolver.names.count == (seconds == 0 ? 6 : 1))
    }

    @Test("A rotating resolver's answers to concurrent callers begin with different addresses")
    func rotationOfShared() async {
        let (gate, answers) = (Gate(), Answers([]))
        let resolver = TestResolver { _ in
            await gate.wait()
            return (1...5).map { ResolvedAddress("192.0.2.\($0)") }
        }
        let lookup = NameLookup(.rotating(over: resolver))
        for _ in 0..<5 { ask(lookup, answers) }
        gate.open()
        await answers.wait { $0.count == 5 }
        #expect(Set(answers.read { $0.map { $0.prefix { $0 != " " } } }).count == 5)
    }
}

import CAsyncNetSockets
import Foundation

/// Looks names up for all connections of a transport: with the system's resolver on separate threads, since a lookup
/// may take a minute and cannot be ended, or with another ``Resolver`` in a task.
///
/// Equal lookups run once. Results are kept for their time to live. The system's results, which have none, are kept for
/// 30 s.
final class NameLookup: Sendable {
    typealias Answer = Result<[SocketAddress], AsyncNetError>

    struct Ticket: Hashable, Sendable {
        fileprivate let name: String
        fileprivate let number: Int
    }

    private struct Lookup {
        let number: Int
        var waiting: [(number: Int, answer: @Sendable (Answer) -> Void)] = []
        /// The task that asks the resolver; `nil` with the system's resolver.
        var task: Task<Void, Never>?
        /// Whether nobody waits any more for an answer of the system's resolver, whose thread then does not count.
        var isAbandoned = false
    }

    private struct State {
        var known: [String: (addresses: [SocketAddress], until: ContinuousClock.Instant)] = [:]
        var running: [String: Lookup] = [:]
        var queue: [String] = []
        var threads = 0
        var abandoned = 0
        var lastNumber = 0
    }

    private let state = Locked(State())
    private let resolver: (any Resolver)?
    private let rotation: AddressRotation?
    /// The family that the system's resolver is asked for.
    private let family: Int32
    private let systemLifetime: Duration
    private let system: @Sendable (String, Int32) -> Answer
    private static let mostThreads = 16
    private static let mostAbandoned = 128
    private static let mostKnown = 1000
    private static let mostAddresses = 64
    private static let longestLifetime = Duration.seconds(3600)

    init(
        _ resolver: any Resolver, family: Int32 = Int32(AF_UNSPEC), systemLifetime: Duration = .seconds(30),
        system: @escaping @Sendable (String, Int32) -> Answer = NameLookup.lookUp
    ) {
        (self.family, self.systemLifetime, self.system) = (family, systemLifetime, system)
        (self.resolver, rotation) = (resolver as? StandardResolver)?.parts ?? (resolver, nil)
    }

    /// Calls `answer` with the addresses, on any thread. If they are known, calls it at once and returns `nil`;
    /// otherwise returns a ticket for `withdraw`.
    func addresses(of name: String, _ answer: @escaping @Sendable (Answer) -> Void) -> Ticket? {
        let now = ContinuousClock.now
        let (known, ticket, starts) = state.withLock { state -> ([SocketAddress]?, Ticket?, Bool) in
            if let entry = state.known[name], entry.until > now { return (entry.addresses, nil, false) }
            state.lastNumber += 1
            let number = state.lastNumber
            let starts = state.running[name] == nil && begin(name, number, &state)
            state.running[name]?.waiting.append((number, answer))
            return (nil, Ticket(name: name, number: number), starts)
        }
        if let known { answer(.success(inTurn(known, of: name))) }
        if starts { startThread() }
        return ticket
    }

    /// - Returns: Whether a thread must be started.
    private func begin(_ name: String, _ number: Int, _ state: inout State) -> Bool {
        guard let resolver else {
            state.running[name] = Lookup(number: number)
            state.queue.append(name)
            guard state.threads < Self.mostThreads else { return false }
            state.threads += 1
            return true
        }
        // Detached: all requests share the lookup, which has the task-local values of none.
        // ConcurrencyGuarantees.md lists this task: name lookup
        let task = Task.detached { [self] in
            let (answer, lifetime) = await Self.ask(resolver, name)
            finish(name, answer, for: lifetime, number: number)
        }
        state.running[name] = Lookup(number: number, task: task)
        return false
    }

    /// Drops the answer for a ticket. If no ticket is left, the lookup ends, unless the system has begun it: then its
    /// result is kept, and the next name gets another thread, since names without a server may take minutes.
    func withdraw(_ ticket: Ticket) {
        let (task, starts) = state.withLock { state -> (Task<Void, Never>?, Bool) in
            state.running[ticket.name]?.waiting.removeAll { $0.number == ticket.number }
            guard let lookup = state.running[ticket.name], lookup.waiting.isEmpty else { return (nil, false) }
            let place = state.queue.firstIndex(of: ticket.name)
            if let place { state.queue.remove(at: place) }
            if lookup.task != nil || place != nil {
                state.running[ticket.name] = nil
                return (lookup.task, false)
            }
            return (nil, abandon(ticket.name, &state))
        }
        task?.cancel()
        if starts { startThread() }
    }

    /// - Returns: Whether a thread must be started in place of the lookup's.
    private func abandon(_ name: String, _ state: inout State) -> Bool {
        guard state.running[name]?.isAbandoned == false, state.abandoned < Self.mostAbandoned else { return false }
        state.running[name]?.isAbandoned = true
        state.abandoned += 1
        guard state.queue.isEmpty else { return true }
        state.threads -= 1
        return false
    }

    func forget(_ name: String) { state.withLock { _ = $0.known.removeValue(forKey: name) } }

    /// - Parameter number: The number of the lookup, whose answer is ignored if the lookup was given up; `nil` for the
    ///   system's resolver.
    /// - Returns: Whether the lookup was abandoned.
    @discardableResult
    private func finish(_ name: String, _ answer: Answer, for lifetime: Duration, number: Int? = nil) -> Bool {
        let until = ContinuousClock.now + lifetime
        let ended = state.withLock { state -> Lookup? in
            guard number == nil || state.running[name]?.number == number else { return nil }
            if case .success(let addresses) = answer, lifetime > .zero {
                if state.known.count >= Self.mostKnown { state.known = [:] }
                state.known[name] = (addresses, until)
            }
            if state.running[name]?.isAbandoned == true { state.abandoned -= 1 }
            return state.running.removeValue(forKey: name)
        }
        for each in ended?.waiting ?? [] { each.answer(answer.map { inTurn($0, of: name) }) }
        return ended?.isAbandoned == true
    }

    private func inTurn(_ addresses: [SocketAddress], of name: String) -> [SocketAddress] {
        rotation?.next(addresses, of: name) { $0.text ?? "" } ?? addresses
    }

    private func startThread() {
        let thread = Thread { [self] in
            while let name = takeNext() {
                if finish(name, system(name, family), for: systemLifetime) { break }
            }
        }
        thread.name = "AsyncNet.names"
        thread.stackSize = 512 * 1024
        thread.start()
    }

    private func takeNext() -> String? {
        state.withLock { state in
            guard !state.queue.isEmpty else {
                state.threads -= 1
                return nil
            }
            return state.queue.removeFirst()
        }
    }

    private static func lookUp(_ name: String, _ family: Int32) -> Answer {
        withUnsafeTemporaryAllocation(of: an_address.self, capacity: mostAddresses) { room in
            guard let first = room.baseAddress else { return .success([]) }
            var count = Int32(room.count)
            let error = an_look_up(name, family, first, &count)
            guard error == 0 else { return .failure(.notResolved(String(cString: an_lookup_text(error)))) }
            return .success(room.prefix(Int(count)).map { SocketAddress($0, port: 0) })
        }
    }

    private static func ask(_ resolver: any Resolver, _ name: String) async -> (Answer, Duration) {
        do {
            let found = try await resolver.addresses(of: name.hasSuffix(".") ? String(name.dropLast()) : name)
            let addresses = found.prefix(mostAddresses).compactMap { SocketAddress(numeric: $0.text, port: 0) }
            guard !addresses.isEmpty else { throw AsyncNetError.notResolved("the resolver has no address of the name") }
            return (.success(addresses), min(found.map(\.timeToLive).min() ?? .zero, longestLifetime))
        } catch let error as AsyncNetError where error.code == .hostNotFound {
            return (.failure(error), .zero)
        } catch {
            let text = (error as? AsyncNetError)?.message ?? "the resolver failed"
            return (.failure(.notResolved(text, underlyingError: error)), .zero)
        }
    }
}

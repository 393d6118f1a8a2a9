import CAsyncNetSockets
import Foundation

/// Looks names up with the system's resolver, on threads of its own: a lookup may take a minute and cannot be ended. Whoever
/// waits is answered when it ends; whoever no longer waits loses nothing by that.
///
/// Equal lookups run once. Results are kept for a short time, since the resolver does not say how long they hold.
final class NameLookup: Sendable {
    typealias Answer = Result<[SocketAddress], AsyncNetError>

    struct Key: Hashable, Sendable {
        let name: String
        let family: Int32
    }

    private struct State {
        var known: [Key: (addresses: [SocketAddress], until: ContinuousClock.Instant)] = [:]
        var waiting: [Key: [@Sendable (Answer) -> Void]] = [:]
        /// Those that have no thread yet.
        var queue: [Key] = []
        var threads = 0
    }

    private let state = Locked(State())
    private static let mostThreads = 16
    private static let mostKnown = 1000
    /// How long an answer is used again.
    private static let lifetime = Duration.seconds(30)

    /// Calls `answer` with the addresses, on any thread; at once if they are known.
    func addresses(of key: Key, _ answer: @escaping @Sendable (Answer) -> Void) {
        let now = ContinuousClock.now
        let (known, starts) = state.withLock { state -> ([SocketAddress]?, Bool) in
            if let entry = state.known[key], entry.until > now { return (entry.addresses, false) }
            state.waiting[key, default: []].append(answer)
            guard state.waiting[key]?.count == 1 else { return (nil, false) }
            state.queue.append(key)
            guard state.threads < Self.mostThreads else { return (nil, false) }
            state.threads += 1
            return (nil, true)
        }
        if let known { return answer(.success(known)) }
        if starts { startThread() }
    }

    /// Forgets a name whose addresses could not be connected to.
    func forget(_ key: Key) { state.withLock { _ = $0.known.removeValue(forKey: key) } }

    private func startThread() {
        let thread = Thread { [self] in
            while let key = takeNext() { finish(key, Self.lookUp(key)) }
        }
        thread.name = "AsyncNet.names"
        thread.stackSize = 512 * 1024
        thread.start()
    }

    private func takeNext() -> Key? {
        state.withLock { state in
            guard !state.queue.isEmpty else {
                state.threads -= 1
                return nil
            }
            return state.queue.removeFirst()
        }
    }

    private func finish(_ key: Key, _ answer: Answer) {
        let until = ContinuousClock.now + Self.lifetime
        let waiting = state.withLock { state in
            if case .success(let addresses) = answer {
                if state.known.count >= Self.mostKnown { state.known = [:] }
                state.known[key] = (addresses, until)
            }
            return state.waiting.removeValue(forKey: key) ?? []
        }
        for each in waiting { each(answer) }
    }

    private static func lookUp(_ key: Key) -> Answer {
        withUnsafeTemporaryAllocation(of: an_address.self, capacity: 64) { room in
            guard let first = room.baseAddress else { return .success([]) }
            var count = Int32(room.count)
            var isTemporary: Int32 = 0
            let error = an_look_up(key.name, key.family, first, &count, &isTemporary)
            guard error == 0 else {
                let text = String(cString: an_lookup_text(error))
                return .failure(AsyncNetError(.hostNotFound, "\(AsyncNetError.Code.hostNotFound.summary) (\(text))"))
            }
            return .success(room.prefix(Int(count)).map { SocketAddress($0, port: 0) })
        }
    }
}

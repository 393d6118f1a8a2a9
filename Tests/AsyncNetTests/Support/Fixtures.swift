import AsyncNet
import AsyncNetTesting
import Foundation

struct User: Codable, Equatable, Sendable {
    var id: Int
    var name: String

    static let ada = User(id: 1, name: "Ada")
    static let json = #"{"id":1,"name":"Ada"}"#
}

/// Lets tasks wait until another task or thread opens the gate.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextID = 0
    }

    private let state = Locked(State())

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when the gate is open or the task is cancelled.
    func wait() async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isOpen || Task.isCancelled { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }
}

/// Opens a gate when nobody holds this token any more.
final class DropToken: Sendable {
    private let gate: Gate
    init(_ gate: Gate) { self.gate = gate }
    deinit { gate.open() }
}

extension TestClock {
    /// A task that `settled()` waits for, as for those of a session with this clock.
    func task<Value: Sendable>(_ work: sending @escaping () async -> Value) -> Task<Value, Never> {
        Task(executorPreference: executor, operation: work)
    }

    func task<Value: Sendable>(_ work: sending @escaping () async throws -> Value) -> Task<Value, any Error> {
        Task(executorPreference: executor, operation: work)
    }
}

/// Waits until a condition holds that other tasks bring about: checks it up to 100,001 times, and yields in between.
func eventually(_ condition: @Sendable () async -> Bool) async -> Bool {
    for _ in 0..<100_000 {
        if await condition() { return true }
        await Task.yield()
    }
    return await condition()
}

/// Runs a closure with a server that sends these replies in turn, and stops the server at the closure's end.
func withServer<Result>(
    _ replies: MockResponse..., body: (MockServer) async throws -> Result
) async throws -> Result {
    let server = try await MockServer.start(speaks: .both)
    for reply in replies { await server.enqueue(reply) }
    do {
        let result = try await body(server)
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}

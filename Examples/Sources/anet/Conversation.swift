import AsyncNet
import Foundation
import Synchronization

/// The two directions of a connection, and when they end.
struct Conversation: Sendable {
    private enum Ended { case received, other }

    /// How long nothing may arrive after the end of standard input.
    let quiet: Duration
    /// How long the conversation may take, with the opening of its connection.
    private let deadline: Double?
    private let start = ContinuousClock.now
    let input: StandardStream
    let output: StandardStream
    private let arrival = Arrival()

    init(_ options: DuplexOptions, deadline: Double?) throws(ExitError) {
        (quiet, self.deadline) = (options.quiet, deadline)
        input = try StandardStream(STDIN_FILENO)
        output = try StandardStream(STDOUT_FILENO)
    }

    /// Opens the connection, within the deadline.
    func opening<Opened: Sendable>(_ open: @escaping @Sendable () async throws -> Opened) async throws -> Opened {
        try await withThrowingTaskGroup(of: Opened?.self) { group in
            group.addTask { try await open() }
            group.addTask {
                try await watchDeadline()
                return nil
            }
            defer { group.cancelAll() }
            while let ended = try await group.next() { if let ended { return ended } }
            throw CancellationError()
        }
    }

    /// Runs all of these at the same time until `receiving` returns or one fails; the others are cancelled then.
    func run(
        receiving: @escaping @Sendable () async throws -> Void, sending: @escaping @Sendable () async throws -> Void,
        beside: [@Sendable () async throws -> Void] = []
    ) async throws {
        try await withThrowingTaskGroup(of: Ended.self) { group in
            group.addTask {
                try await receiving()
                return .received
            }
            for work in [sending, watchDeadline] + beside {
                group.addTask {
                    try await work()
                    return .other
                }
            }
            while let ended = try await group.next(), ended != .received {}
            group.cancelAll()
        }
    }

    /// Writes to standard output what has arrived.
    func print(_ data: Data) async throws {
        arrival.begin()
        try await output.write(data)
        arrival.end()
    }

    /// Returns when nothing has arrived for a while.
    func becameQuiet() async throws {
        let start = ContinuousClock.now
        while true {
            let rest = quiet - (ContinuousClock.now - max(arrival.last ?? start, start))
            guard arrival.isWriting || rest > .zero else { return }
            try await Task.sleep(for: arrival.isWriting ? max(quiet, .milliseconds(10)) : rest)
        }
    }

    @Sendable private func watchDeadline() async throws {
        guard let deadline else { return }
        try await Task.sleep(until: start + .seconds(deadline))
        throw ExitError(AsyncNetError(.deadlineExceeded), "")
    }
}

/// When something has arrived last.
private final class Arrival: Sendable {
    private struct State {
        var last: ContinuousClock.Instant?
        /// Whether standard output has not taken all of it yet.
        var isWriting = false
    }

    private let state = Mutex(State())

    var last: ContinuousClock.Instant? { state.withLock { $0.last } }
    var isWriting: Bool { state.withLock { $0.isWriting } }

    func begin() { state.withLock { $0.isWriting = true } }
    func end() { state.withLock { $0 = State(last: .now, isWriting: false) } }
}

import AsyncNet
import Foundation

/// The pieces of a body that a sequence makes.
///
/// A task reads the sequence, one piece ahead of what is sent. The task is cancelled when this object is released, so
/// that an `AsyncStream` calls its termination handler.
final class StreamedBody: Sendable {
    enum Part: Sendable {
        case piece(BodyPiece)
        /// With the sequence's error, if it threw one.
        case end((any Error)?)
    }

    private let next: AwaitedState<Part?>
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - executor: The executor on which the sequence is read.
    ///   - wake: Called when there is another part.
    init(
        _ chunks: TransportBody, _ fault: MockResponse.Fault?, on executor: (any TaskExecutor)? = nil,
        wake: @escaping @Sendable () -> Void = {}
    ) {
        let next = AwaitedState<Part?>(nil)
        self.next = next
        // Owned by this object, whose release cancels the task.
        task = Task(executorPreference: executor) {
            await Self.read(chunks, fault) { part in
                next.change { $0 = part }
                wake()
                await next.wait { $0 == nil }
            }
        }
    }

    deinit { task.cancel() }

    private static func read(
        _ chunks: TransportBody, _ fault: MockResponse.Fault?, _ offer: (Part) async -> Void
    ) async {
        do {
            var cutter = BodyCutter(fault)
            var iterator = chunks.makeAsyncIterator()
            // After a cancel `next` is called once more, since the sequence learns of the cancel only there.
            while !cutter.isOver, let chunk = try await iterator.next(), !Task.isCancelled {
                for piece in cutter.pieces(of: chunk) { await offer(.piece(piece)) }
            }
            await offer(.end(nil))
        } catch {
            await offer(.end(error))
        }
    }

    /// Takes the next part, if it is there already.
    func take() -> Part? {
        next.change { next in
            defer { next = nil }
            return next
        }
    }

    /// Waits for the next part and takes it; `nil` if the current task is cancelled.
    func takeNext() async -> Part? {
        await next.wait { $0 != nil }
        return take()
    }
}

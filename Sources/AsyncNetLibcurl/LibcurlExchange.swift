import AsyncNet
import Foundation

/// One transfer of a loop, from `send` until libcurl has ended it.
///
/// Unchecked: `handle`, `source`, `tasks` and `place` are used on the loop's thread only; the others are constant.
final class LibcurlExchange: QueuedTransfer, @unchecked Sendable {
    let request: TransportRequest
    let pipe: TransferPipe
    let origin: OriginKey
    /// The length of the body in bytes; `nil` if it is not known. Read once, because a file may grow.
    let bodyLength: Int64?
    /// The request's body, unless it is in memory.
    private let body: MeasuredBody?
    /// Reads `body` while the transfer runs; `nil` before and after.
    private var source: BodySource?
    private let loop: LibcurlLoop

    var handle: LibcurlHandle?
    /// Set by `LoopAdmission` while the exchange waits for a permit.
    var place: Int?

    /// Makes the tasks in which the user's sequence runs. The request's task makes this mailbox, so the tasks have its
    /// task-local values, which the loop's thread does not have. `nil` without a sequence of the user's, and after the
    /// end.
    private var tasks: Mailbox?

    /// - Throws: `AsyncNetError` with code `.fileNotReadable`, or `.unsupportedByTransport` for a body with trailers.
    init(_ request: TransportRequest, origin: OriginKey, loop: LibcurlLoop) throws(AsyncNetError) {
        self.request = request
        self.origin = origin
        self.loop = loop
        if request.body.isNone || request.body.data != nil {
            body = nil
            bodyLength = request.body.data.map { Int64($0.count) }
        } else {
            try request.body.checkHasNoTrailers()
            let measured = try MeasuredBody(request.body)
            body = measured
            bodyLength = measured.length
        }
        tasks = body?.isReadableAtOnce == false ? Mailbox.withTaskLocals() : nil
        pipe = TransferPipe(request.delivery, limit: request.maximumBodySize, isUrgent: request.isUrgent)
        // The pipe releases these closures at its end, which breaks the retain cycle.
        pipe.connect(onAbort: { loop.post(.cancel(self)) }, onDemand: { loop.post(.receive(self)) })
    }

    // MARK: A body that is not in memory

    /// Begins to read the body from its start.
    func startReading() {
        guard let body else { return }
        source = BodySource(body, tasks) { [weak self, loop] in self.map { loop.post(.send($0)) } }
        source?.start()
    }

    /// Begins to read the body from its start again; `false` if it can be read only once.
    func restartReading() -> Bool {
        guard let source, request.body.replay == .repeatable else { return false }
        source.start()
        return true
    }

    /// Moves the body's next bytes into `buffer`.
    func readBody(into buffer: UnsafeMutableRawBufferPointer) -> UploadFeed.Piece {
        source?.read(into: buffer) ?? .end
    }

    /// The error that prevents the body from being sent to its end; `nil` if there is none.
    var bodyFailure: AsyncNetError? { source?.failure }

    /// Whether the request is suspended. If so, the transfer continues when the request is resumed.
    var isSuspended: Bool {
        guard let hold = request.hold, hold.isHeld else { return false }
        return hold.isHeld(self) { [loop] in loop.post(.send(self)) }
    }

    func stop() {
        request.hold?.forget(self)
        (source, tasks) = (nil, nil)
    }
}

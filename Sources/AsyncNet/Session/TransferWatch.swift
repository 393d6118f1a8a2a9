import Foundation
import Synchronization

/// Watches one request's transfer: progress, events, metrics, and activity for the idle timer.
final class TransferWatch: Sendable {
    let idle = Mutex<IdleTimer?>(nil)
    private let request: DataRequest
    private let time: TimeSource
    private let start: Duration
    private let counters = Mutex(Counters())

    private struct Counters {
        var sentBytes: Int64 = 0
        var receivedBytes: Int64 = 0
        var transport = TransportMetrics()
    }

    init(_ request: DataRequest, time: TimeSource) {
        self.request = request
        self.time = time
        start = time.now
    }

    var elapsed: Duration { time.now - start }

    /// The transport's events; called by its callbacks, so it only stores and passes on.
    func receive(_ event: TransportEvent) {
        let idle = idle.withLock { $0 }
        if case .queued = event { idle?.pause() } else { idle?.touch() }
        switch event {
        case .informational(let head): request.eventLog.send(.informational(head))
        case .sentBody(let bytes, let total):
            counters.withLock { $0.sentBytes = bytes }
            request.uploads.send(progress(bytes, of: total))
        case .receivedBody(let bytes, let head): didReceive(Int(bytes), of: expectedBytes(head))
        case .metrics(let metrics): counters.withLock { $0.transport = metrics }
        case .queued, .started, .trailers: break
        }
    }

    func didReceive(_ bytes: Int, of total: Int64?) {
        counters.withLock { $0.receivedBytes = Int64(bytes) }
        request.downloads.send(progress(Int64(bytes), of: total))
    }

    /// The body's length, unless its encoding or the method makes `Content-Length` say something else.
    func expectedBytes(_ head: HTTPResponseHead) -> Int64? {
        head.value(for: "Content-Encoding") == nil ? head.contentLength : nil
    }

    func end(_ metrics: inout RequestMetrics) {
        let counters = counters.withLock { $0 }
        metrics.total = elapsed
        metrics.sentBytes = counters.sentBytes
        metrics.receivedBytes = counters.receivedBytes
        metrics.httpVersion = counters.transport.httpVersion
        metrics.isConnectionReused = counters.transport.isConnectionReused
        metrics.remoteAddress = counters.transport.remoteAddress
    }

    private func progress(_ bytes: Int64, of total: Int64?) -> TransferProgress {
        let seconds = elapsed / .seconds(1)
        return TransferProgress(
            completedBytes: bytes, totalBytes: total, bytesPerSecond: seconds > 0 ? Double(bytes) / seconds : 0)
    }
}

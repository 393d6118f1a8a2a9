import Foundation

/// One request and its response on a connection over HTTP/2 (RFC 9113 §5.1). Used only under its loop's lock.
final class HTTP2Stream {
    enum Phase { case head, body, ended }

    let url: URL
    let method: HTTPMethod
    /// 0 before the request's head is written.
    var id: UInt32 = 0
    var phase = Phase.head
    /// How many bytes of the body must follow; `nil` without Content-Length.
    var bytesLeft: Int64?
    var informational = 0
    var headBytes = 0
    /// How many bytes of the request's body the peer takes; below zero after its SETTINGS have taken some back.
    var sendWindow = 0
    var receiveWindow: HTTP2ReceiveWindow
    var sentHeadBytes = 0
    var isRequestSent = false

    /// The last stream that a client may open.
    static let lastID: UInt32 = 0x7FFF_FFFD

    init(_ url: URL, _ method: HTTPMethod, _ limits: HTTP2Limits) {
        (self.url, self.method) = (url, method)
        receiveWindow = HTTP2ReceiveWindow(limits.streamWindow, growsTo: limits.largestStreamWindow)
    }

    func receive(_ head: HTTPResponseHead) throws(HTTP2Violation) {
        phase = .body
        if head.isBodyless(answering: method) { return bytesLeft = 0 }
        bytesLeft = head.contentLength
        do throws(AsyncNetError) { try head.checkLength(answering: method) } catch {
            throw HTTP2Violation(.protocolError, "HEADERS with an invalid Content-Length", "8.1.1")
        }
    }

    /// Receives a DATA frame.
    func receive(_ length: Int, padding: Int) throws(HTTP2Violation) {
        try require(receiveWindow.receive(length), else: .flowControlError, "DATA beyond its stream's window", "6.9.1")
        switch phase {
        case .head: throw HTTP2Violation(.protocolError, "a DATA frame before the response's HEADERS", "8.1")
        case .ended: throw HTTP2Violation(.streamClosed, "a DATA frame after the end of its stream", "5.1")
        case .body: break
        }
        guard let left = bytesLeft else { return }
        let count = length - padding
        try require(count <= left, else: .protocolError, "more bytes in DATA frames than Content-Length says", "8.1.1")
        bytesLeft = left - Int64(count)
    }

    func receiveEnd() throws(HTTP2Violation) {
        try require(phase == .body, else: .protocolError, "the end of a stream without a response's HEADERS", "8.1")
        phase = .ended
        try require(
            bytesLeft ?? 0 == 0, else: .protocolError, "fewer bytes in DATA frames than Content-Length says", "8.1.1")
    }
}

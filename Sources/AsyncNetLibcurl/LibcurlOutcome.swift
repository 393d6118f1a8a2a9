import AsyncNet

/// Decides whether a transfer succeeded, from libcurl's result and from what has been received.
struct LibcurlOutcome {
    var result: Int32
    var head: HTTPResponseHead?
    /// How many bytes of the body libcurl received, before any decoding.
    var receivedBytes: Int64 = 0
    /// Whether at least one byte of a response arrived.
    var hasFirstByte = false
    /// Whether the transfer ended early with a response that is delivered, whatever libcurl reports.
    var isComplete = false
    /// Whether the server closed the connection while sending was paused until the request's body had more bytes.
    var isPeerGone = false
    /// The error that a callback stored.
    var failure: AsyncNetError?
    /// The error that prevented the request's body from being read to its end.
    var bodyFailure: AsyncNetError?

    /// Whether sending or receiving failed (CURLE_SEND_ERROR, CURLE_RECV_ERROR).
    private var isBrokenConnection: Bool { result == 55 || result == 56 }

    func end(_ circumstances: @autoclosure () -> LibcurlErrors.Circumstances) -> Result<Void, AsyncNetError> {
        if let failure { return .failure(failure) }
        if head != nil, result == 0 || isComplete { return .success(()) }
        if let bodyFailure { return .failure(bodyFailure) }
        let circumstances = circumstances()
        if hasResponseToUnfinishedRequest(circumstances.text) { return .success(()) }
        return .failure(error(circumstances))
    }

    /// Whether only sending failed: a server may respond and close the connection (RFC 9112 §9.6) or the stream (RFC
    /// 9113 §8.1) before it has received the whole request.
    private func hasResponseToUnfinishedRequest(_ text: String) -> Bool {
        let isClosed = isBrokenConnection || isPeerGone || isStreamClosed(text)
        return isClosed && head?.isComplete(afterBytes: receivedBytes) == true
    }

    /// libcurl 7.88 reports CURLE_HTTP2_STREAM or CURLE_PARTIAL_FILE, without a text, when it sends on a stream that
    /// the server closed with NO_ERROR; with other causes these results have a text.
    private func isStreamClosed(_ text: String) -> Bool { (result == 92 || result == 18) && text.isEmpty }

    private func error(_ circumstances: LibcurlErrors.Circumstances) -> AsyncNetError {
        if isPeerGone {
            return AsyncNetError(
                .connectionLost, "The server closed the connection before the request's body was complete")
        }
        if head == nil, hasFirstByte, let error = LibcurlErrors.headError(for: result, circumstances.text) {
            return error
        }
        guard result == 0 else { return LibcurlErrors.error(for: result, circumstances) }
        return AsyncNetError(.connectionLost, "The server closed the connection inside the response's head")
    }
}

extension HTTPResponseHead {
    /// Whether a response to a request other than HEAD is complete after this many bytes of its body, before any
    /// decoding; `false` if its length is not known before its end.
    func isComplete(afterBytes count: Int64) -> Bool {
        if statusCode == 204 || statusCode == 304 { return true }
        return !headers.contains(name: "Transfer-Encoding") && contentLength == count
    }
}

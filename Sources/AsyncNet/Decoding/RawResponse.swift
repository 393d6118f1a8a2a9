public import Foundation

/// A complete response, as validators and serializers get it.
public struct RawResponse: Sendable {
    /// The head of the request of this response; after redirects, that of the last hop.
    public let requestHead: HTTPRequestHead
    /// The response's status and headers.
    public let head: HTTPResponseHead
    /// The body, with its `Content-Encoding` decoded unless the request was to keep it; empty without a body.
    public let data: Data
    /// Whether the body has not been received yet; the head is known.
    var isBodyPending = false

    /// Creates a response, for tests of validators and serializers.
    public init(requestHead: HTTPRequestHead, head: HTTPResponseHead, data: Data) {
        self.requestHead = requestHead
        self.head = head
        self.data = data
    }

    var hasBody: Bool {
        guard isBodyPending else { return !data.isEmpty }
        return head.contentLength != 0 && head.statusCode != 205 && !head.isBodyless(answering: requestHead.method)
    }

    /// Whether there is a body, or a pending one of at least one byte according to the head.
    var surelyHasBody: Bool { hasBody && (head.contentLength ?? 0) > 0 && head.describesBody }

    /// The response's status.
    public var statusCode: Int { head.statusCode }
}

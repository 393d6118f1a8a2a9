public import Foundation

/// A complete response, as validators and serializers get it.
public struct RawResponse: Sendable {
    /// The head of the request of this response; after redirects, that of the last hop.
    public let requestHead: HTTPRequestHead
    /// The response's status and headers.
    public let head: HTTPResponseHead
    /// The body, without its content coding unless the request asked to keep that; empty without a body.
    public let data: Data
    /// Whether only the head has been received yet.
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

    /// Whether the head announces a body of at least one byte.
    var surelyHasBody: Bool { hasBody && (head.contentLength ?? 0) > 0 && head.describesBody }

    /// The response's status.
    public var statusCode: Int { head.statusCode }
}

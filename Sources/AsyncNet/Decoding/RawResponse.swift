public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A whole response as it came, for validators and serializers.
public struct RawResponse: Sendable {
    /// The request that was answered; after redirects, the last one.
    public let requestHead: HTTPRequestHead
    public let head: HTTPResponseHead
    /// The body, `Content-Encoding` undone; empty if there was none.
    public let data: Data
    /// Whether the body is still to come: what is known of it is in the head.
    package var isBodyPending = false

    public init(requestHead: HTTPRequestHead, head: HTTPResponseHead, data: Data) {
        self.requestHead = requestHead
        self.head = head
        self.data = data
    }

    package var hasBody: Bool {
        guard isBodyPending else { return !data.isEmpty }
        return head.contentLength != 0 && head.statusCode != 205 && !head.isBodyless(answering: requestHead.method)
    }

    /// Whether the head of a response with a pending body promises at least one byte of it.
    var surelyHasBody: Bool { hasBody && (head.contentLength ?? 0) > 0 && head.value(for: "Content-Encoding") == nil }

    public var statusCode: Int { head.statusCode }
    public var request: URLRequest { requestHead.urlRequest }
    public var response: HTTPURLResponse? { head.urlResponse }
}

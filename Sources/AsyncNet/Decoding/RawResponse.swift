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

    public init(requestHead: HTTPRequestHead, head: HTTPResponseHead, data: Data) {
        self.requestHead = requestHead
        self.head = head
        self.data = data
    }

    public var statusCode: Int { head.statusCode }
    public var request: URLRequest { requestHead.urlRequest }
    public var response: HTTPURLResponse? { head.urlResponse }
}

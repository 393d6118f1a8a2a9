#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Compresses request bodies of every kind and sets `Content-Encoding` (RFC 9110 §8.4).
///
///     let session = Session(configuration: .init(interceptors: [RequestCompressor(.gzip)]))
///
/// Use this only for servers that support the coding. A body in memory is compressed in memory and keeps a
/// `Content-Length`; files, streams and forms are compressed while they are sent, with unknown length. A body is not
/// compressed if it is empty, or if a header of the request describes its bytes: `Content-Range`, `Content-Digest`,
/// `Repr-Digest`, `Digest` or `Content-MD5`. zlib is loaded at run time; without zlib requests end with
/// `.compressionUnavailable`.
public struct RequestCompressor: RequestAdapter, NonBlocking {
    /// What happens to a request that has a `Content-Encoding` already.
    public enum DuplicateHeaderBehavior: Sendable {
        /// The request ends with `.adaptationFailed`.
        case error
        /// The body is compressed and the header replaced.
        case replace
        /// The request is sent unchanged.
        case skip
    }

    private let coding: ContentCoding
    private let duplicateHeader: DuplicateHeaderBehavior
    private let shouldCompress: (@Sendable (RequestBody) -> Bool)?

    /// Creates a compressor, by default of all bodies; `shouldCompress` can exclude small ones and images.
    public init(
        _ coding: ContentCoding = .gzip, duplicateHeader: DuplicateHeaderBehavior = .error,
        shouldCompress: (@Sendable (RequestBody) -> Bool)? = nil
    ) {
        self.coding = coding
        self.duplicateHeader = duplicateHeader
        self.shouldCompress = shouldCompress
    }

    /// Headers whose values would not be true of the compressed bytes (RFC 9110 §14.5, RFC 9530).
    private static let describing = ["Content-Range", "Content-Digest", "Repr-Digest", "Digest", "Content-MD5"]

    public func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
        guard let head = HTTPRequestHead(request), let data = request.httpBody else { return request }
        return try await adapt(TransportRequest(head: head, body: .data(data)), context: context).urlRequest
    }

    public func adapt(_ request: TransportRequest, context: RequestContext) async throws -> TransportRequest {
        guard !request.body.isNone, request.body.data?.isEmpty != true,
            !Self.describing.contains(where: { request.head.headers.contains(name: $0) })
        else { return request }
        if let shouldCompress, !(await UserCode.run { shouldCompress(request.body) }) { return request }
        if request.head.headers.contains(name: "Content-Encoding") {
            switch duplicateHeader {
            case .error:
                throw AsyncNetError(
                    .adaptationFailed,
                    "The request has a Content-Encoding already; set duplicateHeader to .replace or .skip")
            case .skip: return request
            case .replace: break
            }
        }
        var compressed = request
        compressed.head.headers.update(.contentEncoding(coding.name))
        // A body in memory is compressed now, which takes long if it is large.
        compressed.body = try await UserCode.run { try request.body.compressed(with: coding) }
        return compressed
    }
}

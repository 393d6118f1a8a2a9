public import AsyncNet
import Crypto
public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Signs requests with AWS Signature Version 4.
///
///     let signer = AWSRequestSigner(service: "dynamodb", region: "eu-central-1") {
///         try await metadata.credentials()
///     }
///     let session = Session(configuration: .init(interceptors: [RetryPolicy(), signer]))
///
/// Each attempt is signed anew, with the date of that time. Signed are the method, the path, the query, the body, and the
/// headers that the request has when the signer adapts it, with `Host`: put the signer behind the interceptors that
/// change requests. Not signed are headers that AsyncNet, a transport or a proxy sets or changes later: `User-Agent`,
/// `Accept-Encoding`, `Cookie`, `Expect`, `Content-Length`, those of a connection and those of traces; and the `Range`
/// of a download that is resumed. A redirect is followed with the signature of the first URL, which services refuse:
/// with `RequestOptions(redirects: .doNotFollow)` the response is the redirect itself.
///
/// For the services `s3`, `s3express`, `s3-outposts` and `s3-object-lambda` the path is signed as S3 requires, and the
/// hash of the body is sent as `X-Amz-Content-SHA256`.
public struct AWSRequestSigner: RequestAdapter {
    /// Whether the body is signed.
    public enum Payload: Sendable {
        /// The hash of the body is signed. A file, a form or a stream that can be made anew is read for it before it is
        /// sent; a body that can be read only once ends the request with `.invalidRequest`.
        case signed
        /// `UNSIGNED-PAYLOAD` stands for the hash: only TLS protects the body then. S3 accepts it, few others do.
        case unsigned
    }

    private let service: String
    private let region: String
    private let payload: Payload
    private let now: @Sendable () -> Date
    private let credentials: CredentialCache

    /// Creates a signer with credentials of a provider.
    ///
    /// The provider is asked when the first request needs credentials, and again when less than five minutes are left
    /// until their expiration: once for all requests, which wait for it. It may block its thread. If it fails while the
    /// credentials are still valid, these are used and the next request asks again; otherwise the requests that wait
    /// end with `.adaptationFailed`, or the provider's `AsyncNetError`.
    ///
    /// - Parameters:
    ///   - service: The service's name in the credential scope, such as `s3` or `execute-api`.
    ///   - region: The region, such as `eu-central-1`.
    ///   - payload: Whether the body is signed; it is by default.
    ///   - now: The time of signatures, and for the expiration of credentials; the system's by default.
    ///   - credentials: Gets credentials, without a session that has this signer.
    public init(
        service: String, region: String, payload: Payload = .signed,
        now: @escaping @Sendable () -> Date = { Date() },
        credentials: @escaping @Sendable () async throws -> AWSCredentials
    ) {
        self.service = service
        self.region = region
        self.payload = payload
        self.now = now
        self.credentials = CredentialCache(credentials)
    }

    /// Creates a signer with credentials that do not change.
    ///
    /// The other parameters are those of the initializer with a provider.
    public init(
        service: String, region: String, credentials: AWSCredentials, payload: Payload = .signed,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(service: service, region: region, payload: payload, now: now) { credentials }
    }

    public func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
        try await request.signed { try await adapt($0, context: context) }
    }

    public func adapt(_ request: TransportRequest, context: RequestContext) async throws -> TransportRequest {
        let date = now()
        let signing = Signing(
            credentials: try await credentials.credentials(at: date),
            scope: SigningScope(date: date, region: region, service: service))
        var signed = request
        try signing.sign(&signed.head, payload: try await payloadText(request.body))
        return signed
    }

    /// A URL with a signature in its query, with which anybody can send this request until it expires.
    ///
    /// The body is not signed for S3; for other services there must be none.
    ///
    /// - Parameters:
    ///   - url: The URL to sign.
    ///   - method: The method of the request; GET by default.
    ///   - headers: What the request must be sent with, such as `Content-Type`, besides `Host`. Empty by default.
    ///   - lifetime: How long the URL is valid: from a second to seven days, 15 minutes by default. It is not valid longer
    ///     than temporary credentials.
    /// - Throws: `.invalidRequest` for another lifetime, `.malformedURL` for a URL without a host, `.missingCredential`
    ///   with the provider's error underneath, `.cancelled`.
    public func presignedURL(
        for url: URL, method: HTTPMethod = .get, headers: HTTPHeaders = [:], lifetime: Duration = .seconds(900)
    ) async throws(AsyncNetError) -> URL {
        guard (1...604_800).contains(lifetime.components.seconds) else {
            throw AsyncNetError(.invalidRequest, "A presigned URL is valid for a second to seven days")
        }
        let date = now()
        let scope = SigningScope(date: date, region: region, service: service)
        let head = HTTPRequestHead(method: method, url: url, headers: headers)
        let signing = Signing(credentials: try await currentCredentials(date), scope: scope)
        return try signing.presigned(head, seconds: lifetime.components.seconds)
    }

    private func currentCredentials(_ date: Date) async throws(AsyncNetError) -> AWSCredentials {
        do { return try await credentials.credentials(at: date) } catch {
            throw AsyncNetError(error is CancellationError ? .cancelled : .missingCredential, underlyingError: error)
        }
    }

    private func payloadText(_ body: RequestBody) async throws -> String {
        switch payload {
        case .signed: try await body.digest(SHA256.self).hexadecimal
        case .unsigned: Signing.unsignedPayload
        }
    }
}

extension AWSRequestSigner: CustomStringConvertible, CustomReflectable {
    /// Service and region.
    public var description: String { "AWSRequestSigner for \(service) in \(region)" }

    /// Shown by `dump`; contains no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

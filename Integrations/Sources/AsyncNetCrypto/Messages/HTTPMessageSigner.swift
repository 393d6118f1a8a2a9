public import AsyncNet
import Crypto
public import Foundation
import RawStructuredFieldValues

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Signs requests with HTTP message signatures (RFC 9421).
///
///     let signer = HTTPMessageSigner(
///         key: .ed25519(key), keyID: "key-1", components: [.method, .targetURI, "content-type", "content-digest"])
///     let session = Session(configuration: .init(interceptors: [RetryPolicy(), signer]))
///
/// Each attempt is signed anew. Fields are covered as the request has them when the signer adapts it: put the signer
/// behind the interceptors that change requests. `content-length` and `host` are those that the transport will send; over
/// HTTP/2 there is no `host`, but `.authority` is the same.
/// Fields that AsyncNet adds later, such as those of a cookie jar, cannot be covered. A redirect is followed with the
/// signature of the first URL.
///
/// If `content-digest` is covered and the request has no such field, the signer adds it with SHA-256 (RFC 9530): a file,
/// a form or a stream that can be made anew is read for it before it is sent, and a body that can be read only once
/// ends the request with `.invalidRequest`.
///
/// A component that the request does not have ends it with `.adaptationFailed`.
public struct HTTPMessageSigner: RequestAdapter {
    private let key: SigningKey
    private let keyID: String?
    private let components: [SignatureComponent]
    private let label: String
    private let lifetime: Duration?
    private let tag: String?
    private let includesAlgorithm: Bool
    private let includesNonce: Bool
    private let now: @Sendable () -> Date

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - key: Signs. RSASSA-PSS with SHA-256 is no algorithm of RFC 9421 and ends requests with
    ///     `.invalidConfiguration`.
    ///   - keyID: Names the key for the server; `nil` for no name.
    ///   - components: What is signed, each once.
    ///   - label: Tells the request's signatures apart: lower-case letters, digits, `_-.*`; `sig1` by default.
    ///   - lifetime: How long the signature is valid, in whole seconds; `nil`, the default, if it does not say so.
    ///   - tag: Names the application that the signature is for; none by default.
    ///   - includesAlgorithm: Whether the signature names its algorithm; `false` by default, since the key tells it.
    ///   - includesNonce: Whether the signature has 16 random bytes, by which a server recognizes a request that was
    ///     recorded; `false` by default.
    ///   - now: The time of signatures; the system's by default.
    public init(
        key: SigningKey, keyID: String?, components: [SignatureComponent], label: String = "sig1",
        lifetime: Duration? = nil, tag: String? = nil, includesAlgorithm: Bool = false, includesNonce: Bool = false,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.key = key
        self.keyID = keyID
        self.components = components
        self.label = label
        self.lifetime = lifetime
        self.tag = tag
        self.includesAlgorithm = includesAlgorithm
        self.includesNonce = includesNonce
        self.now = now
    }

    public func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
        try await request.signed { try await adapt($0, context: context) }
    }

    public func adapt(_ request: TransportRequest, context: RequestContext) async throws -> TransportRequest {
        guard let algorithm = key.algorithm.messageName else {
            throw AsyncNetError(.invalidConfiguration, "RFC 9421 has no algorithm \(key.algorithm.name)")
        }
        var signed = request
        if covers("content-digest"), !signed.head.headers.contains(name: "Content-Digest") {
            let digest = Data(try await request.body.digest(SHA256.self)).base64EncodedString()
            signed.head.headers.add(name: "Content-Digest", value: "sha-256=:\(digest):")
        }
        let length = covers("content-length") ? request.body.length : nil
        do { try sign(&signed.head, contentLength: length, algorithm) } catch let failure as SignatureFailure {
            throw AsyncNetError(.adaptationFailed, failure.message)
        }
        return signed
    }

    private func covers(_ field: String) -> Bool { components.contains { $0.name == field } }

    private func sign(_ head: inout HTTPRequestHead, contentLength: Int64?, _ algorithm: String) throws {
        let message = SignedMessage(request: head, contentLength: contentLength)
        let base = try SignatureBase(components, parameters(algorithm), of: message)
        let bytes = RFC9651BareItem.undecodedByteSequence(try key.signature(for: base.bytes).base64EncodedString())
        let signature = Item(bareItem: bytes, parameters: [:])
        head.headers.add(name: "Signature-Input", value: try StructuredFields.text(of: [label: base.input]))
        head.headers.add(name: "Signature", value: try StructuredFields.text(of: [label: .item(signature)]))
    }

    private func parameters(_ algorithm: String) -> OrderedMap<String, RFC9651BareItem> {
        let created = Int64(now().timeIntervalSince1970)
        var parameters: OrderedMap<String, RFC9651BareItem> = ["created": .integer(created)]
        if let lifetime { parameters["expires"] = .integer(created + lifetime.components.seconds) }
        if let keyID { parameters["keyid"] = .string(keyID) }
        if includesAlgorithm { parameters["alg"] = .string(algorithm) }
        if includesNonce { parameters["nonce"] = .string(Self.nonce()) }
        if let tag { parameters["tag"] = .string(tag) }
        return parameters
    }

    private static func nonce() -> String {
        var random = SystemRandomNumberGenerator()
        return Data((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }).base64EncodedString()
    }
}

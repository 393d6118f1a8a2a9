public import AsyncNet
public import Foundation
import RawStructuredFieldValues

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Verifies HTTP message signatures of responses (RFC 9421).
///
///     let verifier = HTTPMessageVerifier(
///         key: .ed25519(serverKey), components: [.status, "content-digest", .method.ofRequest])
///     let user = try await session.request(url).validate(verifier.verify).serializing(User.self).value
///
/// A response is accepted if one of its signatures covers the components, is in time, and was made with the key. If that
/// signature covers `content-digest`, the body is compared with it: with SHA-256 and SHA-512 (RFC 9530). The digest is
/// that of the bytes that were sent, so request such responses with `Accept-Encoding: identity`. Not for downloads and
/// streams, whose body a validator does not have. A component of the request, such as `.method.ofRequest`, is that of the
/// last hop, without the fields that the transport has added.
public struct HTTPMessageVerifier: Sendable {
    private let components: [SignatureComponent]
    private let tag: String?
    private let maximumAge: Duration
    private let now: @Sendable () -> Date
    private let key: @Sendable (String?) -> VerificationKey?

    /// Creates a verifier that finds the key by its name.
    ///
    /// - Parameters:
    ///   - components: What a signature must cover; it may cover more. A structured field of a type that the
    ///     specifications of its name do not tell must be among them.
    ///   - tag: The tag that a signature must have; `nil`, the default, for any.
    ///   - maximumAge: How old a signature may be, five minutes by default. One that was made more than a minute in the
    ///     future is refused, and so is one that does not say when it was made.
    ///   - now: The time; the system's by default.
    ///   - key: The key of a signature with this `keyid`; `nil` if the name is not known.
    public init(
        components: [SignatureComponent], tag: String? = nil, maximumAge: Duration = .seconds(300),
        now: @escaping @Sendable () -> Date = { Date() },
        key: @escaping @Sendable (_ keyID: String?) -> VerificationKey?
    ) {
        self.components = components
        self.tag = tag
        self.maximumAge = maximumAge
        self.now = now
        self.key = key
    }

    /// Creates a verifier with one key, whatever its name in signatures.
    ///
    /// The other parameters are those of ``init(components:tag:maximumAge:now:key:)``.
    public init(
        key: VerificationKey, components: [SignatureComponent], tag: String? = nil,
        maximumAge: Duration = .seconds(300), now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(components: components, tag: tag, maximumAge: maximumAge, now: now) { _ in key }
    }

    /// Refuses a response without a valid signature, as a validator of a request does.
    ///
    /// - Throws: `.validationFailed`.
    public func verify(_ request: URLRequest, _ response: HTTPURLResponse, _ data: Data) throws(AsyncNetError) {
        guard let head = HTTPRequestHead(request) else {
            throw AsyncNetError(.validationFailed, "The request of the response has no URL")
        }
        let url = response.url ?? head.url
        try verify(RawResponse(requestHead: head, head: HTTPResponseHead(response, url: url), data: data))
    }

    /// Refuses a response without a valid signature, in a serializer.
    ///
    /// - Throws: `.validationFailed`.
    public func verify(_ response: RawResponse) throws(AsyncNetError) {
        do { try check(response) } catch let failure as SignatureFailure {
            throw AsyncNetError(.validationFailed, failure.message)
        } catch {
            throw AsyncNetError(.validationFailed, "The response's signature is malformed", underlyingError: error)
        }
    }

    /// Accepts the first signature that meets all requirements; otherwise the first failure is thrown.
    private func check(_ response: RawResponse) throws {
        let inputs = try StructuredFields.dictionary(response.head.value(for: "Signature-Input") ?? "")
        let signatures = try StructuredFields.dictionary(response.head.value(for: "Signature") ?? "")
        var failure: (any Error)?
        for (label, input) in inputs {
            do {
                guard let signature = signatures[label]?.bytes, case .innerList(let list) = input else {
                    throw SignatureFailure("The response's signature \(label) has no value or no list of components")
                }
                return try check(list, signature, response)
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? SignatureFailure("The response has no signature")
    }

    private func check(_ list: InnerList, _ signature: Data, _ response: RawResponse) throws {
        let covered = try list.bareInnerList.map { try component(of: $0) }
        if let missing = components.first(where: { !covered.contains($0) }) {
            throw SignatureFailure("The response's signature does not cover \(missing)")
        }
        let parameters = list.rfc9651Parameters
        try checkTimes(parameters)
        guard tag == nil || parameters["tag"]?.string == tag else {
            throw SignatureFailure("The response's signature has another tag")
        }
        let key = try key(for: parameters)
        let message = SignedMessage(request: response.requestHead, response: response.head)
        let base = try SignatureBase(covered, parameters, of: message)
        guard key.isValid(signature, of: base.bytes) else {
            throw SignatureFailure("The response's signature is not valid")
        }
        if covered.contains(where: { $0.name == "content-digest" && !$0.has("req") }) {
            try ContentDigest.check(response)
        }
    }

    /// A covered component, with the type that the caller knows.
    private func component(of item: Item) throws -> SignatureComponent {
        guard let name = item.rfc9651BareItem.string else {
            throw SignatureFailure("A component of the response's signature is no text")
        }
        let component = SignatureComponent(name, item.rfc9651Parameters)
        let type = components.first { $0 == component }?.type
        return SignatureComponent(name, item.rfc9651Parameters, type: type)
    }

    private func checkTimes(_ parameters: OrderedMap<String, RFC9651BareItem>) throws(SignatureFailure) {
        let now = now().timeIntervalSince1970
        guard let created = parameters["created"]?.integer else {
            throw SignatureFailure("The response's signature does not say when it was made")
        }
        let age = now - Double(created)
        guard age >= -60, age <= maximumAge / .seconds(1) else {
            throw SignatureFailure("The response's signature is too old, or was made in the future")
        }
        if let expires = parameters["expires"], expires.integer.map({ now >= Double($0) }) ?? true {
            throw SignatureFailure("The response's signature has expired")
        }
    }

    private func key(for parameters: OrderedMap<String, RFC9651BareItem>) throws(SignatureFailure) -> VerificationKey {
        guard let key = key(parameters["keyid"]?.string) else {
            throw SignatureFailure("The key of the response's signature is not known")
        }
        if let name = parameters["alg"], name.string != key.algorithm.messageName {
            throw SignatureFailure("The response's signature names another algorithm than its key has")
        }
        return key
    }
}

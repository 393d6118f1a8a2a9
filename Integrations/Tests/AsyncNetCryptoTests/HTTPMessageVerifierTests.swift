import AsyncNet
import AsyncNetTesting
import Crypto
import Foundation
import RawStructuredFieldValues
import Testing

@testable import AsyncNetCrypto

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("HTTP message signatures: verified responses", .timeLimit(.minutes(1)))
struct HTTPMessageVerifierTests {
    private static let created: Int64 = 1_618_884_473
    private static let body = Data(#"{"id": 1}"#.utf8)
    private static let digest = "sha-256=:\(Data(SHA256.hash(data: body)).base64EncodedString()):"

    /// A verifier whose time is that of the signatures and `age` seconds more.
    private static func verifier(
        _ components: [SignatureComponent] = [.status, "content-digest"], age: Double = 0, tag: String? = nil
    ) -> HTTPMessageVerifier {
        HTTPMessageVerifier(
            components: components, tag: tag, now: { Date(timeIntervalSince1970: Double(created) + age) },
            key: { $0 == "key-1" ? .ed25519(Keys.ed25519.publicKey) : nil })
    }

    private static let parameters: OrderedMap<String, RFC9651BareItem> = [
        "created": .integer(created), "keyid": .string("key-1"),
    ]

    /// The headers of a signed response.
    private static func signed(
        _ components: [SignatureComponent] = [.status, "content-digest"],
        _ parameters: OrderedMap<String, RFC9651BareItem> = parameters,
        headers: HTTPHeaders = [HTTPHeader(name: "Content-Digest", value: digest)], request: HTTPRequestHead = .example
    ) throws -> HTTPHeaders {
        let response = HTTPResponseHead(statusCode: 200, url: request.url, headers: headers)
        let base = try SignatureBase(components, parameters, of: SignedMessage(request: request, response: response))
        let signature = try SigningKey.ed25519(Keys.ed25519).signature(for: base.bytes).base64EncodedString()
        var signed = headers
        signed.add(name: "Signature-Input", value: try StructuredFields.text(of: ["sig1": base.input]))
        signed.add(name: "Signature", value: "sig1=:\(signature):")
        return signed
    }

    private static func response(_ headers: HTTPHeaders, _ data: Data = body, status: Int = 200) -> RawResponse {
        RawResponse(
            requestHead: .example,
            head: HTTPResponseHead(statusCode: status, url: HTTPRequestHead.example.url, headers: headers), data: data)
    }

    private static func message(of verify: () throws(AsyncNetError) -> Void) -> String? {
        do throws(AsyncNetError) { try verify() } catch {
            #expect(error.code == .validationFailed)
            return error.message
        }
        return nil
    }

    @Test("A request whose response is signed, together with the request's signature, is accepted")
    func roundTrip() async throws {
        let server = try await MockServer.start()
        let components: [SignatureComponent] = [
            .status, "content-digest", .method.ofRequest, .targetURI.ofRequest,
            .field("signature", .member("sig1")).ofRequest,
        ]
        await server.route("/users/1") { request in
            let head = HTTPRequestHead(
                method: request.method, url: server.url(request.target), headers: request.headers)
            return .data(Self.body, headers: try Self.signed(components, request: head))
        }
        let signer = HTTPMessageSigner(key: .hmacSHA256(Keys.shared), keyID: "a", components: [.method, .targetURI])
        let session = Session(configuration: .init(interceptors: [signer]))
        let verifier = Self.verifier(components)
        let json = try await session.request(server.url("/users/1")).validate(verifier.verify)
            .serializing(JSON.self).value
        #expect(json.id.int == 1)
        let other = Self.verifier(components + ["date"])
        let error = await session.request(server.url("/users/1")).validate(other.verify).serializing(JSON.self)
            .response.error
        #expect(error?.code == .validationFailed)
        #expect(error?.message == "The response's signature does not cover \"date\"")
        await server.stop()
    }

    @Test(
        "Times: five minutes old and a minute in the future are accepted, more is not",
        arguments: [
            (0.0, true), (300, true), (301, false), (-60, true), (-61, false),
        ])
    func ages(_ age: Double, _ isAccepted: Bool) throws {
        let response = Self.response(try Self.signed())
        let message = Self.message { () throws(AsyncNetError) in try Self.verifier(age: age).verify(response) }
        #expect(message == (isAccepted ? nil : "The response's signature is too old, or was made in the future"))
    }

    static let parameterCases: [(String, OrderedMap<String, RFC9651BareItem>, String?)] = [
        ("complete", ["alg": .string("ed25519"), "expires": .integer(created + 1)], nil),
        ("expired", ["expires": .integer(created)], "The response's signature has expired"),
        ("malformed expiry", ["expires": .string("never")], "The response's signature has expired"),
        (
            "other algorithm", ["alg": .string("hmac-sha256")],
            "The response's signature names another algorithm than its key has"
        ),
        (
            "algorithm of another type", ["alg": .token("ed25519")],
            "The response's signature names another algorithm than its key has"
        ),
        ("unknown key", ["keyid": .string("key-2")], "The key of the response's signature is not known"),
        ("no time", ["created": .string("x")], "The response's signature does not say when it was made"),
    ]

    @Test("Parameters of the signature", arguments: parameterCases)
    func checkedParameters(_ name: String, _ changes: OrderedMap<String, RFC9651BareItem>, _ expected: String?) throws {
        var parameters = Self.parameters
        for (key, value) in changes { parameters[key] = value }
        let response = Self.response(try Self.signed([.status, "content-digest"], parameters))
        #expect(Self.message { () throws(AsyncNetError) in try Self.verifier().verify(response) } == expected)
    }

    @Test("A signature with another tag is refused, one with the tag accepted")
    func tags() throws {
        var parameters = Self.parameters
        parameters["tag"] = .string("app")
        let response = Self.response(try Self.signed([.status, "content-digest"], parameters))
        #expect(Self.message { () throws(AsyncNetError) in try Self.verifier(tag: "app").verify(response) } == nil)
        #expect(
            Self.message { () throws(AsyncNetError) in try Self.verifier(tag: "b").verify(response) }
                == "The response's signature has another tag")
    }

    @Test("A changed status, body, digest or signature is refused; so is a response without a signature")
    func changes() throws {
        let headers = try Self.signed()
        func message(_ response: RawResponse) -> String? {
            Self.message { () throws(AsyncNetError) in try Self.verifier().verify(response) }
        }
        #expect(message(Self.response(headers)) == nil)
        #expect(message(Self.response(headers, status: 201)) == "The response's signature is not valid")
        #expect(message(Self.response(headers, Data())) == "The response's body is not that of its Content-Digest")
        var changed = headers
        changed["Content-Digest"] = "sha-256=:AAAA:"
        #expect(message(Self.response(changed)) == "The response's signature is not valid")
        changed = headers
        changed["Signature"] = "sig1=:AAAA:"
        #expect(message(Self.response(changed)) == "The response's signature is not valid")
        changed["Signature"] = "sig2=:AAAA:"
        #expect(message(Self.response(changed))?.contains("sig1 has no value") == true)
        changed["Signature"] = "=="
        #expect(message(Self.response(changed)) == "The response's signature is malformed")
        #expect(message(Self.response([:])) == "The response has no signature")
    }

    @Test("Another signature beside one that is refused is accepted")
    func several() throws {
        var headers = try Self.signed()
        headers["Signature-Input"] = "other=(\"date\");created=1, \(headers["Signature-Input"] ?? "")"
        #expect(
            Self.message { () throws(AsyncNetError) in try Self.verifier().verify(Self.response(headers)) } == nil)
    }

    @Test(
        "A digest is checked with SHA-256 and SHA-512; a field with neither is refused",
        arguments: [
            (digest, nil), ("md5=:AAAA:, \(digest)", nil),
            ("\(digest), sha-512=:AAAA:", "The response's body is not that of its Content-Digest"),
            ("md5=:AAAA:", "The response's Content-Digest has neither sha-256 nor sha-512"),
        ] as [(String, String?)])
    func digests(_ field: String, _ expected: String?) throws {
        let headers = try Self.signed(headers: [HTTPHeader(name: "Content-Digest", value: field)])
        #expect(
            Self.message { () throws(AsyncNetError) in try Self.verifier().verify(Self.response(headers)) } == expected)
    }

    @Test("A decoded body is said to be one")
    func decoded() throws {
        var headers = try Self.signed()
        headers["Content-Encoding"] = "gzip"
        let message = Self.message { () throws(AsyncNetError) in
            try Self.verifier().verify(Self.response(headers, Data()))
        }
        #expect(message?.hasSuffix("send Accept-Encoding: identity") == true)
    }

    @Test("A structured field has the type that the caller knows")
    func types() throws {
        let component = SignatureComponent.field("x-list", .structured(.list))
        let headers = try Self.signed([component], headers: ["X-List: a,b,   a"])
        func message(_ components: [SignatureComponent]) -> String? {
            Self.message { () throws(AsyncNetError) in
                try Self.verifier(components).verify(Self.response(headers))
            }
        }
        #expect(message([component]) == nil)
        #expect(message([]) == "The type of the structured field x-list is not known")
    }
}

extension HTTPRequestHead {
    fileprivate static let example = HTTPRequestHead(url: URL(string: "https://example.com/users/1")!)
}

import AsyncNet
import AsyncNetTesting
import Crypto
import Foundation
import RawStructuredFieldValues
import Testing

@testable import AsyncNetCrypto

@Suite("HTTP message signatures: signed requests", .timeLimit(.minutes(1)))
struct HTTPMessageSignerTests {
    private static let now = Date(timeIntervalSince1970: 1_618_884_473)

    private static func signer(_ components: [SignatureComponent], label: String = "sig1", tag: String? = nil)
        -> HTTPMessageSigner
    {
        HTTPMessageSigner(
            key: .ed25519(Keys.ed25519), keyID: "test-key-ed25519", components: components, label: label, tag: tag,
            now: { now })
    }

    @Test("A server verifies the signature of what it received, with length, host and digest of the body")
    func roundTrip() async throws {
        let server = try await MockServer.start()
        await server.enqueue(.text(""))
        let signer = Self.signer([
            .method, .targetURI, .authority, .queryParameter("q"), "host", "content-type", "content-length",
            "content-digest", "user-agent", .field("accept", .binaryWrapped),
        ])
        _ = try await Session(configuration: .init(interceptors: [signer])).request(
            server.url("/a%20b?q=1"), method: .post, parameters: ["name": "Ada"], headers: ["Accept: */*"]
        ).serializing(Data.self).value
        let seen = try await server.takeRequest()
        #expect(
            seen.headers["Content-Digest"] == "sha-256=:\(Data(SHA256.hash(data: seen.body)).base64EncodedString()):")
        #expect(try seen.isSigned("sig1", by: .ed25519(Keys.ed25519.publicKey)))
        await server.stop()
    }

    @Test("The signature of RFC 9421 B.2.6, with its parameters in order")
    func vector() async throws {
        let stub = StubTransport { _ in .text("") }
        let signer = Self.signer(
            ["Date", .method, .path, .authority, "content-type", "content-length"], label: "sig-b26")
        _ = try await Session(transport: stub, configuration: .init(interceptors: [signer])).upload(
            .data(Data(#"{"hello": "world"}"#.utf8)), to: "https://example.com/foo?param=Value&Pet=dog",
            headers: ["Date: Tue, 20 Apr 2021 02:07:55 GMT", "Content-Type: application/json"]
        ).serializing(Data.self).value
        let headers = try #require(stub.requests.first).headers
        #expect(
            headers["Signature-Input"]
                == #"sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519""#
        )
        #expect(
            headers["Signature"]
                == "sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:")
        #expect(!headers.contains(name: "Content-Digest"))
    }

    @Test("All parameters; each attempt has a nonce of its own")
    func parameters() async throws {
        let stub = StubTransport { _ in .fault(.resetBeforeHead) }
        let signer = HTTPMessageSigner(
            key: .hmacSHA256(Keys.shared), keyID: nil, components: [.method], lifetime: .seconds(60), tag: "app",
            includesAlgorithm: true, includesNonce: true, now: { Self.now })
        let retry = RetryPolicy(limit: 1, backoff: Backoff(scale: .zero))
        _ = await Session(transport: stub, configuration: .init(interceptors: [retry, signer]))
            .request("https://example.com/").serializing(Data.self).response
        let inputs = stub.requests.compactMap { $0.headers["Signature-Input"] }
        #expect(Set(inputs).count == 2)
        for input in inputs {
            #expect(
                input.wholeMatch(
                    of:
                        /sig1=\("@method"\);created=1618884473;expires=1618884533;alg="hmac-sha256";nonce="[A-Za-z0-9+\/=]{24}";tag="app"/
                ) != nil)
        }
    }

    @Test("Two signers sign with labels of their own, the second the first one's signature too")
    func twoSigners() async throws {
        let stub = StubTransport { _ in .text("") }
        let signers = [
            Self.signer([.method, .targetURI]), Self.signer([.field("signature", .member("sig1"))], label: "proxy"),
        ]
        _ = try await Session(transport: stub, configuration: .init(interceptors: signers))
            .request("https://example.com/").serializing(Data.self).value
        let seen = try #require(stub.requests.first)
        for label in ["sig1", "proxy"] {
            #expect(try seen.isSigned(label, by: .ed25519(Keys.ed25519.publicKey), isTLS: true))
        }
    }

    @Test("A digest that the request has already is signed as it is, and a body that can be read once is refused")
    func digests() async throws {
        let stub = StubTransport { _ in .text("") }
        let session = Session(
            transport: stub, configuration: .init(interceptors: [Self.signer([.method, "content-digest"])]))
        let body = RequestBody.stream(Chunks(["hello"]))
        _ = try await session.upload(
            body, to: "https://example.com/", headers: [HTTPHeader(name: "Content-Digest", value: requestDigest)]
        ).serializing(Data.self).value
        #expect(stub.requests.first?.headers["Content-Digest"] == requestDigest)
        let error = await session.upload(.stream(Chunks(["hello"])), to: "https://example.com/")
            .serializing(Data.self).response.error
        #expect(error?.code == .invalidRequest)
        #expect(stub.requests.count == 1)
    }

    @Test("What cannot be signed ends the request before it is sent")
    func refused() async throws {
        let stub = StubTransport { _ in .text("") }
        for (signer, code) in [
            (Self.signer(["x-missing"]), AsyncNetError.Code.adaptationFailed),
            (Self.signer([.status]), .adaptationFailed),
            (Self.signer([.method, .method]), .adaptationFailed),
            (Self.signer([.method], label: "No"), .adaptationFailed),
            (Self.signer([.method], tag: "é"), .adaptationFailed),
            (
                HTTPMessageSigner(key: .rsaPSSSHA256(Keys.rsa), keyID: nil, components: [.method]),
                .invalidConfiguration
            ),
        ] {
            let error = await Session(transport: stub, configuration: .init(interceptors: [signer]))
                .request("https://example.com/").serializing(Data.self).response.error
            #expect(error?.code == code)
        }
        #expect(stub.requests.isEmpty)
    }
}

extension RecordedRequest {
    /// Whether the signature with this label is one of what was received.
    func isSigned(_ label: String, by key: VerificationKey, isTLS: Bool = false) throws -> Bool {
        let url = try "\(isTLS ? "https" : "http")://\(headers["Host"] ?? "example.com")\(target)".asURL()
        let inputs = try StructuredFields.dictionary(headers["Signature-Input"] ?? "")
        let signatures = try StructuredFields.dictionary(headers["Signature"] ?? "")
        guard let input = inputs[label], let signature = signatures[label]?.bytes else { return false }
        let head = HTTPRequestHead(method: method, url: url, headers: headers)
        let base = try SignatureBase(input: try input.text, of: SignedMessage(request: head))
        return key.isValid(signature, of: base.bytes)
    }
}

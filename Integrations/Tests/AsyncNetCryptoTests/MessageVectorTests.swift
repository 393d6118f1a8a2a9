import AsyncNet
import Crypto
import CryptoExtras
import Foundation
import RawStructuredFieldValues
import Testing

@testable import AsyncNetCrypto

/// The messages and signatures of RFC 9421, appendix B.
@Suite("HTTP message signatures: vectors of RFC 9421")
struct MessageVectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        /// The covered components and the parameters, as in `Signature-Input`.
        let input: String
        let message: SignedMessage
        let key: VerificationKey
        let lines: [String]
        let signature: String

        var testDescription: String { name }
    }

    static let vectors: [Vector] = [
        Vector(
            name: "B.2.1, rsa-pss-sha512",
            input: #"();created=1618884473;keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yemd""#,
            message: .post, key: .rsaPSSSHA512(Keys.rsaPSS), lines: [],
            signature:
                "d2pmTvmbncD3xQm8E9ZV2828BjQWGgiwAaw5bAkgibUopemLJcWDy/lkbbHAve4cRAtx31Iq786U7it++wgGxbtRxf8Udx7zFZsckzXaJMkA7ChG52eSkFxykJeNqsrWH5S+oxNFlD4dzVuwe8DhTSja8xxbR/Z2cOGdCbzR72rgFWhzx2VjBqJzsPLMIQKhO4DGezXehhWwE56YCE+O6c0mKZsfxVrogUvA4HELjVKWmAvtl6UnCh8jYzuVG5WSb/QEVPnP5TmcAnLH1g+s++v6d4s8m0gCw1fV5/SITLq9mhho8K3+7EPYTU8IU1bLhdxO5Nyt8C8ssinQ98Xw9Q=="
        ),
        Vector(
            name: "B.2.2, rsa-pss-sha512, selected components",
            input:
                #"("@authority" "content-digest" "@query-param";name="Pet");created=1618884473;keyid="test-key-rsa-pss";tag="header-example""#,
            message: .post, key: .rsaPSSSHA512(Keys.rsaPSS),
            lines: [
                #""@authority": example.com"#, #""content-digest": \#(requestDigest)"#,
                #""@query-param";name="Pet": dog"#,
            ],
            signature:
                "LjbtqUbfmvjj5C5kr1Ugj4PmLYvx9wVjZvD9GsTT4F7GrcQEdJzgI9qHxICagShLRiLMlAJjtq6N4CDfKtjvuJyE5qH7KT8UCMkSowOB4+ECxCmT8rtAmj/0PIXxi0A0nxKyB09RNrCQibbUjsLS/2YyFYXEu4TRJQzRw1rLEuEfY17SARYhpTlaqwZVtR8NV7+4UKkjqpcAoFqWFQh62s7Cl+H2fjBSpqfZUJcsIk4N6wiKYd4je2U/lankenQ99PZfB4jY3I5rSV2DSBVkSFsURIjYErOs0tFTQosMTAoxk//0RoKUqiYY8Bh0aaUEb0rQl3/XaVe4bXTugEjHSw=="
        ),
        Vector(
            name: "B.2.3, rsa-pss-sha512, full coverage",
            input:
                #"("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-rsa-pss""#,
            message: .post, key: .rsaPSSSHA512(Keys.rsaPSS),
            lines: [
                #""date": Tue, 20 Apr 2021 02:07:55 GMT"#, #""@method": POST"#, #""@path": /foo"#,
                #""@query": ?param=Value&Pet=dog"#, #""@authority": example.com"#,
                #""content-type": application/json"#, #""content-digest": \#(requestDigest)"#,
                #""content-length": 18"#,
            ],
            signature:
                "bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yBiMIRGOnMYwZ/5MR6fb0Kh1rIRASVxFkeGt683+qRpRRU5p2voTp768ZrCUb38K0fUxN0O0iC59DzYx8DFll5GmydPxSmme9v6ULbMFkl+V5B1TP/yPViV7KsLNmvKiLJH1pFkh/aYA2HXXZzNBXmIkoQoLd7YfW91kE9o/CCoC1xMy7JA1ipwvKvfrs65ldmlu9bpG6A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61ka39VBrohr9iyMUJpvRX2Zbhl5ZJzSRxpJyoEZAFL2FUo5fTIztsDZKEgM4cUA=="
        ),
        Vector(
            name: "B.2.4, ecdsa-p256-sha256, response",
            input:
                #"("@status" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-ecc-p256""#,
            message: .reply, key: .ecdsaP256SHA256(Keys.p256),
            lines: [
                #""@status": 200"#, #""content-type": application/json"#, #""content-digest": \#(responseDigest)"#,
                #""content-length": 23"#,
            ],
            signature: "wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw=="),
        Vector(
            name: "B.2.5, hmac-sha256",
            input: #"("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret""#,
            message: .post, key: .hmacSHA256(Keys.shared),
            lines: [
                #""date": Tue, 20 Apr 2021 02:07:55 GMT"#, #""@authority": example.com"#,
                #""content-type": application/json"#,
            ],
            signature: "pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8="),
        Vector(
            name: "B.2.6, ed25519",
            input:
                #"("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519""#,
            message: .post, key: .ed25519(Keys.ed25519.publicKey),
            lines: [
                #""date": Tue, 20 Apr 2021 02:07:55 GMT"#, #""@method": POST"#, #""@path": /foo"#,
                #""@authority": example.com"#, #""content-type": application/json"#, #""content-length": 18"#,
            ],
            signature: "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=="),
        Vector(
            name: "B.3, ecdsa-p256-sha256, proxy",
            input:
                #"("@path" "@query" "@method" "@authority" "client-cert");created=1618884473;keyid="test-key-ecc-p256""#,
            message: .proxied, key: .ecdsaP256SHA256(Keys.p256),
            lines: [
                #""@path": /foo"#, #""@query": ?param=Value&Pet=dog"#, #""@method": POST"#,
                #""@authority": service.internal.example"#, #""client-cert": \#(certificate)"#,
            ],
            signature: "xVMHVpawaAC/0SbHrKRs9i8I3eOs5RtTMGCWXm/9nvZzoHsIg6Mce9315T6xoklyy0yzhD9ah4JHRwMLOgmizw=="),
        Vector(
            name: "B.4, ed25519, transformed",
            input: #"("@method" "@path" "@authority" "accept");created=1618884473;keyid="test-key-ed25519""#,
            message: .transformed, key: .ed25519(Keys.ed25519.publicKey),
            lines: [
                #""@method": GET"#, #""@path": /demo"#, #""@authority": example.org"#,
                #""accept": application/json, */*"#,
            ],
            signature: "ZT1kooQsEHpZ0I1IjCqtQppOmIqlJPeo7DHR3SoMn0s5JZ1eRGS0A+vyYP9t/LXlh5QMFFQ6cpLt2m0pmj3NDA=="),
    ]

    @Test("The signature base is that of the RFC, and its signature is valid", arguments: vectors)
    func verified(_ vector: Vector) throws {
        let base = try SignatureBase(input: vector.input, of: vector.message)
        let lines = vector.lines + ["\"@signature-params\": \(vector.input)"]
        #expect(base.text == lines.joined(separator: "\n"))
        let signature = try #require(Data(base64Encoded: vector.signature))
        #expect(vector.key.isValid(signature, of: base.bytes))
        #expect(!vector.key.isValid(signature, of: base.bytes + [0x0A]))
    }

    @Test("Deterministic algorithms make the signatures of the RFC")
    func signed() throws {
        for (vector, key) in [
            (Self.vectors[4], SigningKey.hmacSHA256(Keys.shared)), (Self.vectors[5], .ed25519(Keys.ed25519)),
        ] {
            let base = try SignatureBase(input: vector.input, of: vector.message)
            #expect(try key.signature(for: base.bytes).base64EncodedString() == vector.signature)
        }
    }

    static let pairs: [(SigningKey, VerificationKey)] = [
        (.hmacSHA256(Keys.shared), .hmacSHA256(Keys.shared)),
        (.ed25519(Keys.ed25519), .ed25519(Keys.ed25519.publicKey)),
        (.ecdsaP256SHA256(Keys.privateP256), .ecdsaP256SHA256(Keys.privateP256.publicKey)),
        (.rsaPSSSHA512(Keys.rsa), .rsaPSSSHA512(Keys.rsa.publicKey)),
        (.rsaV15SHA256(Keys.rsa), .rsaV15SHA256(Keys.rsa.publicKey)),
    ]

    @Test("What each algorithm signs, it verifies; nothing else, and no signature of another length")
    func roundTrip() throws {
        let bytes = Data("message".utf8)
        for (key, publicKey) in Self.pairs {
            let signature = try key.signature(for: bytes)
            #expect(publicKey.isValid(signature, of: bytes), "\(key)")
            #expect(!publicKey.isValid(signature, of: Data("Message".utf8)), "\(key)")
            #expect(!publicKey.isValid(signature.dropLast(), of: bytes), "\(key)")
            #expect(!publicKey.isValid(Data(), of: bytes), "\(key)")
        }
    }

    @Test("A description has no key")
    func descriptions() {
        for (key, publicKey) in Self.pairs {
            var text = "\(key) \(publicKey) \(String(reflecting: key))"
            dump(key, to: &text)
            dump(publicKey, to: &text)
            #expect(text.contains("a key for \(key.algorithm.name)"))
            #expect(text.count < 400)
        }
    }
}

let requestDigest =
    "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:"
let responseDigest =
    "sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:"
private let certificate =
    ":MIIBqDCCAU6gAwIBAgIBBzAKBggqhkjOPQQDAjA6MRswGQYDVQQKDBJMZXQncyBBdXRoZW50aWNhdGUxGzAZBgNVBAMMEkxBIEludGVybWVkaWF0ZSBDQTAeFw0yMDAxMTQyMjU1MzNaFw0yMTAxMjMyMjU1MzNaMA0xCzAJBgNVBAMMAkJDMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8YnXXfaUgmnMtOXU/IncWalRhebrXmckC8vdgJ1p5Be5F/3YC8OthxM4+k1M6aEAEFcGzkJiNy6J84y7uzo9M6NyMHAwCQYDVR0TBAIwADAfBgNVHSMEGDAWgBRm3WjLa38lbEYCuiCPct0ZaSED2DAOBgNVHQ8BAf8EBAMCBsAwEwYDVR0lBAwwCgYIKwYBBQUHAwIwHQYDVR0RAQH/BBMwEYEPYmRjQGV4YW1wbGUuY29tMAoGCCqGSM49BAMCA0gAMEUCIBHda/r1vaL6G3VliL4/Di6YK0Q6bMjeSkC3dFCOOB8TAiEAx/kHSB4urmiZ0NX5r5XarmPk0wmuydBVoU4hBVZ1yhk=:"

extension SignatureBase {
    /// - Parameter input: As a member of `Signature-Input`.
    init(input: String, of message: SignedMessage) throws {
        let member = try StructuredFields.dictionary("sig=\(input)")["sig"]
        guard case .innerList(let list) = member else { throw SignatureFailure("no list") }
        let components = list.bareInnerList.map {
            SignatureComponent($0.rfc9651BareItem.string ?? "", $0.rfc9651Parameters)
        }
        try self.init(components, list.rfc9651Parameters, of: message)
    }
}

extension SignedMessage {
    static let post = SignedMessage(
        request: HTTPRequestHead(
            method: .post, url: URL(string: "https://example.com/foo?param=Value&Pet=dog")!,
            headers: [
                "Host: example.com", "Date: Tue, 20 Apr 2021 02:07:55 GMT", "Content-Type: application/json",
                HTTPHeader(name: "Content-Digest", value: requestDigest), "Content-Length: 18",
            ]))

    static let reply = SignedMessage(
        request: post.request,
        response: HTTPResponseHead(
            statusCode: 200, url: post.request.url,
            headers: [
                "Date: Tue, 20 Apr 2021 02:07:56 GMT", "Content-Type: application/json",
                HTTPHeader(name: "Content-Digest", value: responseDigest), "Content-Length: 23",
            ]))

    fileprivate static let proxied = SignedMessage(
        request: HTTPRequestHead(
            method: .post, url: URL(string: "https://service.internal.example/foo?param=Value&Pet=dog")!,
            headers: [HTTPHeader(name: "Client-Cert", value: certificate)]))

    fileprivate static let transformed = SignedMessage(
        request: HTTPRequestHead(
            url: URL(string: "https://example.org/demo?name1=Value1&Name2=value2")!,
            headers: ["Accept: application/json", "Accept: */*"]))
}

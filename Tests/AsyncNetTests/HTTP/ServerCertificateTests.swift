import Foundation
import Testing

@testable import AsyncNet

@Suite("Certificates", .timeLimit(.minutes(30)))
struct ServerCertificateTests {
    /// Made with openssl.
    static let pem = """
        -----BEGIN CERTIFICATE-----
        MIIB9TCCAZygAwIBAgIBATAKBggqhkjOPQQDAjA/MQswCQYDVQQGEwJTRTEaMBgG
        A1UECgwRUsOka3Ntw7ZyZ8OlcywgQUIxFDASBgNVBAMMC2V4YW1wbGUuY29tMCAX
        DTI2MDEwMjAzMDQwNVoYDzIwNTYwMTAyMDMwNDA1WjA/MQswCQYDVQQGEwJTRTEa
        MBgGA1UECgwRUsOka3Ntw7ZyZ8OlcywgQUIxFDASBgNVBAMMC2V4YW1wbGUuY29t
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEDVFG5Kd162/dM0EBfBjM+01XyJrm
        8SvOHndyXYIVBOS+TOH9tIEt+tgXla4YeSxQDfCcdjApPc+03AUKUNzQL6OBhjCB
        gzBiBgNVHREEWzBZggtleGFtcGxlLmNvbYINKi5leGFtcGxlLmNvbYcEwAACAYcQ
        IAENuAAAAAAAAAAAAAAAAYYUaHR0cHM6Ly9leGFtcGxlLmNvbS+BDWFAZXhhbXBs
        ZS5jb20wHQYDVR0OBBYEFKVCvoFrrZS8tMTNxQUb3cdtDZPJMAoGCCqGSM49BAMC
        A0cAMEQCIC6q1srPdcr2hF1vOizzuXbYIIoFxjkCcENLvW/aE9lqAiAIyLoaDqVj
        GogCWQISw3QP3XwEDw0fKgHsOXWcN58GBA==
        -----END CERTIFICATE-----

        """
    /// What openssl computes.
    static let pin = "sha256//bDjTRoqjBWtQ0LJw4XcN6ZSwa6iOWEDXZXeWjtHMZtg="

    private var der: Data { get throws { try #require(PEM.firstCertificate(in: Data(Self.pem.utf8))) } }

    @Test("A certificate chain is empty if the server's own certificate cannot be parsed")
    func chain() throws {
        let broken = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
        #expect(ServerCertificate.chain([broken, Self.pem]) == [])
        #expect(ServerCertificate.chain([Self.pem, broken, Self.pem]).count == 2)
        #expect(ServerCertificate.chain([]) == [])
    }

    @Test("The fields of a parsed certificate are those that openssl shows")
    func fields() throws {
        let certificate = try ServerCertificate(Data(Self.pem.utf8))
        #expect(certificate.subject == #"CN=example.com,O=Räksmörgås\, AB,C=SE"#)
        #expect(certificate.issuer == certificate.subject)
        #expect(certificate.notBefore == Date(timeIntervalSince1970: 1_767_323_045))
        #expect(certificate.notAfter == Date(timeIntervalSince1970: 2_714_007_845))
        #expect(
            certificate.subjectAlternativeNames == [
                "DNS:example.com", "DNS:*.example.com", "IP:192.0.2.1", "IP:2001:db8::1", "URI:https://example.com/",
                "email:a@example.com",
            ])
        #expect(certificate.pin == Self.pin)
        #expect(certificate.pem == Self.pem)
    }

    @Test("A certificate in DER equals the same one in PEM, even with other text or keys around the PEM")
    func forms() throws {
        let expected = try ServerCertificate(Data(Self.pem.utf8))
        #expect(try ServerCertificate(der) == expected)
        let key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
        let windows = Self.pem.replacing("\n", with: "\r\n")
        #expect(try ServerCertificate(Data("subject: x\n\(key)\(windows)\(Self.pem)".utf8)) == expected)
        #expect(try ServerCertificate((Data([1, 2]) + der).dropFirst(2)) == expected)
        #expect(TLSConfiguration.pin(of: Self.pem) == Self.pin)
        #expect(try TLSConfiguration.pin(of: der) == Self.pin)
    }

    @Test(
        "Data that is not a certificate is an error that shows none of the data",
        arguments: [
            "", "hunter2", "-----BEGIN PRIVATE KEY-----\nhunter2=\n-----END PRIVATE KEY-----",
            "-----BEGIN CERTIFICATE-----\nhunter2\n",
            "-----BEGIN CERTIFICATE-----\nhunter2!\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
            "-----END CERTIFICATE----------BEGIN CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----",
        ])
    func refused(_ text: String) throws {
        let error = #expect(throws: AsyncNetError.self) { try ServerCertificate(Data(text.utf8)) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.description.contains("hunter2") == false)
        let tls = TLSConfiguration(pins: [TLSConfiguration.pin(of: text)])
        let refusal = #expect(throws: AsyncNetError.self) { try tls.validate() }
        #expect(refusal?.code == .invalidConfiguration)
        #expect(refusal?.message.contains("The certificate cannot be read as PEM or DER") == true)
        #expect(refusal?.message.contains("hunter2") == false)
    }

    @Test("The description of a certificate has its main fields, and at most four alternative names")
    func description() throws {
        let text = "\(try ServerCertificate(Data(Self.pem.utf8)))"
        #expect(
            text == #"CN=example.com,O=Räksmörgås\, AB,C=SE, issued by CN=example.com,O=Räksmörgås\, AB,C=SE, "#
                + "valid from 2026-01-02T03:04:05Z to 2056-01-02T03:04:05Z, for DNS:example.com, DNS:*.example.com, "
                + "IP:192.0.2.1, IP:2001:db8::1 and 2 more")
    }

    @Test("A certificate that is cut at any byte, or has a byte after its end, is not parsed")
    func prefixes() throws {
        let der = try der
        for count in 0..<der.count where (try? ServerCertificate(der.prefix(count))) != nil { Issue.record("\(count)") }
        #expect(AsyncNetError.code { _ = try ServerCertificate(der + [0]) } == .invalidConfiguration)
    }

    @Test("Changed certificates never trap the parser, and have short descriptions and subjects of one line")
    func fuzz() throws {
        let der = Array(try der)
        var random = Fuzzing.random(18)
        var readable = 0
        for _ in 0..<Fuzzing.inputs(20_000) {
            var bytes = der
            for _ in 0..<Int.random(in: 1...6, using: &random) { Self.change(&bytes, &random) }
            guard let certificate = try? ServerCertificate(Data(bytes)) else { continue }
            readable += 1
            if certificate.description.count > 600 || certificate.subject.contains(where: \.isNewline) {
                Issue.record("\(Data(bytes).base64EncodedString())")
            }
        }
        // Otherwise the changes would only test the first check.
        #expect(readable > 100)
    }

    private static func change(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        guard let index = bytes.indices.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes.remove(at: index)
        case 1: bytes.insert(.random(in: 0...255, using: &random), at: index)
        case 2: bytes[index] = [0x00, 0x80, 0x81, 0x84, 0xFF].randomElement(using: &random) ?? 0
        case 3: bytes.removeSubrange(index...)
        default: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
    }
}

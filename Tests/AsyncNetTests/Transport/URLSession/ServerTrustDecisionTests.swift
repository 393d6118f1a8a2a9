import Foundation
import Testing

@testable import AsyncNet

/// What the delegate of URLSession on Apple platforms decides with; only the platform's own evaluation is not run here.
@Suite("Trust over URLSession")
struct ServerTrustDecisionTests {
    private typealias Evaluation = ServerTrustDecision.Evaluation
    private static let pem = ServerCertificateTests.pem
    private static let otherPin = "sha256//AbCdEfGhIjKlMnOpQrStUvWxYz0123456789+/ABCDE="

    private var der: Data { get throws { try #require(PEM.firstCertificate(in: Data(Self.pem.utf8))) } }

    private func decision(_ tls: TLSConfiguration) -> ServerTrustDecision {
        ServerTrustDecision(tls: tls, host: "api.example.com")
    }

    @Test(
        "The platform's evaluation uses the settings' anchors, and checks host name and stapled status if they say so")
    func evaluations() throws {
        let two = Self.pem + "between\n" + Self.pem
        let table: [(TLSConfiguration, Evaluation?)] = [
            (.init(), Evaluation(hostName: "api.example.com")),
            (.init(pins: [Self.otherPin]), Evaluation(hostName: "api.example.com")),
            (.init(verifiesHostName: false), Evaluation()),
            (.init(requiresStapledStatus: true), Evaluation(hostName: "api.example.com", requiresStapledStatus: true)),
            (.init(trust: .anchors([two])), Evaluation(anchors: [try der, try der], hostName: "api.example.com")),
            (.init(trust: .anchors([try der])), Evaluation(anchors: [try der], hostName: "api.example.com")),
            (.init(trust: .disabled), nil),
            (.init(trust: .disabled, pins: [Self.otherPin]), nil),
            (
                .init(trust: .disabled, requiresStapledStatus: true),
                Evaluation(hostName: "api.example.com", requiresStapledStatus: true)
            ),
        ]
        for (tls, expected) in table { #expect(try decision(tls).evaluation() == expected, "\(tls)") }
    }

    @Test("The anchors of the evaluation are read from their file")
    func anchorsOfFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pem")
        try Data(Self.pem.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try decision(.init(trust: .anchors(file: file))).evaluation()?.anchors == [try der])
    }

    @Test(
        "Anchors that cannot be read are .invalidConfiguration",
        arguments: [
            TLSConfiguration.Trust.anchors(file: URL(filePath: "/nonexistent.pem")),
            .anchors(["-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n"]),
            .anchors([pem + "-----BEGIN CERTIFICATE-----\n=A=\n-----END CERTIFICATE-----\n"]),
            .anchors([pem + "-----BEGIN CERTIFICATE-----\nMAA="]),
        ])
    func unreadableAnchors(_ trust: TLSConfiguration.Trust) throws {
        let error = #expect(throws: AsyncNetError.self) { try decision(.init(trust: trust)).evaluation() }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test("With TLSConfiguration.refused the evaluation throws .certificateNotTrusted")
    func refused() {
        let error = #expect(throws: AsyncNetError.self) { try decision(.refused).evaluation() }
        #expect(error?.code == .certificateNotTrusted)
    }

    @Test("A server with none of the pins leads to .certificatePinMismatch although the platform trusts it")
    func pins() throws {
        let chain = [try der]
        #expect(decision(.init()).error(chain, nil) == nil)
        #expect(decision(.init(pins: [Self.otherPin, ServerCertificateTests.pin])).error(chain, nil) == nil)
        let error = try #require(decision(.init(trust: .disabled, pins: [Self.otherPin])).error(chain, nil))
        #expect(error.code == .certificatePinMismatch)
        #expect(error.serverTrust?.expectedPins == [Self.otherPin])
        #expect(error.serverTrust?.pin == ServerCertificateTests.pin)
        #expect(error.message.contains(ServerCertificateTests.pin))
    }

    @Test("The server's certificate alone is compared with the pins, and no pin matches if it is unreadable")
    func pinsOfOthers() throws {
        let tls = TLSConfiguration(pins: [ServerCertificateTests.pin])
        #expect(decision(tls).error([], nil)?.code == .certificatePinMismatch)
        #expect(decision(tls).error([Data([0x30, 0]), try der], nil)?.code == .certificatePinMismatch)
    }

    @Test("The platform's error is returned with the server's certificate, whether or not a pin matches")
    func failures() throws {
        for tls in [TLSConfiguration(), .init(pins: [ServerCertificateTests.pin])] {
            let error = try #require(decision(tls).error([try der], AsyncNetError(.certificateExpired)))
            #expect(error.code == .certificateExpired)
            #expect(error.serverTrust?.certificates.map(\.pin) == [ServerCertificateTests.pin])
            #expect(error.serverTrust?.expectedPins == [])
        }
    }
}

import Foundation
import Testing

@testable import AsyncNet

@Suite("WebSocket: pings of one connection")
struct WebSocketLinkTests {
    private let link: WebSocketLink
    private let connection = PipedConnection(onWork: {})

    init() {
        let url = URL(string: "http://a.example/")!
        link = WebSocketLink(
            UpgradeTransport.Upgraded(connection: connection, received: Data()),
            HTTPResponseHead(statusCode: 101, url: url), WebSocketAgreement(subprotocol: nil, compression: nil),
            WebSocketOptions(), ConnectionEvents(.webSocket, Session().environment.events))
    }

    private func payload(_ number: UInt64) -> Data { withUnsafeBytes(of: number.bigEndian) { Data($0) } }

    @Test("A pong ends the wait for its ping and all earlier pings, each with its own round-trip time")
    func answers() async throws {
        let answers = [Promise<Duration>(), Promise(), Promise()]
        for (number, answer) in answers.enumerated() { try link.sendPing(at: .seconds(number), answer) }
        link.receivePong(payload(2), at: .seconds(10))
        #expect(try await answers[0].value() == .seconds(10))
        #expect(try await answers[1].value() == .seconds(9))
        link.receivePong(payload(9), at: .seconds(11))
        link.failPings(AsyncNetError(.connectionLost))
        let code = await AsyncNetError.code { _ = try await answers[2].value() }
        #expect(code == .connectionLost)
    }

    @Test("A later pong does not fulfil a ping whose task was cancelled")
    func forgets() async throws {
        let (forgotten, kept) = (Promise<Duration>(), Promise<Duration>())
        try link.sendPing(at: .zero, forgotten)
        try link.sendPing(at: .zero, kept)
        link.forgetPing(forgotten)
        link.receivePong(payload(2), at: .seconds(1))
        #expect(!forgotten.isFulfilled)
        #expect(try await kept.value() == .seconds(1))
    }

    @Test("Automatic pings without a pong are counted until bytes arrive")
    func missed() async throws {
        #expect(link.missedPongs == 0)
        for _ in 0..<3 { try link.sendPing(at: .zero, nil) }
        try link.sendPing(at: .zero, Promise())
        #expect(link.missedPongs == 3)
        connection.didReceive(Data([0x81]))
        try await link.receive()
        #expect(link.missedPongs == 0)
    }
}

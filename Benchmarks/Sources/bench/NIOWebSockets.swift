import ArgumentParser
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket

/// SwiftNIO's WebSocket, which websocket-kit is a layer over, with its async channel.
struct NIOWebSockets: WebSocketClient {
    let name = "NIOWebSocket"
    let certificate: URL

    private typealias Frames = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

    func perform(_ exchange: WebSocketExchange) async throws -> Double {
        guard let frames = try await open(exchange.url) else { throw ValidationError("no upgrade to a WebSocket") }
        var received = 0
        let seconds = try await Measurement.of { received = try await talk(frames, exchange) }.seconds
        try exchange.check(received)
        return seconds
    }

    private func open(_ url: String) async throws -> Frames? {
        guard let url = URLComponents(string: url), let port = url.port else { throw ValidationError("\(url)?") }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(certificate.path)
        let context = url.scheme == "wss" ? try NIOSSLContext(configuration: configuration) : nil
        let upgrade = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: context, serverHostname: nil))
                    }
                    return try Self.upgrade(channel, url.path, port)
                }
            }
        return try await upgrade.get()
    }

    private static func upgrade(_ channel: any Channel, _ path: String, _ port: Int) throws -> EventLoopFuture<Frames?>
    {
        let upgrader = NIOTypedWebSocketClientUpgrader<Frames?>(
            maxFrameSize: 1 << 24,
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture { try Frames(wrappingChannelSynchronously: channel) }
            })
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: path, headers: ["Host": "127.0.0.1:\(port)"])
        var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration<Frames?>(
                upgradeRequestHead: head, upgraders: [upgrader],
                notUpgradingCompletionHandler: { $0.eventLoop.makeSucceededFuture(nil) }))
        // By default frames that arrive with the response are dropped.
        configuration.leftOverBytesStrategy = .forwardBytes
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(configuration: configuration)
    }

    private func talk(_ frames: Frames, _ exchange: WebSocketExchange) async throws -> Int {
        try await frames.executeThenClose { inbound, outbound in
            var iterator = inbound.makeAsyncIterator()
            var received = 0
            if exchange.way == .echo {
                for _ in 0..<exchange.count {
                    try await outbound.write(Self.frame(exchange.text))
                    if try await iterator.next().map(Self.text)?.utf8.count == exchange.size { received += 1 }
                }
            } else {
                let text = exchange.text
                for _ in 0..<(exchange.way == .send ? exchange.count : 0) { try await outbound.write(Self.frame(text)) }
                while let frame = try await iterator.next(), frame.opcode == .text {
                    _ = Self.text(frame)
                    received += 1
                }
            }
            try await outbound.write(
                WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: ByteBuffer()))
            return received
        }
    }

    private static func frame(_ text: String) -> WebSocketFrame {
        WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(string: text))
    }

    private static func text(_ frame: WebSocketFrame) -> String { String(buffer: frame.unmaskedData) }

    func shutdown() async {}
}

import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetLibcurl

/// Whether the system asks silent peers if they are still there: read from the sockets, without waiting for it.
@Suite("TCP keepalive", .timeLimit(.minutes(5)))
struct TCPKeepAliveTests {
    /// The options of the sockets that are connected to a port: that of the test, and perhaps one of another test whose server
    /// had the same port before.
    private func options(ofConnectionsTo port: Int) -> [[Int32]] {
        (0..<Int32(getdtablesize())).filter { Self.peer(of: $0) == port }.map { socket in
            let isOn = Self.option(SO_KEEPALIVE, SOL_SOCKET, of: socket)
            guard isOn != 0 else { return [] }
            #if canImport(Darwin)
                let idle = TCP_KEEPALIVE
            #else
                let idle = TCP_KEEPIDLE
            #endif
            return [idle, TCP_KEEPINTVL].map { Self.option($0, Int32(IPPROTO_TCP), of: socket) }
        }
    }

    private static func peer(of socket: Int32) -> Int? {
        var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &size) }
        }
        return result == 0 && Int32(address.sin_family) == AF_INET ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }

    private static func option(_ name: Int32, _ level: Int32, of socket: Int32) -> Int32 {
        var (value, size) = (Int32(-1), socklen_t(MemoryLayout<Int32>.size))
        return getsockopt(socket, level, name, &value, &size) == 0 ? value : -1
    }

    private static let settings: [(LibcurlTransport.Configuration, [Int32])] = [
        (.init(), [60, 60]),
        (.init(tcpKeepAlive: .seconds(7)), [7, 7]),
        (.init(tcpKeepAlive: .milliseconds(1500)), [2, 2]),
        (.init(tcpKeepAlive: nil), []),
    ]

    @Test("The connection of a request has the configuration's TCP keepalive", arguments: settings)
    func request(_ configuration: LibcurlTransport.Configuration, _ expected: [Int32]) async throws {
        try await withServer(.text("a")) { (server: MockServer) async throws in
            let session = Session(transport: .libcurl(configuration))
            _ = try await session.request(server.url()).serializing(String.self).value
            #expect(options(ofConnectionsTo: try #require(server.url().port)).contains(expected))
        }
    }

    @Test("A raw stream has the configuration's TCP keepalive", arguments: settings)
    func stream(_ configuration: LibcurlTransport.Configuration, _ expected: [Int32]) async throws {
        let server = try await MockServer.start()
        let port = try #require(server.url().port)
        let session = Session(transport: .sockets(.init(tcpKeepAlive: configuration.tcpKeepAlive)))
        let connection = try await session.connect(to: "127.0.0.1", port: port, tls: .none)
        #expect(options(ofConnectionsTo: port).contains(expected))
        await connection.close()
        await server.stop()
    }

    @Test("A WebSocket has the configuration's TCP keepalive", arguments: settings)
    func webSocket(_ configuration: LibcurlTransport.Configuration, _ expected: [Int32]) async throws {
        let server = try await MockServer.start()
        server.on(nil, "/", replies: .webSocket(.echo))
        let socket = Session(transport: .sockets(.init(tcpKeepAlive: configuration.tcpKeepAlive))).webSocket(
            server.url())
        _ = try await socket.ping()
        #expect(options(ofConnectionsTo: try #require(server.url().port)).contains(expected))
        try await socket.close()
        await server.stop()
    }

    @Test(
        "A tcpKeepAlive of zero, below zero or above 32,767 seconds is .invalidConfiguration",
        arguments: [Duration.zero, .seconds(-1), .milliseconds(32_767_001)])
    func invalid(_ time: Duration) async throws {
        let session = Session(transport: .libcurl(.init(tcpKeepAlive: time)))
        let error = await session.request("http://127.0.0.1:1/").serializing(String.self).result.failure
        #expect(error?.code == .invalidConfiguration)
    }
}

import AsyncNetTesting
import CAsyncNetLibcurl
import Foundation
import Testing

@testable import AsyncNet

/// What is known of a connection by the port that it has on this side.
@Suite("Connections' sockets")
struct ConnectionSocketsTests {
    #if os(Linux)
        /// Connected to loopback from a port of one's choice, which others may have too.
        private static func connect(to port: Int, from own: Int = 0) throws -> Int32 {
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var one: Int32 = 1
            setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
            try #require(call(bind, socket, own) == 0 && call(Glibc.connect, socket, port) == 0)
            return socket
        }

        private static func call(
            _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ socket: Int32, _ port: Int
        ) -> Int32 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    function(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }

        @Test("A port that two connections have identifies neither")
        func shared() async throws {
            try await withServer { (one: MockServer) async throws in
                try await withServer { (two: MockServer) async throws in
                    var sockets = ConnectionSockets()
                    let first = try Self.connect(to: try #require(one.url().port))
                    let port = lc_local_port(first)
                    sockets.insert(first)
                    let alone = sockets.socket(onPort: port)
                    #expect(alone == first)
                    let second = try Self.connect(to: try #require(two.url().port), from: Int(port))
                    sockets.insert(second)
                    let areShared = [sockets.isPortShared(by: second), sockets.isPortShared(by: first)]
                    let either = sockets.socket(onPort: port)
                    #expect(areShared == [true, true])
                    #expect(either == nil)
                    sockets.remove(first)
                    sockets.remove(second)
                    #expect(!sockets.isShared(port))
                    close(first)
                    close(second)
                }
            }
        }

        @Test(
            "Unread bytes of a closed connection are kept, unless another connection has its port",
            arguments: [false, true])
        func unread(_ isShared: Bool) async throws {
            let server = try RawServer(
                "c.sendall(b'HTTP/1.1 413 Large\\r\\nContent-Length: 0\\r\\n\\r\\n'); c.close()")
            try await withServer { (other: MockServer) async throws in
                let connections = LoopConnections()
                let first = try Self.connect(to: server.port)
                #expect(write(first, "GET / HTTP/1.1\r\n\r\n", 18) == 18)
                let port = lc_local_port(first)
                #expect(await eventually { lc_has_answer(first) != 0 })
                connections.opened(first)
                let second = isShared ? try Self.connect(to: try #require(other.url().port), from: Int(port)) : nil
                if let second { connections.opened(second) }
                _ = connections.close(first)
                #expect((connections.takeUnreadResponse(at: "127.0.0.1 \(port)") == nil) == isShared)
                if let second { _ = connections.close(second) }
            }
        }
    #endif
}

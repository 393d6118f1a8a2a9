import CAsyncNetLibcurl
import Foundation
import Testing

@testable import AsyncNet

#if os(Linux)
    /// What wakes a loop's thread, and how often.
    @Suite("Multi handle", .timeLimit(.minutes(5)))
    struct CurlMultiTests {
        private let listener: SilentListener
        private let driven: DrivenMulti

        init() throws {
            listener = try SilentListener()
            driven = try DrivenMulti()
        }

        private static func send(_ text: String, _ socket: Int32) {
            #expect(write(socket, text, text.utf8.count) == text.utf8.count)
        }

        /// Closes the connection, also if a child process of another test has it too.
        private static func end(_ socket: Int32) {
            shutdown(socket, Int32(SHUT_RDWR))
            close(socket)
        }

        private static func answer(_ body: String) -> String {
            "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }

        /// A transfer whose request has been sent, and the server's end of its connection.
        private func begin() throws -> (transfer: DrivenMulti.Transfer, server: Int32) {
            let transfer = try driven.get(port: listener.port)
            driven.perform()
            let server = try listener.nextConnection()
            var head = [UInt8](repeating: 0, count: 4096)
            driven.perform { recv(server, &head, head.count, Int32(MSG_DONTWAIT)) > 0 }
            return (transfer, server)
        }

        /// The server's end of a connection that idles after a transfer.
        private func keptConnection() throws -> Int32 {
            let (transfer, server) = try begin()
            Self.send(Self.answer("one"), server)
            driven.perform { transfer.result != nil }
            #expect(transfer.result == 0 && transfer.body == Data("one".utf8))
            return server
        }

        @Test("A wake-up ends one wait, also one that begins later")
        func wake() {
            for _ in 0..<3 {
                lc_multi_wake(driven.multi)
                lc_multi_wake(driven.multi)
                #expect(driven.waitAndPerform() == 1)
                #expect(driven.look() == 0)
            }
        }

        @Test("A kept connection that the server closes wakes the thread once")
        func closedWhileIdle() throws {
            Self.end(try keptConnection())
            #expect(driven.waitAndPerform() == 1)
            #expect(driven.look() == 0)
        }

        @Test("A kept connection that the server sends on wakes the thread once")
        func sentOnWhileIdle() throws {
            let kept = try keptConnection()
            Self.send("HTTP/1.1 408 Request Timeout\r\n\r\n", kept)
            #expect(driven.waitAndPerform() == 1)
            #expect(driven.look() == 0)
            Self.end(kept)
        }

        @Test("A connection that gets the number of a closed one is watched")
        func numberUsedAgain() throws {
            for _ in 0..<5 {
                let kept = try keptConnection()
                Self.end(kept)
                let (transfer, server) = try begin()
                Self.send(Self.answer("two"), server)
                #expect(driven.waitAndPerform() >= 1)
                driven.perform { transfer.result != nil }
                #expect(transfer.result == 0 && transfer.body == Data("two".utf8))
                Self.end(server)
            }
        }

        @Test("What arrives during a pause wakes the thread once, and is read after it")
        func paused() throws {
            let (transfer, server) = try begin()
            transfer.isPausing = true
            Self.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none", server)
            _ = driven.waitAndPerform()
            Self.send("two", server)
            _ = driven.waitAndPerform()
            #expect(driven.look() == 0)
            transfer.isPausing = false
            transfer.resume()
            driven.perform { transfer.result != nil }
            #expect(transfer.result == 0 && transfer.body == Data("onetwo".utf8))
            Self.end(server)
        }

        @Test("A thread that always has work sees its sockets too")
        func neverWaits() throws {
            let (transfer, server) = try begin()
            Self.send(Self.answer("one"), server)
            for _ in 0..<1_000_000 where transfer.result == nil { driven.perform() }
            #expect(transfer.result == 0 && transfer.body == Data("one".utf8))
            Self.end(server)
        }

        @Test("Of many transfers, those that are ready wake the thread")
        func many() throws {
            let all = try (0..<200).map { _ in try begin() }
            #expect(driven.look() == 0)
            Self.send(Self.answer("one"), all[123].server)
            #expect(driven.waitAndPerform() == 1)
            #expect(all.indices.filter { all[$0].transfer.result != nil } == [123])
            for (index, one) in all.enumerated() where index != 123 { Self.send(Self.answer("\(index)"), one.server) }
            driven.perform { all.allSatisfy { $0.transfer.result == 0 } }
            #expect(all.indices.allSatisfy { $0 == 123 || all[$0].transfer.body == Data("\($0)".utf8) })
            for one in all { Self.end(one.server) }
        }
    }
#endif

import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A loopback port on which the system completes connections, and nobody ever sends a byte.
final class SilentListener: Sendable {
    let port: Int
    private let descriptor: Int32

    struct Failure: Error {}

    init() throws {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard isListening else { throw Failure() }
    }

    deinit { close(descriptor) }

    /// The server's end of the next connection. A new thread waits for it, since Swift may have only two threads.
    func awaitedConnection() async throws -> Int32 {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try self.nextConnection() }) }
        }
    }

    /// The server's end of the next connection. Blocks until a client makes one.
    func nextConnection() throws -> Int32 {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { throw Failure() }
        return connection
    }

    /// A connection to itself on which `text` waits to be read: the end to read it from, and that end's port.
    func connection(sending text: String) throws -> (descriptor: Int32, port: Int) {
        #if canImport(Glibc)
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let client = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, length) == 0 && getsockname(client, $0, &length) == 0
            }
        }
        let server = accept(descriptor, nil, nil)
        defer { close(server) }
        guard isConnected, server >= 0, write(server, text, text.utf8.count) == text.utf8.count else { throw Failure() }
        return (client, Int(UInt16(bigEndian: address.sin_port)))
    }
}

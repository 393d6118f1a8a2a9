import ArgumentParser
import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A port that was free a moment ago.
struct SocketPort {
    let port: Int

    init() throws {
        let socket = try Self.bound()
        close(socket.descriptor)
        port = socket.port
    }

    /// A socket on loopback that connections can be accepted from; its owner closes it.
    static func listening() throws -> (descriptor: Int32, port: Int) {
        let socket = try bound()
        guard listen(socket.descriptor, 128) == 0 else { throw ValidationError("a port cannot be listened on") }
        return socket
    }

    private static func bound() throws -> (descriptor: Int32, port: Int) {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
            }
        }
        guard result == 0 else {
            close(descriptor)
            throw ValidationError("no port is free")
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}

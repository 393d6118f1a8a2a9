import CAsyncNetSockets
import Foundation

struct SocketAddress: Sendable {
    var raw: an_address

    /// `nil` for text that is no IPv4 or IPv6 address, or has a zone that this machine does not have.
    init?(numeric text: String, port: UInt16) {
        var address = an_address()
        guard an_numeric_address(text, port, &address) == 1 else { return nil }
        raw = address
    }

    /// - Parameter path: At most 107 bytes; one that begins with NUL is abstract.
    init?(unixSocket path: String) {
        var address = an_address()
        let bytes = Array(path.utf8CString)
        guard an_unix_address(bytes, bytes.count - 1, &address) == 1 else { return nil }
        raw = address
    }

    init(raw: an_address) { self.raw = raw }

    init(_ raw: an_address, port: UInt16) {
        self.raw = raw
        an_set_port(&self.raw, port)
    }

    var isIPv6: Bool { family == AF_INET6 }
    var family: Int32 { Int32(raw.storage.ss_family) }

    /// `nil` for a unix socket.
    var port: Int? {
        let port = withUnsafePointer(to: raw) { Int(an_address_port($0)) }
        return port > 0 ? port : nil
    }

    /// The address without its port; `nil` for a unix socket.
    var text: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let text = buffer.baseAddress else { return nil }
            return withUnsafePointer(to: raw) {
                an_address_text($0, text, buffer.count) == 1 ? String(cString: text) : nil
            }
        }
    }
}

extension String {
    /// `::1` of `[::1]`.
    var withoutBrackets: String { hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self }
}

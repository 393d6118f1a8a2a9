import Foundation

/// Asks a SOCKS proxy for a connection, by SOCKS4, by SOCKS4a for a name, or by SOCKS5 with user and password (RFC
/// 1928, RFC 1929).
///
///     5: method → (password) → reply → its address → done      4: reply → done
struct SOCKSNegotiation: ProxyNegotiation {
    enum Host: Equatable {
        case name(String)
        case address([UInt8])
    }

    private enum State: Equatable {
        case method, password
        case reply
        /// The length of the name that the proxy has bound.
        case nameLength
        case boundAddress
        case replyOfFour
    }

    private let isFour: Bool
    private let host: Host
    private let port: UInt16
    private let credentials: ProxyServer.Credentials?
    private var state = State.method
    private var input: [UInt8] = []
    private var needed = 0

    init(_ host: Host, port: UInt16, _ proxy: ProxyServer) {
        self.host = host
        self.port = port
        credentials = proxy.credentials
        isFour = proxy.kind == .socks4 || proxy.kind == .socks4a
    }

    mutating func begin() throws(AsyncNetError) -> [UInt8] {
        guard !isFour else { return try beginFour() }
        expect(2, .method)
        return credentials == nil ? [5, 1, 0] : [5, 2, 0, 2]
    }

    var wanted: Int { needed - input.count }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(AsyncNetError) -> ProxyStep {
        input.append(contentsOf: bytes)
        guard input.count >= needed else { return .wait }
        return switch state {
        case .method: try receiveMethod(input[0], input[1])
        case .password: try receivePassword(input[1])
        case .reply: try receiveReply()
        case .nameLength: expect(Int(input[0]) + 2, .boundAddress)
        case .boundAddress: .done
        case .replyOfFour: try receiveReplyOfFour()
        }
    }

    mutating func receiveEnd() throws(AsyncNetError) -> ProxyStep {
        throw Self.failure("The SOCKS proxy closed the connection before it had answered")
    }

    @discardableResult
    private mutating func expect(_ count: Int, _ next: State) -> ProxyStep {
        input = []
        needed = count
        state = next
        return .wait
    }

    private var portBytes: [UInt8] { [UInt8(port >> 8), UInt8(port & 0xFF)] }

    private static func failure(_ message: String) -> AsyncNetError { AsyncNetError(.proxyFailed, message) }

    private mutating func receiveMethod(_ version: UInt8, _ method: UInt8) throws(AsyncNetError) -> ProxyStep {
        guard version == 5 else { throw Self.failure("The proxy does not answer as SOCKS5 does") }
        switch (method, credentials) {
        case (0, _): return .send(request())
        case (2, let credentials?):
            expect(2, .password)
            return .send([1] + Self.counted(credentials.user) + Self.counted(credentials.password))
        case (0xFF, nil):
            throw Self.failure("The SOCKS5 proxy requires a user and password, or other authentication").asLasting
        case (0xFF, _): throw Self.failure("The SOCKS5 proxy takes no user and password").asLasting
        default: throw Self.failure("The SOCKS5 proxy wants to authenticate in a way that was not offered")
        }
    }

    /// Proxies differ in the reply's version; only its status has a meaning.
    private mutating func receivePassword(_ status: UInt8) throws(AsyncNetError) -> ProxyStep {
        guard status == 0 else { throw Self.failure("The SOCKS5 proxy refused the user and password").asLasting }
        return .send(request())
    }

    private mutating func request() -> [UInt8] {
        expect(4, .reply)
        let destination: [UInt8] =
            switch host {
            case .name(let name): [3] + Self.counted(name)
            case .address(let bytes): [bytes.count == 4 ? 1 : 4] + bytes
            }
        return [5, 1, 0] + destination + portBytes
    }

    private static func counted(_ text: String) -> [UInt8] { [UInt8(clamping: text.utf8.count)] + text.utf8 }

    private mutating func receiveReply() throws(AsyncNetError) -> ProxyStep {
        guard input[0] == 5 else { throw Self.failure("The proxy does not answer as SOCKS5 does") }
        guard input[1] == 0 else {
            throw Self.failure("The SOCKS5 proxy could not connect to the host: \(Self.reason(input[1]))")
        }
        switch input[3] {
        case 1: return expect(4 + 2, .boundAddress)
        case 3: return expect(1, .nameLength)
        case 4: return expect(16 + 2, .boundAddress)
        default: throw Self.failure("The SOCKS5 proxy answered with an address of an unknown kind")
        }
    }

    /// The meaning of a reply's number (RFC 1928 §6).
    private static func reason(_ reply: UInt8) -> String {
        switch reply {
        case 1: "it has a general failure"
        case 2: "its rules do not allow it"
        case 3: "no network leads to it"
        case 4: "no route leads to it"
        case 5: "the connection was refused"
        case 6: "the packets' time to live was over"
        case 7: "it does not know the command"
        case 8: "it does not know this kind of address"
        default: "its reply has the number \(reply)"
        }
    }

    fileprivate static var needsIPv4: AsyncNetError {
        failure("A SOCKS4 proxy can connect to IPv4 addresses only, and the host has none").asLasting
    }

    private mutating func beginFour() throws(AsyncNetError) -> [UInt8] {
        expect(8, .replyOfFour)
        let start = [4, 1] + portBytes
        let user = Array((credentials?.user ?? "").utf8) + [0]
        switch host {
        case .address(let bytes) where bytes.count == 4: return start + bytes + user
        case .address: throw Self.needsIPv4
        // The address 0.0.0.1, which no host has, says that a name follows.
        case .name(let name): return start + [0, 0, 0, 1] + user + Array(name.utf8) + [0]
        }
    }

    private func receiveReplyOfFour() throws(AsyncNetError) -> ProxyStep {
        // Some proxies send their version in place of 0.
        guard input[0] == 0 || input[0] == 4 else { throw Self.failure("The proxy does not answer as SOCKS4 does") }
        switch input[1] {
        case 90: return .done
        case 91: throw Self.failure("The SOCKS4 proxy refused to connect to the host, or could not")
        case 92, 93: throw Self.failure("The SOCKS4 proxy did not accept the user").asLasting
        default: throw Self.failure("The SOCKS4 proxy answered with the unknown number \(input[1])")
        }
    }
}

extension SOCKSNegotiation.Host {
    /// - Parameter host: A name or an address; the zone of an address is left out, as it means nothing to the proxy.
    init(_ host: String) {
        let text = host.withoutZone
        self = IPNetwork.bytes(ofAddress: text).map(Self.address) ?? .name(text)
    }

    init(_ addresses: [SocketAddress], for proxy: ProxyServer) throws(AsyncNetError) {
        let usable = addresses.first { proxy.kind != .socks4 || !$0.isIPv6 }
        guard let bytes = usable?.text.flatMap(IPNetwork.bytes(ofAddress:)) else {
            throw SOCKSNegotiation.needsIPv4
        }
        self = .address(bytes)
    }
}

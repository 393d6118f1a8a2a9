import Foundation

/// Asks a server for addresses by DNS over HTTPS (RFC 8484), over connections of its own.
final class HTTPSNames: Sendable {
    private let transport: SocketTransport
    private let prefix: String
    /// The server's authority and addresses, for descriptions: the rest of its URL may be a secret.
    let route: String
    private static let mostBytes: Int64 = 65_535

    init(_ url: any URLConvertible, addresses: [String], tls: TLSConfiguration) throws(AsyncNetError) {
        guard let text = try? url.asURL().absoluteString, let endpoint = try? ServerEndpoint.parse(text).endpoint,
            endpoint.isTLS
        else { throw Self.invalid("needs an absolute URL with the scheme https") }
        guard addresses.allSatisfy({ SocketAddress(numeric: $0, port: 0) != nil }) else {
            throw Self.invalid("needs IP addresses of its server")
        }
        guard !addresses.isEmpty || SocketAddress(numeric: endpoint.host, port: 0) != nil else {
            throw Self.invalid("needs the addresses of its server, so that nobody is asked for them")
        }
        let whole = String(text.prefix { $0 != "#" })
        prefix = whole + (whole.contains("?") ? "&dns=" : "?dns=")
        route = "\(endpoint.authorityWithPort) \(addresses.joined(separator: ","))"
        let own = addresses.isEmpty ? [:] : ["\(endpoint.host):\(endpoint.port)": addresses]
        // The PING frames reveal within the time of a lookup that the server is gone.
        let ping = SocketTransport.HTTP2KeepAlive(interval: .seconds(4), timeout: .seconds(3))
        transport = SocketTransport(.init(tls: tls, addresses: own, eventLoops: 1, http2KeepAlive: ping))
        _ = try transport.setup.get()
    }

    private static func invalid(_ what: String) -> AsyncNetError {
        AsyncNetError(.invalidConfiguration, "DNS over HTTPS \(what)")
    }

    func addresses(of name: String) async throws(AsyncNetError) -> [ResolvedAddress] {
        guard let name = DNSName(name) else { throw .notResolved("it is no name that DNS can have") }
        async let six = answer(DNSQuestion(name: name, kind: .aaaa))
        async let four = answer(DNSQuestion(name: name, kind: .a))
        let answers = await [six, four]
        let found = answers.flatMap { (try? $0.get()) ?? [] }
        guard found.isEmpty else { return found }
        for case .failure(let error) in answers where (error as? DNSFailure)?.isAnswer != true {
            throw Self.notResolved(error)
        }
        throw .notResolved("\(answers.contains { $0.isMissingName } ? DNSFailure.noSuchName : .noData)")
    }

    private static func notResolved(_ error: any Error) -> AsyncNetError {
        let reason =
            if let failure = error as? DNSFailure { failure.description } else {
                "the name server could not be asked: \((error as? AsyncNetError)?.message ?? "\(error)")"
            }
        return .notResolved(reason, underlyingError: error)
    }

    private func answer(_ question: DNSQuestion) async -> Result<[ResolvedAddress], any Error> {
        do {
            let (message, age) = try await ask(question)
            return .success(
                try question.addresses(in: message).map {
                    ResolvedAddress($0.text, timeToLive: max(.zero, $0.timeToLive - age))
                })
        } catch {
            return .failure(error)
        }
    }

    /// Asks by GET, which may be sent again if a kept connection has just been closed. Returns the message and its age
    /// (RFC 8484 §5.1).
    private func ask(_ question: DNSQuestion) async throws -> (message: [UInt8], age: Duration) {
        let query = Data(question.message).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        var request = TransportRequest(
            head: HTTPRequestHead(
                url: try (prefix + query).asURL(), headers: ["Accept": "application/dns-message"]))
        request.delivery = .whole
        request.maximumBodySize = Self.mostBytes
        let response = try await transport.send(request)
        guard response.head.statusCode == 200 else {
            throw DNSFailure.malformed("its status is \(response.head.statusCode)")
        }
        guard response.head.value(for: "Content-Type")?.lowercased().hasPrefix("application/dns-message") == true else {
            throw DNSFailure.malformed("its content type is not application/dns-message")
        }
        var message: [UInt8] = []
        for try await chunk in response.body { message += chunk }
        let age = response.head.value(for: "Age").flatMap { Int64($0) } ?? 0
        return (message, .seconds(min(max(0, age), Int64(Int32.max))))
    }
}

extension Result<[ResolvedAddress], any Error> {
    fileprivate var isMissingName: Bool {
        if case .failure(let error) = self { (error as? DNSFailure) == .noSuchName } else { false }
    }
}

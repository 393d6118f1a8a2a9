import Foundation

/// A proxy that may not be one.
struct ProxyServer {
    /// Where tunnels lead.
    let securePort: Int
    let plain: PlainServer

    /// An HTTP proxy's side of a connection.
    func serve(_ socket: Socket, _ connection: Randomness) {
        var connection = connection
        while let request = HTTPRequest(from: socket) {
            guard request.method == "CONNECT" else {
                guard plain.reply(to: request).play(on: socket) else { return }
                continue
            }
            var random = Self.step(connectingTo: request.target)?.random ?? connection
            _ = connection.next()
            let reply = Self.response(&random).scattered(&random)
            let isTunnel = reply.pieces.first?.starts(with: Data("HTTP/1.1 2".utf8)) == true
            guard reply.play(on: socket) else { return }
            if isTunnel { return tunnel(socket, &random) }
        }
    }

    private func tunnel(_ socket: Socket, _ random: inout Randomness) {
        if random.chance(0.15) { return TLSReplies.serve(socket, &random) }
        guard let server = Socket.connect(port: securePort) else { return }
        let change = random.chance(0.1) ? Relay.flipping(random) : { $0 }
        Relay.run(client: socket, server: server, change: change)
    }

    /// Of `n5-s1.fuzz.test:443`.
    private static func step(connectingTo target: String) -> StepID? {
        let parts = target.prefix { $0 != "." }.split(separator: "-")
        guard parts.count == 2, let number = Int(parts[0].dropFirst()), let sequence = UInt64(parts[1].dropFirst())
        else { return nil }
        return StepID(sequence: sequence, number: number, kind: .tunnels)
    }

    private static func response(_ random: inout Randomness) -> Reply {
        let good = "HTTP/1.1 200 Connection established\r\n"
        let head: String
        switch random.number(0...11) {
        case 0: head = good + " folded" + String(repeating: "A", count: random.size(upTo: 8000)) + ": x\r\n\r\n"
        case 1: head = good + "Content-Length: \(random.pick([0, 5, 100_000]))\r\n\r\n"
        case 2:
            head =
                good + "Transfer-Encoding: chunked\r\n\r\n"
                + random.pick(["", "0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n"])
        case 3:
            head =
                (0..<random.size(upTo: 30)).map { _ in "HTTP/1.1 10\(random.number(0...3)) X\r\nX: y\r\n\r\n" }
                .joined() + good + "\r\n"
        case 4:
            let body = random.pick([
                "Content-Length: 2\r\n\r\nno", "Transfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n", "\r\n",
            ])
            head =
                "HTTP/1.1 \(random.pick([407, 407, 403, 502, 302, 301, 204, 101])) X\r\n"
                + "Proxy-Authenticate: \(random.pick(challenges))\r\nLocation: http://a/\r\n"
                + body
        case 5: return HeadReplies.challenge(StepID(sequence: 0, number: 0, kind: .tunnels), isProxy: true, &random)
        case 6: return random.chance(0.5) ? HeadReplies.heads(&random) : HeadReplies.folded(&random)
        case 7:
            head =
                good + (0..<random.size(upTo: 2000)).map { _ in "X-Many: \(random.word(20))\r\n" }.joined() + "\r\n"
        default: head = good + "\r\n"
        }
        let data = Data(head.utf8)
        return Reply(
            random.chance(0.1) ? ByteMutations.mutate(data, &random) : data, end: random.chance(0.95) ? .keep : .close
        )
    }

    private static let challenges = ["Basic realm=\"p\"", "Digest realm=\"p\", nonce=\"n\"", "NTLM", "Negotiate", ""]

    // MARK: SOCKS

    /// SOCKS 4 and 5 (RFC 1928, RFC 1929); leads to the plain server whatever is asked for.
    func serveSOCKS(_ socket: Socket, _ connection: Randomness) {
        var random = connection
        guard let version = socket.receive(exactly: 1)?.first else { return }
        let isAccepted = version == 4 ? acceptVersion4(socket, &random) : acceptVersion5(socket, &random)
        guard isAccepted, let server = Socket.connect(port: plain.port) else { return }
        Relay.run(client: socket, server: server)
    }

    private func acceptVersion4(_ socket: Socket, _ random: inout Randomness) -> Bool {
        guard socket.receive(exactly: 7) != nil, socket.receive() != nil else { return false }
        return send(Data([0, 90, 0, 0, 0, 0, 0, 0]), to: socket, &random)
    }

    private func acceptVersion5(_ socket: Socket, _ random: inout Randomness) -> Bool {
        guard let count = socket.receive(exactly: 1)?.first, socket.receive(exactly: Int(count)) != nil else {
            return false
        }
        let wantsPassword = random.chance(0.3)
        guard send(Data([5, wantsPassword ? 2 : 0]), to: socket, &random) else { return false }
        if wantsPassword {
            guard socket.receive() != nil, send(Data([1, 0]), to: socket, &random) else { return false }
        }
        guard socket.receive() != nil else { return false }
        let addresses = [
            Data([1, 127, 0, 0, 1]), Data([4]) + Data(count: 16), Data([3, 255]) + Data(repeating: 97, count: 255),
            Data([3, 0]), Data([9]),
        ]
        let address = random.chance(0.7) ? addresses[0] : random.pick(addresses)
        return send(
            Data([5, random.chance(0.9) ? 0 : UInt8(random.number(0...255)), 0]) + address + Data([0, 80]),
            to: socket, &random)
    }

    private func send(_ data: Data, to socket: Socket, _ random: inout Randomness) -> Bool {
        let isChanged = random.chance(0.12)
        let reply = Reply(
            isChanged ? ByteMutations.mutate(data, &random) : data, end: random.chance(0.97) ? .keep : .close)
        return reply.scattered(&random).play(on: socket)
    }
}

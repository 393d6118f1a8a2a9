import Foundation

/// A server's side of a TLS handshake that was never meant to succeed: records with alerts, hellos and noise.
enum TLSReplies {
    static func serve(_ socket: Socket, _ random: inout Randomness) {
        guard let hello = socket.receive() else { return }
        var data = Data()
        for _ in 0...random.size(upTo: 4) { data += record(answering: hello, &random) }
        if random.chance(0.3) { data = ByteMutations.mutate(data, &random) }
        let end = random.pick([Reply.End.endWriting, .close, .reset, .endWriting, .silence])
        _ = Reply(data, end: random.chance(0.1) ? end : random.pick([.endWriting, .close, .reset])).scattered(&random)
            .play(on: socket)
    }

    private static func record(answering hello: Data, _ random: inout Randomness) -> Data {
        switch random.number(0...7) {
        case 0: record(21, Data([UInt8(random.number(0...3)), UInt8(random.number(0...120))]), &random)
        case 1: record(21, random.bytes(random.size(upTo: 40)), &random)
        case 2, 3: record(22, serverHello(answering: hello, &random), &random)
        case 4: record(22, handshake(UInt8(random.number(0...24)), random.bytes(random.size(upTo: 300))), &random)
        case 5: record(UInt8(random.number(0...30)), random.bytes(random.size(upTo: 20_000)), &random)
        case 6: record(20, Data([1]), &random)
        default: Data("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8)
        }
    }

    private static func record(_ type: UInt8, _ payload: Data, _ random: inout Randomness) -> Data {
        let length = random.chance(0.9) ? payload.count : random.number(0...65535)
        let version: [UInt8] =
            random.chance(0.9) ? [3, 3] : [UInt8(random.number(0...255)), UInt8(random.number(0...5))]
        return Data([type] + version + [UInt8(length >> 8 & 255), UInt8(length & 255)]) + payload
    }

    private static func handshake(_ type: UInt8, _ body: Data) -> Data {
        Data([type, UInt8(body.count >> 16 & 255), UInt8(body.count >> 8 & 255), UInt8(body.count & 255)]) + body
    }

    /// With the client's own session identifier, so that the client reads on.
    private static func serverHello(answering hello: Data, _ random: inout Randomness) -> Data {
        let bytes = Array(hello)
        let count = bytes.count > 44 ? min(32, Int(bytes[43])) : 0
        let session = bytes.count > 44 + count ? Data(bytes[44..<(44 + count)]) : Data()
        let cipher: [UInt8] = random.pick([
            [0x13, 0x01], [0x13, 0x02], [0xC0, 0x2F], [0xC0, 0x30], [0, 0], [0xFF, 0xFF],
        ])
        let key = Data([0, 51, 0, 36, 0, 29, 0, 32]) + random.bytes(32)
        let extensions = Data([0, 43, 0, 2, 3, random.pick([3, 4, 4, 9])]) + (random.chance(0.7) ? key : Data())
        let nonce = random.chance(0.1) ? Data([0xCF, 0x21, 0xAD, 0x74]) + random.bytes(28) : random.bytes(32)
        var body = Data([3, 3]) + nonce + Data([UInt8(session.count)]) + session + Data(cipher + [0])
        body += Data([UInt8(extensions.count >> 8), UInt8(extensions.count & 255)]) + extensions
        return handshake(2, random.chance(0.4) ? ByteMutations.mutate(body, &random) : body)
    }
}

import Foundation

/// Bodies: their framing, their codings, and what they mean.
enum BodyReplies {
    static func chunked(_ random: inout Randomness, hasTrailers: Bool) -> Reply {
        var data = head("Transfer-Encoding: chunked\r\nTrailer: X")
        for _ in 0..<random.size(upTo: 20) { data += chunk(&random) }
        if random.chance(0.9) {
            data += text(
                random.chance(0.9)
                    ? "0\r\n" : random.pick(["00000000000000000\r\n", "0;x=y\r\n", "0\n", "-0\r\n", "0x0\r\n"]))
        }
        if hasTrailers {
            for _ in 0..<random.size(upTo: 30) { data += text(trailer(&random) + "\r\n") }
        }
        if random.chance(0.9) { data += text("\r\n") }
        if random.chance(0.1) { data += random.bytes(random.size(upTo: 40)) }
        return finish(data, mutates: 0.25, &random)
    }

    /// A good response, and what should not be there.
    static func neighbours(_ random: inout Randomness) -> Reply {
        var reply = Reply(head("Content-Length: 2") + text("ok"))
        switch random.number(0...9) {
        case 0: reply.pieces.append(text("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"))
        case 1: reply.pieces.append(random.bytes(1 + random.size(upTo: 20_000)))
        case 2:
            reply.pieces.append(
                text(
                    random.pick([
                        "H", "HTTP/1.1", "\r\n", "HTTP/1.1 408 Timeout\r\n\r\n", "\0",
                        "HTTP/1.1 100 Continue\r\n\r\n",
                    ])))
        case 3: reply.end = .close
        case 4: reply.end = .reset
        case 5: reply = Reply(head("Content-Length: 2\r\nConnection: close") + text("ok"))
        case 6: reply = Reply(Data(), end: random.pick([.close, .reset, .endWriting]))
        case 7:
            reply = Reply(
                head("Content-Length: 20") + text("o"), end: random.pick([.close, .reset, .endWriting, .silence]))
        case 8: reply = Reply(text("HTTP/1.0 200 OK\r\n\r\n") + random.bytes(100), end: .close)
        default: break
        }
        reply.isSlow = random.chance(0.5)
        return reply
    }

    static func coded(_ random: inout Randomness) -> Reply {
        var (coding, body) = random.pick(CodingSamples.all)
        switch random.number(0...7) {
        case 0, 1, 2: body = ByteMutations.mutate(body, &random)
        case 3: body = body.prefix(random.number(0...body.count))
        case 4: body += random.bytes(1 + random.size(upTo: 300))
        case 5: body += body
        case 6:
            coding = random.pick([
                "gzip, gzip", "x-gzip", "GZIP", "br, gzip", "zstd, br", "identity", "unknown", coding + ", identity",
                coding + ",",
            ])
        default: break
        }
        if random.chance(0.5) {
            return finish(
                head("Content-Encoding: \(coding)\r\nContent-Length: \(body.count)") + body, mutates: 0.05, &random)
        }
        let chunks = String(body.count, radix: 16) + "\r\n"
        let data =
            head("Content-Encoding: \(coding)\r\nTransfer-Encoding: chunked") + text(chunks) + body
            + text("\r\n0\r\n\r\n")
        return finish(data, mutates: 0.05, &random)
    }

    static func events(_ random: inout Randomness) -> Reply {
        var body = random.chance(0.1) ? Data([0xEF, 0xBB, 0xBF]) : Data()
        for _ in 0..<random.size(upTo: 60) {
            let line =
                random.chance(0.05)
                ? "data: " + String(repeating: "d", count: random.size(upTo: 200_000)) : random.pick(eventLines)
            body += text(line + random.pick(["\n", "\n\n", "\r\n\r\n", "\r", "\r\r"]))
        }
        if random.chance(0.3) { body = ByteMutations.mutate(body, &random) }
        return Reply(
            head("Content-Type: text/event-stream") + body, end: random.pick([.close, .close, .reset, .endWriting]))
    }

    /// A file, or the part of it that was asked for, told rightly or wrongly.
    static func range(_ request: HTTPRequest, _ random: inout Randomness) -> Reply {
        let size = 150_000
        let asked = request.range(of: size)
        var (first, last) = (asked?.lowerBound ?? 0, (asked?.upperBound ?? size) - 1)
        var total = String(size)
        if random.chance(0.3) {
            let shift = random.pick([-1, 1, 2, -first, 1000])
            switch random.number(0...3) {
            case 0: first += shift
            case 1: last += shift
            case 2: total = random.pick(["*", "0", "-1", "149999", "99999999999999999999"])
            default: (first, last) = (last, first)
            }
        }
        let count = max(
            0, min(size, last - first + 1) + (random.chance(0.2) ? random.pick([-1, 1, 5, -100, 70_000]) : 0))
        let tag =
            random.chance(0.8)
            ? "ETag: \"v1\"\r\n"
            : random.pick(["ETag: \"v2\"\r\n", "ETag: W/\"v1\"\r\n", "", "Last-Modified: x\r\n"])
        let isPartial = asked != nil && random.chance(0.85)
        let status = random.chance(0.9) ? (isPartial ? 206 : 200) : random.pick([200, 206, 416, 412, 500])
        let place = status == 206 ? "Content-Range: bytes \(first)-\(last)/\(total)\r\n" : ""
        let length = random.chance(0.8) ? "Content-Length: \(count)\r\n" : ""
        let bytes = Data(repeating: UInt8(ascii: "f"), count: count)
        let head = text("HTTP/1.1 \(status) F\r\nAccept-Ranges: bytes\r\n\(tag)\(place)\(length)\r\n")
        let cut = random.chance(0.3) ? head.count + random.number(0...count) : head.count + count
        let isWhole = !length.isEmpty && cut == head.count + count
        return Reply((head + bytes).prefix(cut), end: isWhole ? .keep : random.pick([.close, .reset, .endWriting]))
    }

    // MARK: Parts

    private static func text(_ text: String) -> Data { Data(text.utf8) }
    private static func head(_ lines: String) -> Data { text("HTTP/1.1 200 OK\r\n\(lines)\r\n\r\n") }

    private static func finish(_ data: Data, mutates: Double, _ random: inout Randomness) -> Reply {
        let isMutated = random.chance(mutates)
        let end: Reply.End =
            isMutated || random.chance(0.4) ? random.pick([.endWriting, .endWriting, .close, .reset, .keep]) : .keep
        return Reply(isMutated ? ByteMutations.mutate(data, &random) : data, end: end)
    }

    private static func chunk(_ random: inout Randomness) -> Data {
        let count = random.size(upTo: 3000)
        var size = String(count, radix: 16, uppercase: random.chance(0.3))
        if random.chance(0.08) {
            size = random.pick([
                "", " ", "g", "-1", "fffffffffffffffff", "7fffffffffffffff", "ffffffffffffffff", "80000000", "0x5",
                "+5", "5 5",
            ])
        }
        if random.chance(0.1) { size = String(repeating: "0", count: random.size(upTo: 40)) + size }
        if random.chance(0.1) {
            size += ";" + random.word(random.size(upTo: 20_000)) + random.pick(["", "=\"\\\"", "=y", "\0"])
        }
        let line = random.chance(0.95) ? "\r\n" : random.pick(["\n", "\r", "", "\r\r\n", " \r\n"])
        return text(size + line) + random.bytes(count)
            + text(random.chance(0.95) ? "\r\n" : random.pick(["\n", "", "xx", "\r"]))
    }

    private static func trailer(_ random: inout Randomness) -> String {
        random.chance(0.5)
            ? "X-\(random.word(3)): \(random.word(random.size(upTo: 3000)))"
            : random.pick([
                " folded", "\tfolded", "Content-Length: 5", "Transfer-Encoding: chunked", "Set-Cookie: a=b",
                "no colon", ": x", "a\0b: c", "X: a\0b",
                "HTTP/1.1 200 OK", "X-Large: " + String(repeating: "t", count: 120_000), "Location: /",
                "Content-Encoding: gzip", "X: a\rb", "\u{fc}: x",
            ])
    }

    private static let eventLines = [
        "data: x", "data:x", "data", "id: 1", "id: a\0b", "id", "event: e", "event", "retry: 0", "retry: 1",
        "retry: 99999999999999999999", "retry: x", ": comment", ":", "",
        "unknown: x", "data: \u{1F600}", "\u{FEFF}data: x", " data: x",
    ]
}

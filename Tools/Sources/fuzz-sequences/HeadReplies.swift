import Foundation

/// Status lines and header lines, in order and not.
enum HeadReplies {
    static func heads(_ random: inout Randomness) -> Reply {
        var lines = validLines(&random)
        for _ in 0..<random.size(upTo: 5) { change(&lines, &random) }
        let status = random.chance(0.3) ? badStatus(&random) : "HTTP/1.1 200 OK"
        return assemble(status, lines, &random)
    }

    static func folded(_ random: inout Randomness) -> Reply {
        let fold = random.pick([" ", "\t", "  ", " \t"]) + String(repeating: "A", count: random.size(upTo: 20_000))
        let rest = random.pick([": y", "", ":", "\r\n \(random.word(9)): z"])
        return assemble("HTTP/1.1 200 OK", [fold + rest] + validLines(&random), &random)
    }

    static func informational(_ random: inout Randomness) -> Reply {
        var data = Data()
        for _ in 0..<random.size(upTo: 40) {
            let status = random.pick([
                "100 Continue", "102 Processing", "103 Early Hints", "199 X", "101 Switching Protocols", "100",
            ])
            let isOdd = random.chance(0.1)
            let lines = (0..<random.size(upTo: 4)).map { _ in oddLine(&random, isOdd: isOdd) }
            data += text("HTTP/1.1 \(status)\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n")
        }
        let last = heads(&random)
        return Reply(data + (last.pieces.first ?? Data()), end: last.end)
    }

    static func redirect(_ id: StepID, otherPort: Int, _ random: inout Randomness) -> Reply {
        guard id.hop < 6, random.chance(0.85) else { return heads(&random) }
        var next = id
        next.hop += 1
        let status = random.pick([301, 302, 303, 307, 308, 308, 300, 304, 305, 399])
        var lines = [body(random.pick([0, 2, 5000])), "Location: " + location(next, otherPort, &random)]
        if random.chance(0.1) { lines.append("Location: " + location(next, otherPort, &random)) }
        if random.chance(0.3) { change(&lines, &random) }
        let bytes = String(repeating: "r", count: random.pick([0, 2, 5000]))
        let end = random.pick([Reply.End.keep, .keep, .keep, .close, .endWriting])
        return Reply(text("HTTP/1.1 \(status) R\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n" + bytes), end: end)
    }

    static func challenge(_ id: StepID, isProxy: Bool = false, _ random: inout Randomness) -> Reply {
        let field = isProxy ? "Proxy-Authenticate" : "WWW-Authenticate"
        var lines = (0...random.size(upTo: 5)).map { _ in
            let value = random.pick(challenges)
            let bytes = random.chance(0.4) ? ByteMutations.mutate(Data(value.utf8), &random) : Data(value.utf8)
            return "\(field): " + String(decoding: bytes.filter { $0 != 10 }, as: UTF8.self)
        }
        lines.append(body(2))
        if random.chance(0.2) { change(&lines, &random) }
        return assemble("HTTP/1.1 \(isProxy ? 407 : 401) Unauthorized", lines, &random)
    }

    static func cookies(_ random: inout Randomness) -> Reply {
        let count = random.chance(0.03) ? 2000 : random.size(upTo: 60)
        let lines = (0..<count).map { _ in
            var value = Data("\(random.word(3))=\(random.word(random.size(upTo: 200)))".utf8)
            for _ in 0..<random.size(upTo: 4) { value += Data(("; " + random.pick(attributes)).utf8) }
            if random.chance(0.05) { value = ByteMutations.mutate(value, &random).filter { $0 != 10 } }
            return "Set-Cookie: " + String(decoding: value, as: UTF8.self)
        }
        return assemble("HTTP/1.1 200 OK", lines + [body(2)], &random)
    }

    // MARK: Parts

    static func text(_ text: String) -> Data { Data(text.utf8) }
    static func body(_ count: Int) -> String { "Content-Length: \(count)" }

    private static func validLines(_ random: inout Randomness) -> [String] {
        [
            "Content-Type: text/plain", body(2), "ETag: \"\(random.word(8))\"", "Date: Sun, 06 Nov 1994 08:49:37 GMT",
            "X-A: b",
        ]
    }

    private static func assemble(_ status: String, _ lines: [String], _ random: inout Randomness) -> Reply {
        let line = random.chance(0.9) ? "\r\n" : random.pick(["\n", "\r", "\r\r\n", "\n\r", "\0\r\n"])
        var data = text(([status] + lines + [""]).map { $0 + line }.joined()) + text("ok")
        if random.chance(0.25) { data = ByteMutations.mutate(data, &random) }
        return Reply(
            data, end: random.chance(0.6) ? .keep : random.pick([.endWriting, .close, .reset, .endWriting, .silence]))
    }

    private static func change(_ lines: inout [String], _ random: inout Randomness) {
        let place = random.number(0...lines.count)
        switch random.number(0...5) {
        case 0 where place < lines.count: lines.remove(at: place)
        case 1 where place < lines.count: lines.insert(lines[place], at: place)
        case 2:
            lines.insert(
                contentsOf: (0..<random.size(upTo: 2000)).map { _ in "X-Many: \(random.word(8))" }, at: place)
        default: lines.insert(oddLine(&random, isOdd: true), at: place)
        }
    }

    private static func oddLine(_ random: inout Randomness, isOdd: Bool) -> String {
        guard isOdd else { return "X-\(random.word(4)): \(random.word(12))" }
        if random.chance(0.1) { return "X-Large: " + String(repeating: "v", count: random.size(upTo: 400_000)) }
        if random.chance(0.1) {
            return String(repeating: random.pick([" ", "n", ":", "\t"]), count: random.size(upTo: 120_000)) + ": v"
        }
        return random.pick(odd)
    }

    private static func badStatus(_ random: inout Randomness) -> String {
        random.chance(0.1)
            ? "HTTP/1.1 200 " + String(repeating: "O", count: random.size(upTo: 300_000)) : random.pick(statuses)
    }

    private static func location(_ next: StepID, _ otherPort: Int, _ random: inout Randomness) -> String {
        switch random.number(0...9) {
        case 0: "http://127.0.0.1:\(otherPort)\(next.path)"
        case 1: "//127.0.0.1:\(otherPort)\(next.path)#\(random.word(4))"
        case 2: next.path + "?" + String(repeating: "q", count: random.size(upTo: 60_000))
        case 3:
            random.pick([
                "", " ", "http://", "http:///", "//", "file:///etc/hosts", "http://[::", "http://127.0.0.1:99999/",
                "\u{e4}\0", "%zz", "?", "#",
            ])
        default: next.path
        }
    }

    private static let statuses = [
        "HTTP/1.1 200", "HTTP/1.1  200 OK", "HTTP/1.0 200 OK", "HTTP/2 200", "HTTP/2.0 200 OK", "HTTP/3 200",
        "HTTP/1.2 200 OK", "HTTP/9.9 200 OK", "ICY 200 OK",
        "HTTP/1.1 099 X", "HTTP/1.1 1000 X", "HTTP/1.1 20x OK", "HTTP/0.9 200 OK", "http/1.1 200 ok",
        "\r\nHTTP/1.1 200 OK", "xxHTTP/1.1 200 OK", "HTTP/1.1", "HTTP", "",
        "HTTP/1.1 200 \0", "HTTP/1.1\t200 OK", "HTTP/11 200 OK", "HTTP/1.1 -20 X", "HTTP/1.1 204 No",
        "HTTP/1.1 304 Not", "HTTP/1.1 205 Reset", "HTTP/1.1 101 Up",
        "HTTP/1.1 416 R", "HTTP/1.1 417 E", "HTTP/1.1 426 U", "HTTP/1.1 421 M", "HTTP/1.1 503 S", "HTTP/1.1 999 X",
        "RTSP/1.0 200 OK", "SSH-2.0-x", "220 smtp",
    ]

    private static let odd = [
        "", " ", " continued", "\tcontinued", ": no name", "no colon", "Name : space", "Na me: v", "Na\0me: v",
        "X: a\0b", "X: a\rb", "X:", "X", ":", "\u{FC}: v",
        "Content-Length: 2", "Content-Length: 3", "Content-Length: 0", "Content-Length: -1", "Content-Length: +2",
        "Content-Length: 2, 2", "Content-Length: 0x2",
        "Content-Length: 9223372036854775807", "Content-Length: 9223372036854775808",
        "Content-Length: 99999999999999999999999", "Content-Length: ", "Content-Length: 2 2",
        "Transfer-Encoding: chunked", "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: identity", "Transfer-Encoding: x",
        "Transfer-Encoding: gzip", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Connection: close",
        "Connection: keep-alive", "Connection: upgrade, x",
        "Content-Encoding: gzip", "Content-Encoding: br, gzip, zstd, deflate, gzip, br, gzip", "Content-Encoding: x",
        "Content-Encoding: identity", "Content-Encoding: none",
        "Upgrade: h2c", "Upgrade: websocket", "Alt-Svc: h3=\":1\"; ma=99999999999",
        "Strict-Transport-Security: max-age=1", "Keep-Alive: timeout=0, max=99999999999999999999",
        "Retry-After: 99999999999999999", "Retry-After: x", "Content-Range: bytes 0-1/2",
        "Content-Type: text/plain; charset=x\r\nContent-Type: a", "Trailer: X", "HTTP/1.1 200 OK",
        "Content-Disposition: attachment; filename=\"../../x\0\"", "Location: /", "Proxy-Connection: close",
        "Proxy-Authenticate: Basic", "Date: x", "Set-Cookie: a=b", "Age: -1",
        "Last-Modified: Thu, 99 Xxx 99999999999 99:99:99 GMT", "ETag: W/", "Vary: *", "Warning: x",
        "Accept-Ranges: bytes", "Link: <", "Content-Location: //",
    ]

    private static let challenges = [
        "Basic realm=\"r\"", "Basic", "Basic realm=r, charset=\"UTF-8\"",
        "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=MD5",
        "Digest realm=\"r\", nonce=\"n\", qop=\"auth,auth-int\", algorithm=SHA-256, opaque=\"o\", stale=true",
        "Digest realm=\"\\\"\", nonce=\"\", algorithm=SHA-512-256-sess",
        "Digest nonce=\"n\"", "Bearer error=\"invalid_token\"", "NTLM", "NTLM TlRMTVNTUAACAAAA", "Negotiate",
        "Negotiate YII=", "Basic realm=\"a\", Digest realm=\"b\", nonce=\"c\"",
        "Digest realm=\"r\", nonce=\"n\", userhash=true, domain=\"/ //x\"", "", ",,,", "Basic realm=\"unclosed",
        "Digest " + String(repeating: "a=b,", count: 400),
    ]

    private static let attributes = [
        "Path=/", "Path=x", "Domain=127.0.0.1", "Domain=.com", "Domain=", "Max-Age=0",
        "Max-Age=-99999999999999999999", "Max-Age=9999999999999", "Secure", "HttpOnly",
        "SameSite=None", "Expires=Thu, 01 Jan 1970 00:00:00 GMT", "Expires=Fri, 31 Dec 9999 23:59:59 GMT",
        "Expires=x", "=", ";", "Partitioned", "\u{e9}=\u{e9}",
    ]
}

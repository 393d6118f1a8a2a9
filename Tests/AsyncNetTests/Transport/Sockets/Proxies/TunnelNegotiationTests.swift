import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What an HTTP proxy is told, and what its responses mean (RFC 9110 §9.3.6): each dialogue as a whole, and cut after each
/// byte.
@Suite("Tunnel negotiations")
struct TunnelNegotiationTests {
    private static let endpoint = ServerEndpoint(isTLS: true, host: "a.test", port: 443)
    private static let digest = #"Proxy-Authenticate: Digest realm="r", nonce="n1", qop="auth""# + "\r\n"
    private static let stale = #"Proxy-Authenticate: Digest realm="r", nonce="n2", qop="auth", stale=true"# + "\r\n"
    private static let challenge = "HTTP/1.1 407 No\r\n\(digest)Content-Length: 3\r\n\r\nno!"
    private static let open = "HTTP/1.1 200 Open\r\n\r\n"

    /// How a dialogue went: what the proxy was told on each connection, and its end.
    private struct Course {
        var told: [[String]] = [[]]
        var end: Result<ProxyStep, AsyncNetError> = .success(.wait)
        var left = ""
    }

    /// Leads a dialogue whose answers come in pieces of a size at most; the connection ends after the last one.
    private func lead(_ answers: [String], by url: String = "http://p:1", pieces: Int = .max) throws -> Course {
        try lead(
            answers, TunnelNegotiation(to: Self.endpoint, ProxyServer(url), ProxyAuthorizations(), .init()), pieces)
    }

    private func lead(_ answers: [String], _ negotiation: TunnelNegotiation, _ pieces: Int = .max) -> Course {
        var (negotiation, course) = (negotiation, Course())
        func tell(_ bytes: [UInt8]) {
            course.told[course.told.count - 1].append(String(decoding: bytes, as: UTF8.self))
        }
        tell(negotiation.begin())
        do throws(AsyncNetError) {
            for answer in answers {
                var (step, rest) = (ProxyStep.wait, Array(answer.utf8)[...])
                while step == .wait {
                    let piece = Array(rest.prefix(min(pieces, negotiation.wanted)))
                    rest = rest.dropFirst(piece.count)
                    step =
                        piece.isEmpty
                        ? try negotiation.receiveEnd()
                        : try piece.withBytes { bytes throws(AsyncNetError) in try negotiation.receive(bytes) }
                }
                course.left = String(decoding: rest, as: UTF8.self)
                switch step {
                case .send(let bytes): tell(bytes)
                case .reconnect:
                    course.told.append([])
                    tell(negotiation.begin())
                case .wait, .done: break
                }
                course.end = .success(step)
            }
        } catch {
            course.end = .failure(error)
        }
        return course
    }

    @Test("A 407 whose body only the connection's end would end is answered on another connection at once")
    func closing() throws {
        let challenge = "HTTP/1.1 407 X\r\nProxy-Authenticate: Digest realm=r, nonce=n\r\nConnection: close\r\n\r\nrest"
        let course = try lead([challenge], by: "http://u:p@p:1")
        #expect(try course.end.get() == .reconnect)
        #expect(course.left == "rest")
    }

    @Test("CONNECT has host and port without zone, and Basic credentials if the proxy URL has some")
    func heads() throws {
        let course = try lead([Self.open], by: "http://ada:p%C3%A4ss@p:1")
        #expect(
            course.told == [
                [
                    "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\nProxy-Authorization: Basic YWRhOnDDpHNz\r\n"
                        + "Proxy-Connection: Keep-Alive\r\n\r\n"
                ]
            ])
        let zoned = ServerEndpoint(isTLS: false, host: "fe80::1%lo", port: 80)
        var negotiation = TunnelNegotiation(to: zoned, try ProxyServer("http://p:1"), ProxyAuthorizations(), .init())
        let head = String(decoding: negotiation.begin(), as: UTF8.self)
        #expect(head == "CONNECT [fe80::1]:80 HTTP/1.1\r\nHost: [fe80::1]:80\r\nProxy-Connection: Keep-Alive\r\n\r\n")
    }

    @Test(
        "A 2xx to CONNECT opens the tunnel, and the bytes after its head belong to the server",
        arguments: [
            "HTTP/1.1 200 Open\r\n\r\n", "HTTP/1.0 200\r\n\r\n", "HTTP/1.1 204 X\r\nContent-Length: 5\r\n\r\n",
            "HTTP/1.1 299 X\r\nTransfer-Encoding: chunked\r\nContent-Length: x\r\n\r\n",
            "HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 Open\nVia: x\n\n",
        ])
    func opens(_ answer: String) throws {
        for pieces in [Int.max, 1] {
            let course = try lead([answer + "220 ready"], pieces: pieces)
            #expect(try course.end.get() == .done)
            #expect(course.left == "220 ready")
        }
        for length in 0..<answer.utf8.count {
            let error = #expect(throws: AsyncNetError.self) {
                try lead([String(decoding: answer.utf8.prefix(length), as: UTF8.self)]).end.get()
            }
            #expect(error?.code == .proxyFailed)
        }
    }

    @Test(
        "A response to CONNECT other than 2xx leads to .proxyFailed; from 400 on, the error has its status and head",
        arguments: [(301, false), (302, false), (400, true), (403, true), (407, true), (502, true), (101, false)])
    func refuses(_ status: Int, _ isShown: Bool) throws {
        let course = try lead(["HTTP/1.1 \(status) No\r\nX-Why: no\r\nContent-Length: 9\r\n\r\nsecrets!!"])
        let error = #expect(throws: AsyncNetError.self) { try course.end.get() }
        #expect(error?.code == .proxyFailed)
        #expect(error?.message.contains("\(status)") == true)
        #expect(error?.statusCode == (isShown ? status : nil))
        #expect(error?.response?.value(forHTTPHeaderField: "X-Why") == (isShown ? "no" : nil))
    }

    @Test(
        "An invalid response to CONNECT leads to .proxyFailed",
        arguments: [
            "SSH-2.0-x\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 200 Open\r\nno colon\r\n\r\n", "\r\n",
            "HTTP/1.1 20\r\n\r\n", "HTTP/1.1 200 Open\r\nX: \u{0}\r\n\r\n",
            "HTTP/1.1 200 Open\r\n" + String(repeating: "X: y\r\n", count: 1001),
            "HTTP/1.1 200 Open\r\nX: " + String(repeating: "x", count: 1 << 19),
            String(repeating: "HTTP/1.1 100 X\r\n\r\n", count: 101),
        ])
    func invalid(_ answer: String) throws {
        let error = #expect(throws: AsyncNetError.self) { try lead([answer]).end.get() }
        #expect(error?.code == .proxyFailed)
        #expect(error?.message.contains("invalid") == true)
    }

    // MARK: Challenges

    private static let guarded = "http://ada:pw@p:1"

    @Test("After a Digest challenge, CONNECT is sent again on the same connection if the proxy keeps it")
    func answers() throws {
        for (challenge, connections) in [
            (Self.challenge, 1),
            ("HTTP/1.1 407 No\r\n\(Self.digest)Transfer-Encoding: chunked\r\n\r\n2;x=y\r\nno\r\n0\r\n\r\n", 1),
            ("HTTP/1.0 407 No\r\n\(Self.digest)Proxy-Connection: keep-alive\r\nContent-Length: 0\r\n\r\n", 1),
            ("HTTP/1.0 407 No\r\n\(Self.digest)Content-Length: 0\r\n\r\n", 2),
            ("HTTP/1.1 407 No\r\n\(Self.digest)Connection: close\r\nContent-Length: 2\r\n\r\nno", 2),
            ("HTTP/1.1 407 No\r\n\(Self.digest)Proxy-Connection: close\r\nContent-Length: 2\r\n\r\nno", 2),
            ("HTTP/1.1 407 No\r\n\(Self.digest)\r\nuntil the end", 2), (Self.challenge + "more", 2),
            ("HTTP/1.1 407 No\r\n\(Self.digest)Content-Length: 99\r\n\r\ncut", 2),
            (
                "HTTP/1.1 407 No\r\n\(Self.digest)Content-Length: 99999\r\n\r\n" + String(repeating: "x", count: 99999),
                2
            ),
        ] {
            for pieces in challenge.hasSuffix("more") ? [Int.max] : [Int.max, 100] {
                let course = try lead([challenge, Self.open], by: Self.guarded, pieces: pieces)
                #expect(try course.end.get() == .done)
                #expect(course.told.count == connections, "\(challenge.prefix(200))")
                let told = course.told.flatMap(\.self)
                #expect(told.count == 2)
                #expect(told[0].contains("Proxy-Authorization: Basic YWRhOnB3\r\n"))
                #expect(told[1].contains(#"Proxy-Authorization: Digest username="ada", realm="r", uri="a.test:443""#))
            }
        }
    }

    @Test(
        "Refused Digest credentials are not sent again, except once for a stale nonce",
        arguments: [
            ([challenge, challenge], 2),
            ([challenge, "HTTP/1.1 407 No\r\n\(stale)Content-Length: 0\r\n\r\n", open], 3),
            ([challenge] + Array(repeating: "HTTP/1.1 407 No\r\n\(stale)Content-Length: 0\r\n\r\n", count: 2), 3),
        ] as [([String], Int)])
    func bounds(_ answers: [String], _ heads: Int) throws {
        let course = try lead(answers, by: Self.guarded)
        #expect(course.told == [course.told[0]])
        #expect(course.told[0].count == heads)
        if answers.last == Self.open { return #expect(try course.end.get() == .done) }
        let error = #expect(throws: AsyncNetError.self) { try course.end.get() }
        #expect(error?.code == .proxyFailed && error?.statusCode == 407)
    }

    @Test(
        "A challenge to CONNECT without fitting credentials leads to .proxyFailed without another CONNECT",
        arguments: [
            ("http://p:1", challenge), (guarded, "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\n\r\n"),
            (guarded, "HTTP/1.1 407 No\r\nProxy-Authenticate: Negotiate\r\n\r\n"),
            (guarded, challenge.replacing("407", with: "401")),
            (guarded, challenge.replacing("Proxy-Authenticate", with: "WWW-Authenticate")),
        ])
    func refusedChallenges(_ url: String, _ answer: String) throws {
        let course = try lead([answer], by: url)
        let error = #expect(throws: AsyncNetError.self) { try course.end.get() }
        #expect(error?.code == .proxyFailed)
        #expect(error?.statusCode == (answer.contains("401") ? 401 : 407))
        #expect(course.told.flatMap(\.self).count == 1)
    }

    @Test(
        "Later tunnels through a proxy begin with Digest and the next nonce count, those through another proxy with Basic"
    )
    func remembers() throws {
        let authorizations = ProxyAuthorizations()
        func told(_ url: String, _ answers: [String]) throws -> String? {
            let proxy = try ProxyServer(url)
            let course = lead(answers, TunnelNegotiation(to: Self.endpoint, proxy, authorizations, .init()))
            return course.told.last?.last
        }
        #expect(try told(Self.guarded, [Self.challenge, Self.open])?.contains("nc=00000001") == true)
        #expect(try told(Self.guarded, [Self.open])?.contains("nc=00000002") == true)
        #expect(try told("http://ada:pw@p:2", [Self.open])?.contains("Basic") == true)
        // One that no longer offers Digest gets Basic.
        _ = try told(Self.guarded, ["HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\n\r\n"])
        #expect(try told(Self.guarded, [Self.open])?.contains("Basic") == true)
    }
}

import Testing

@testable import AsyncNet

/// What a SOCKS proxy is told, and what its answers mean (RFC 1928, RFC 1929): each dialogue as a whole, and cut after each
/// byte.
@Suite("SOCKS negotiations")
struct SOCKSNegotiationTests {
    struct Dialogue: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let proxy: String
        var host = "a.test"
        /// What the proxy says, each after what it was told.
        var answers: [[UInt8]]
        var told: [[UInt8]] = []
        /// A part of the error's message; `nil` for a connection.
        var error: String?
        var isLasting = false
    }

    private static let granted: [UInt8] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    private static let name: [UInt8] = [6] + Array("a.test".utf8)
    private static let credentials: [UInt8] = [1, 3] + Array("ada".utf8) + [2] + Array("pw".utf8)

    private static let good = [
        Dialogue(
            testDescription: "SOCKS5 with a name", proxy: "socks5h://p", answers: [[5, 0], granted],
            told: [[5, 1, 0], [5, 1, 0, 3] + name + [1, 187]]),
        Dialogue(
            testDescription: "SOCKS5 with an IPv4 address", proxy: "socks5h://p", host: "1.2.3.4",
            answers: [[5, 0], [5, 0, 0, 4] + Array(repeating: 9, count: 18)],
            told: [[5, 1, 0], [5, 1, 0, 1, 1, 2, 3, 4, 1, 187]]),
        Dialogue(
            testDescription: "SOCKS5 with an IPv6 address without its zone", proxy: "socks5://p", host: "fe80::1%lo",
            answers: [[5, 0], [5, 0, 0, 3, 2, 97, 98, 0, 1]],
            told: [[5, 1, 0], [5, 1, 0, 4, 0xFE, 0x80] + Array(repeating: 0, count: 13) + [1, 1, 187]]),
        Dialogue(
            testDescription: "SOCKS5 with credentials", proxy: "socks5h://ada:pw@p",
            answers: [[5, 2], [1, 0], granted],
            told: [[5, 2, 0, 2], credentials, [5, 1, 0, 3] + name + [1, 187]]),
        Dialogue(
            testDescription: "SOCKS5 that wants no credentials", proxy: "socks5h://ada:pw@p",
            answers: [[5, 0], granted],
            told: [[5, 2, 0, 2], [5, 1, 0, 3] + name + [1, 187]]),
        Dialogue(
            testDescription: "SOCKS5 with another version in the answer to the password", proxy: "socks5h://ada:pw@p",
            answers: [[5, 2], [5, 0], granted]),
        Dialogue(
            testDescription: "SOCKS4 with a user", proxy: "socks4://ada@p", host: "1.2.3.4",
            answers: [[0, 90, 1, 2, 3, 4, 5, 6]], told: [[4, 1, 1, 187, 1, 2, 3, 4] + Array("ada".utf8) + [0]]),
        Dialogue(
            testDescription: "SOCKS4a with a name", proxy: "socks4a://p", answers: [[4, 90, 0, 0, 0, 0, 0, 0]],
            told: [[4, 1, 1, 187, 0, 0, 0, 1, 0] + Array("a.test".utf8) + [0]]),
    ]

    private static func refused(_ number: UInt8, _ text: String) -> Dialogue {
        Dialogue(
            testDescription: "SOCKS5 with the reply \(number)", proxy: "socks5h://p",
            answers: [[5, 0], [5, number, 0, 1, 0, 0, 0, 0, 0, 0]], error: text)
    }

    private static let bad = [
        Dialogue(
            testDescription: "SOCKS5 that accepts no method", proxy: "socks5h://p", answers: [[5, 0xFF]],
            error: "requires a user", isLasting: true),
        Dialogue(
            testDescription: "SOCKS5 that takes no credentials", proxy: "socks5h://ada:pw@p", answers: [[5, 0xFF]],
            error: "takes no user", isLasting: true),
        Dialogue(
            testDescription: "SOCKS5 with a method that was not offered", proxy: "socks5h://p", answers: [[5, 2]],
            error: "not offered"),
        Dialogue(
            testDescription: "SOCKS5 with a method of its own", proxy: "socks5h://ada:pw@p", answers: [[5, 1]],
            error: "not offered"),
        Dialogue(
            testDescription: "a wrong password", proxy: "socks5h://ada:pw@p", answers: [[5, 2], [1, 1]],
            error: "refused the user", isLasting: true),
        Dialogue(
            testDescription: "HTTP in place of SOCKS5", proxy: "socks5h://p", answers: [Array("HT".utf8)],
            error: "not answer as SOCKS5"),
        Dialogue(
            testDescription: "another version in the reply", proxy: "socks5h://p", answers: [[5, 0], [4, 0, 0, 1]],
            error: "not answer as SOCKS5"),
        Dialogue(
            testDescription: "an unknown kind of address", proxy: "socks5h://p", answers: [[5, 0], [5, 0, 0, 2]],
            error: "unknown kind"),
        Dialogue(
            testDescription: "HTTP in place of SOCKS4", proxy: "socks4a://p", answers: [Array("HTTP/1.1".utf8)],
            error: "not answer as SOCKS4"),
        Dialogue(
            testDescription: "SOCKS4 with an IPv6 address", proxy: "socks4a://p", host: "::1", answers: [],
            error: "IPv4 addresses only", isLasting: true),
        refused(1, "general failure"), refused(2, "rules"), refused(3, "no network"), refused(4, "no route"),
        refused(5, "was refused"), refused(6, "time to live"), refused(7, "command"), refused(8, "kind of address"),
        refused(99, "number 99"), refusedByFour(91), refusedByFour(92), refusedByFour(93), refusedByFour(1),
    ]

    private static func refusedByFour(_ number: UInt8) -> Dialogue {
        Dialogue(
            testDescription: "SOCKS4 with the reply \(number)", proxy: "socks4a://p",
            answers: [[0, number, 0, 0, 0, 0, 0, 0]],
            error: "SOCKS4 proxy", isLasting: [92, 93].contains(number))
    }

    /// Leads a dialogue in which the proxy says at most so many bytes, and then closes the connection.
    private func lead(
        _ dialogue: Dialogue, pieces: Int, most: Int = .max
    ) throws -> (told: [[UInt8]], end: Result<ProxyStep, AsyncNetError>) {
        let proxy = try ProxyServer(dialogue.proxy)
        var negotiation = SOCKSNegotiation(.init(dialogue.host), port: 443, proxy)
        var (told, left) = ([[UInt8]](), most)
        do throws(AsyncNetError) {
            told.append(try negotiation.begin())
            var step = ProxyStep.wait
            for answer in dialogue.answers {
                var rest = answer.prefix(left)[...]
                left -= rest.count
                while !rest.isEmpty, step == .wait {
                    let piece = rest.prefix(min(pieces, negotiation.wanted))
                    rest = rest.dropFirst(piece.count)
                    step = try Array(piece).withBytes { bytes throws(AsyncNetError) in try negotiation.receive(bytes) }
                }
                #expect(rest.isEmpty, "It takes no byte that may be the server's")
                guard case .send(let bytes) = step else { continue }
                told.append(bytes)
                step = .wait
            }
            return (told, .success(step == .wait ? try negotiation.receiveEnd() : step))
        } catch {
            return (told, .failure(error))
        }
    }

    @Test("A SOCKS proxy gets the bytes of its version, and grants the connection", arguments: good)
    func grants(_ dialogue: Dialogue) throws {
        for pieces in [Int.max, 1, 2, 3] {
            let (told, end) = try lead(dialogue, pieces: pieces)
            #expect(try end.get() == .done)
            if !dialogue.told.isEmpty { #expect(told == dialogue.told) }
        }
    }

    @Test("A SOCKS proxy that closes the connection before its last answer leads to .proxyFailed", arguments: good)
    func cuts(_ dialogue: Dialogue) throws {
        for most in 0..<dialogue.answers.joined().count {
            let error = #expect(throws: AsyncNetError.self) { try lead(dialogue, pieces: .max, most: most).end.get() }
            #expect(error?.code == .proxyFailed)
            #expect(error?.message.contains("closed") == true)
        }
    }

    @Test("A refusal or invalid answer of a SOCKS proxy leads to .proxyFailed with the reason", arguments: bad)
    func refuses(_ dialogue: Dialogue) throws {
        for pieces in [Int.max, 1] {
            let error = #expect(throws: AsyncNetError.self) { try lead(dialogue, pieces: pieces).end.get() }
            #expect(error?.code == .proxyFailed)
            #expect(error?.message.contains(dialogue.error ?? "-") == true, "\(error?.message ?? "")")
            #expect(error?.isLasting == dialogue.isLasting)
            #expect(error?.description.contains("pw") == false)
        }
    }

    @Test("A SOCKS4 proxy gets the host's first IPv4 address, a SOCKS5 proxy the first address")
    func addresses() throws {
        let found = try ["::1", "1.2.3.4", "5.6.7.8"].map { try #require(SocketAddress(numeric: $0, port: 1)) }
        let five = try ProxyServer("socks5://p")
        let four = try ProxyServer("socks4://p")
        #expect(try SOCKSNegotiation.Host(found, for: five) == .address(Array(repeating: 0, count: 15) + [1]))
        #expect(try SOCKSNegotiation.Host(found, for: four) == .address([1, 2, 3, 4]))
        let error = #expect(throws: AsyncNetError.self) { try SOCKSNegotiation.Host([found[0]], for: four) }
        #expect(error?.code == .proxyFailed)
    }
}

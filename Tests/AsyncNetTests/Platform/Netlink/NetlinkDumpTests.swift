import Testing

@testable import AsyncNet

/// The conversation with the kernel, without a kernel.
@Suite("Netlink dumps", .timeLimit(.minutes(5)))
struct NetlinkDumpTests {
    private static let requests: [UInt16] = [18, 22, 26]
    private static let (done, error): (UInt16, UInt16) = (3, 2)

    /// A kernel that has one link, which answers whatever it is asked.
    private struct Kernel {
        var dump = NetlinkDump(port: Netlink.port)
        var sequence: UInt32 = 0

        /// The next step must be a request: its type.
        mutating func request() -> UInt16? {
            guard case .send(let bytes) = dump.next(), let message = NetlinkMessage.all(bytes[...]).first,
                message.flags == 0x301
            else { return nil }
            sequence = message.sequence
            return message.type
        }

        mutating func answer(
            _ type: UInt16, _ body: [UInt8] = [], flags: UInt16 = 2, sequence: UInt32? = nil,
            port: UInt32 = Netlink.port
        ) {
            dump.receive(
                Netlink.message(type, body, flags: flags, sequence: sequence ?? self.sequence, port: port)[...])
        }

        /// Answers all requests up to the report.
        mutating func answerAll(_ name: String = "eth0", flags: UInt16 = 2) {
            for request in NetlinkDumpTests.requests {
                #expect(self.request() == request)
                if request == 18 { answer(16, Netlink.link(2, name)) }
                answer(done, Netlink.native(Int32(0)), flags: flags)
            }
        }
    }

    private static func table(_ name: String = "eth0") -> RouteTable { Netlink.table(links: [Netlink.link(2, name)]) }

    @Test("A dump requests links, addresses and routes in order, then reports the table of them once")
    func conversation() {
        var kernel = Kernel()
        for request in Self.requests {
            #expect(kernel.request() == request)
            #expect(kernel.dump.next() == .wait)
            if request == 18 { kernel.answer(16, Netlink.link(2, "eth0")) }
            #expect(kernel.dump.next() == .wait)
            kernel.answer(Self.done)
        }
        #expect(kernel.dump.next() == .report(Self.table()))
        #expect(kernel.dump.next() == .wait)
    }

    @Test("A dump ignores messages with another port or sequence number than its last request")
    func strangers() {
        var kernel = Kernel()
        #expect(kernel.request() == 18)
        kernel.answer(Self.done, port: 9)
        kernel.answer(Self.done, sequence: 99)
        kernel.answer(Self.error, Netlink.native(Int32(-1)), port: 9)
        #expect(kernel.dump.next() == .wait)
    }

    struct Notice: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let type: UInt16
        let body: [UInt8]
        let asksAgain: Bool
    }

    static let notices = [
        Notice(testDescription: "a new link", type: 16, body: Netlink.link(2, "eth0"), asksAgain: true),
        Notice(testDescription: "a deleted link", type: 17, body: Netlink.link(2, "eth0"), asksAgain: true),
        Notice(
            testDescription: "a deleted port of a bridge", type: 17, body: Netlink.link(2, "eth0", family: 7),
            asksAgain: false),
        Notice(testDescription: "a new address", type: 20, body: Netlink.address(2, [10, 0, 0, 1]), asksAgain: true),
        Notice(
            testDescription: "a deleted address", type: 21, body: Netlink.address(2, [10, 0, 0, 1]), asksAgain: true),
        Notice(testDescription: "a new default route", type: 24, body: Netlink.route(over: 2), asksAgain: true),
        Notice(testDescription: "a deleted default route", type: 25, body: Netlink.route(10, over: 2), asksAgain: true),
        Notice(
            testDescription: "a new route to a network", type: 24, body: Netlink.route(length: 24, over: 2),
            asksAgain: false),
        Notice(testDescription: "a message of another type", type: 28, body: [], asksAgain: false),
    ]

    @Test(
        "A new dump follows a change of a link, an address or a default route, and no other message", arguments: notices
    )
    func change(_ notice: Notice) {
        var kernel = Kernel()
        kernel.answerAll()
        #expect(kernel.dump.next() == .report(Self.table()))
        kernel.answer(notice.type, notice.body, sequence: 1, port: 8)
        kernel.answer(notice.type, notice.body, sequence: 1, port: 0)
        guard notice.asksAgain else { return #expect(kernel.dump.next() == .wait) }
        kernel.answerAll("eth1")
        #expect(kernel.dump.next() == .report(Self.table("eth1")))
        #expect(kernel.dump.next() == .wait)
    }

    @Test("A dump during which something changed is reported, and another dump follows")
    func changeMeanwhile() {
        var kernel = Kernel()
        #expect(kernel.request() == 18)
        kernel.answer(Self.done)
        kernel.answer(16, Netlink.link(2, "eth0"), sequence: 0, port: 0)
        for request in Self.requests.dropFirst() {
            #expect(kernel.request() == request)
            kernel.answer(Self.done)
        }
        #expect(kernel.dump.next() == .report(RouteTable()))
        kernel.answerAll()
        #expect(kernel.dump.next() == .report(Self.table()))
    }

    @Test("A dump that the kernel interrupts each time is requested five times, then reported")
    func interrupted() {
        var kernel = Kernel()
        for attempt in 1...5 {
            kernel.answerAll("eth\(attempt)", flags: 0x12)
        }
        #expect(kernel.dump.next() == .report(Self.table("eth5")))
        #expect(kernel.dump.next() == .wait)
    }

    @Test("A new dump follows messages that were lost before, during or after a dump")
    func lost() {
        var kernel = Kernel()
        kernel.dump.lose()
        #expect(kernel.request() == 18)
        // The answer itself is among it.
        kernel.dump.lose()
        kernel.answerAll()
        #expect(kernel.dump.next() == .report(Self.table()))
        kernel.dump.lose()
        kernel.answerAll("eth1")
        #expect(kernel.dump.next() == .report(Self.table("eth1")))
        #expect(kernel.dump.next() == .wait)
    }

    @Test("A dump whose replies are lost five times in a row is reported as refused")
    func alwaysLost() {
        var kernel = Kernel()
        for _ in 1...5 {
            #expect(kernel.request() == 18)
            kernel.dump.lose()
        }
        #expect(kernel.dump.next() == .refuse)
        kernel.answerAll()
        #expect(kernel.dump.next() == .report(Self.table()))
    }

    @Test(
        "A dump that the kernel refuses is reported as refused once, and the next change leads to a new dump",
        arguments: [error, done])
    func refused(_ type: UInt16) {
        var kernel = Kernel()
        #expect(kernel.request() == 18)
        kernel.answer(type, Netlink.native(Int32(-13)))
        #expect(kernel.dump.next() == .refuse)
        #expect(kernel.dump.next() == .wait)
        kernel.answer(16, Netlink.link(2, "eth0"), sequence: 0, port: 0)
        kernel.answerAll()
        #expect(kernel.dump.next() == .report(Self.table()))
    }

    @Test("A dump whose request cannot be sent is reported as refused, and the next change leads to a new dump")
    func notSent() {
        var kernel = Kernel()
        #expect(kernel.request() == 18)
        kernel.dump.fail()
        #expect(kernel.dump.next() == .refuse)
        #expect(kernel.dump.next() == .wait)
        kernel.answer(16, Netlink.link(2, "eth0"), sequence: 0, port: 0)
        kernel.answerAll()
        #expect(kernel.dump.next() == .report(Self.table()))
    }

    @Test(
        "Messages of a datagram are read up to the first with an impossible length",
        arguments: [0, 15, 9999, UInt32.max])
    func lengths(_ length: UInt32) {
        let one = Netlink.message(16, Netlink.link(2, "eth0")),
            other = Netlink.message(20, Netlink.address(2, [10, 0, 0, 1]))
        #expect(NetlinkMessage.all((one + other)[...]).map(\.type) == [16, 20])
        let broken = Netlink.native(length) + other.dropFirst(4)
        #expect(NetlinkMessage.all((one + broken + other)[...]).map(\.type) == [16])
    }

    @Test("Random netlink messages are parsed without a trap")
    func fuzz() {
        var random = SeededRandom(state: 21)
        let samples = [
            Netlink.message(16, Netlink.link(2, "eth0", made: "veth"), sequence: 1, port: Netlink.port),
            Netlink.message(20, Netlink.address(2, [10, 0, 0, 1]), sequence: 1, port: Netlink.port),
            Netlink.message(
                24, Netlink.route(over: 2, more: Netlink.attribute(9, [8, 0, 0, 0, 2, 0, 0, 0])), sequence: 1,
                port: Netlink.port),
            Netlink.message(3, [0, 0, 0, 0], sequence: 1, port: Netlink.port),
            Netlink.message(2, [1], sequence: 1, port: Netlink.port),
        ]
        for round in 0..<12_000 {
            var bytes = (0..<Int.random(in: 0...4, using: &random)).flatMap { _ in
                samples.randomElement(using: &random) ?? []
            }
            if round.isMultiple(of: 3) {
                bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
            }
            for _ in 0..<Int.random(in: 0...6, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &random)] =
                    [0, 1, 3, 4, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
            }
            let datagram = bytes.dropLast(Int.random(in: 0...8, using: &random))
            var dump = NetlinkDump(port: Netlink.port)
            _ = dump.next()
            dump.receive(datagram.dropFirst(Int.random(in: 0...1, using: &random)))
            _ = dump.next()
            var table = RouteTable()
            for message in NetlinkMessage.all(datagram) { table.add(message) }
            _ = table.path { _ in nil }
        }
    }
}

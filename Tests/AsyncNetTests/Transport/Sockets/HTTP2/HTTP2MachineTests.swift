import Foundation
import Testing

@testable import AsyncNet

/// A machine with one stream or more, and what a server sends to it.
final class MachineUnderTest {
    private var machine: HTTP2Machine
    let streams: [HTTP2Stream]
    private(set) var log: [String] = []
    private let clock = Clock()
    var now: ContinuousClock.Instant {
        get { clock.now }
        set { clock.now = newValue }
    }

    private final class Clock { var now = ContinuousClock.now }

    init(_ methods: [HTTPMethod] = [.get], limits: HTTP2Limits = HTTP2Limits(), sendsBody: Bool = false) throws {
        machine = HTTP2Machine(limits, now: { [clock] in clock.now })
        let url = try "https://a.example/x".asURL()
        streams = methods.map { HTTP2Stream(url, $0, limits) }
        for stream in streams {
            machine.open(
                stream,
                [
                    ":method": stream.method.rawValue, ":scheme": "https", ":authority": "a.example", ":path": "/x",
                ], endsStream: !sendsBody)
        }
    }

    /// Gives bytes in portions, with what is left of one in front of the next.
    func receive(_ bytes: [UInt8], portion: Int = .max, reads: Bool = true) throws(HTTP2Violation) {
        var (rest, start) = ([UInt8](), 0)
        while start < bytes.count {
            let end = start + min(portion, bytes.count - start)
            rest += bytes[start..<end]
            start = end
            var position = 0
            let result = rest.withUnsafeBytes { input in
                Result { () throws(HTTP2Violation) in
                    while let event = try machine.next(in: input, &position) { note(event, input, reads) }
                }
            }
            try result.get()
            rest.removeFirst(position)
        }
    }

    private func note(_ event: HTTP2Machine.Event, _ input: UnsafeRawBufferPointer, _ reads: Bool) {
        switch event {
        case .informational(let stream, let head): log.append("\(stream.id) 1xx \(head.statusCode)")
        case .head(let stream, let head):
            let headers = head.headers.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
            log.append("\(stream.id) head \(head.statusCode) \(headers)".trimmedHTTPSpace)
        case .body(let stream, let range):
            log.append("\(stream.id) body \(String(decoding: input[range], as: UTF8.self))")
            if reads { machine.didRead(range.count, of: stream) }
        case .trailers(let stream, let trailers):
            log.append("\(stream.id) trailers \(trailers.map { "\($0.name)=\($0.value)" }.joined(separator: " "))")
        case .complete(let stream): log.append("\(stream.id) complete")
        case .reset(let stream, let code): log.append("\(stream.id) reset \(code)")
        case .failed(let stream, let violation): log.append("\(stream.id) violation \(violation.section)")
        case .goAway(let streams, let code): log.append("goaway \(streams.map(\.id)) \(code)")
        case .settled: log.append("settled")
        case .frame: break
        }
    }

    var body: String { log.filter { $0.contains(" body ") }.map { String($0.dropFirst(7)) }.joined() }
    func with<Value>(_ action: (inout HTTP2Machine) -> Value) -> Value { action(&machine) }
    /// What was written since the last call.
    func written() -> [WrittenFrame] {
        defer { machine.output = [] }
        return WrittenFrame.all(machine.output)
    }
}

@Suite("HTTP/2: frames of a connection")
struct HTTP2MachineTests {
    @Test("A response that arrives in portions of any size is read whole", arguments: [1, 2, 7, 9, 10, 1000])
    func portions(portion: Int) throws {
        let machine = try MachineUnderTest([.post], sendsBody: true)
        var server = FrameWriter()
        server.settings()
        server.headers([(":status", "100")])
        server.headers([(":status", "200"), ("a", " b\t"), ("set-cookie", "1"), ("set-cookie", "2")])
        server.data("he")
        server.frame(0, 0x8, on: 1, [3] + Array("llo".utf8) + [0, 0, 0])
        server.frame(0, 0x8, on: 1, [2, 0, 0])
        server.frame(0xFA, 0xFF, on: 1, [1, 2, 3])
        server.headers([("x-sum", "9")], ends: true)
        try machine.receive(server.bytes, portion: portion)
        let others = machine.log.filter { !$0.contains(" body ") }
        #expect(
            others == [
                "settled", "1 1xx 100", "1 head 200 a=b set-cookie=1 set-cookie=2", "1 trailers x-sum=9", "1 complete",
            ])
        #expect(machine.body == "hello")
    }

    @Test("A header block that goes on in CONTINUATION frames is read as one")
    func continuation() throws {
        let machine = try MachineUnderTest()
        var server = FrameWriter()
        server.settings()
        let block = server.block([(":status", "204"), ("a", "b")])
        server.frame(1, 0x1 | 0x8 | 0x20, on: 1, [2, 0, 0, 0, 0, 9] + block.prefix(1) + [0, 0])
        server.frame(9, 0, on: 1, [])
        server.frame(9, 0x4, on: 1, Array(block.dropFirst()))
        try machine.receive(server.bytes)
        #expect(machine.log == ["settled", "1 head 204 a=b", "1 complete"])
    }

    // MARK: What ends the connection

    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: HTTP2ErrorCode
        let section: String
        let bytes: [UInt8]

        init(
            _ name: String, _ code: HTTP2ErrorCode, _ section: String, settings: Bool = true,
            _ write: (inout FrameWriter) -> Void
        ) {
            (testDescription, self.code, self.section) = (name, code, section)
            var server = FrameWriter()
            if settings { server.settings() }
            write(&server)
            bytes = server.bytes
        }
    }

    static let ofConnection: [Wrong] = [
        Wrong("HTTP/1.1", .protocolError, "3.4", settings: false) { $0.raw(Array("HTTP/1.1 400 Bad\r\n\r\n".utf8)) },
        Wrong("No SETTINGS", .protocolError, "3.4", settings: false) { $0.numbers(8, 5) },
        Wrong("An acknowledgement first", .protocolError, "3.4", settings: false) { $0.frame(4, 1) },
        Wrong("Too large", .frameSizeError, "4.2") { $0.raw([0, 0x40, 1, 0, 0, 0, 0, 0, 1]) },
        Wrong("SETTINGS of 5 bytes", .frameSizeError, "6.5") { $0.frame(4, 0, [0, 0, 0, 0, 0]) },
        Wrong("SETTINGS on a stream", .protocolError, "6") { $0.frame(4, 0, on: 1) },
        Wrong("Acknowledgement with payload", .frameSizeError, "6.5") { $0.frame(4, 1, [0, 0, 0, 0, 0, 0]) },
        Wrong("ENABLE_PUSH", .protocolError, "6.5.2") { $0.settings([(2, 1)]) },
        Wrong("INITIAL_WINDOW_SIZE", .flowControlError, "6.5.2") { $0.settings([(4, 1 << 31)]) },
        Wrong("MAX_FRAME_SIZE 0", .protocolError, "6.5.2") { $0.settings([(5, 0)]) },
        Wrong("MAX_FRAME_SIZE 2^24", .protocolError, "6.5.2") { $0.settings([(5, 1 << 24)]) },
        Wrong("33 settings", .enhanceYourCalm, "10.5") { $0.settings(Array(repeating: (99, 1), count: 33)) },
        Wrong("Window beyond 2^31", .flowControlError, "6.9.2") {
            $0.numbers(8, on: 1, 0x7FFF_0000)
            $0.settings([(4, 0x7FFF_FFFF)])
        },
        Wrong("PING of 7 bytes", .frameSizeError, "4.2") { $0.frame(6, 0, [0, 0, 0, 0, 0, 0, 0]) },
        Wrong("PING on a stream", .protocolError, "6") { $0.frame(6, 0, on: 1, Array(repeating: 0, count: 8)) },
        Wrong("GOAWAY of 7 bytes", .frameSizeError, "6.8") { $0.frame(7, 0, [0, 0, 0, 0, 0, 0, 0]) },
        Wrong("WINDOW_UPDATE of 3 bytes", .frameSizeError, "4.2") { $0.frame(8, 0, [0, 0, 1]) },
        Wrong("WINDOW_UPDATE 0", .protocolError, "6.9") { $0.numbers(8, 0) },
        Wrong("WINDOW_UPDATE beyond", .flowControlError, "6.9.1") { $0.numbers(8, 0x7FFF_FFFF) },
        Wrong("WINDOW_UPDATE on an idle stream", .protocolError, "5.1") { $0.numbers(8, on: 3, 1) },
        Wrong("RST_STREAM of 5 bytes", .frameSizeError, "4.2") { $0.frame(3, 0, on: 1, [0, 0, 0, 0, 0]) },
        Wrong("RST_STREAM on an idle stream", .protocolError, "5.1") { $0.numbers(3, on: 5, 1) },
        Wrong("RST_STREAM on stream 0", .protocolError, "6") { $0.numbers(3, 1) },
        Wrong("PRIORITY of 4 bytes", .frameSizeError, "4.2") { $0.frame(2, 0, on: 1, [0, 0, 0, 0]) },
        Wrong("PUSH_PROMISE", .protocolError, "6.6") { $0.frame(5, 4, on: 1, [0, 0, 0, 2]) },
        Wrong("DATA on stream 0", .protocolError, "6") { $0.frame(0, 0, [1]) },
        Wrong("DATA on an idle stream", .protocolError, "5.1") { $0.frame(0, 0, on: 3, [1]) },
        Wrong("DATA on a stream of the server", .protocolError, "5.1") { $0.frame(0, 0, on: 2, [1]) },
        Wrong("Padding as long as DATA", .protocolError, "6.1") { $0.frame(0, 0x8, on: 1, [3, 0, 0]) },
        Wrong("Padding without a byte", .protocolError, "6.1") { $0.frame(0, 0x8, on: 1) },
        Wrong("HEADERS on an idle stream", .protocolError, "5.1") { $0.headers([(":status", "200")], on: 3) },
        Wrong("Padding longer than HEADERS", .protocolError, "6.1") { $0.frame(1, 0xC, on: 1, [9, 0x88]) },
        Wrong("HEADERS without priority", .frameSizeError, "6.2") { $0.frame(1, 0x24, on: 1, [0, 0, 0]) },
        Wrong("CONTINUATION alone", .protocolError, "6.10") { $0.frame(9, 4, on: 1, [0x88]) },
        Wrong("DATA within a block", .protocolError, "6.10") {
            $0.frame(1, 0, on: 1, [0x88])
            $0.frame(0, 0, on: 1, [1])
        },
        Wrong("CONTINUATION of another stream", .protocolError, "6.10") {
            $0.frame(1, 0, on: 1, [0x88])
            $0.frame(9, 4, on: 3, [])
        },
        Wrong("17 CONTINUATION frames", .enhanceYourCalm, "10.5") {
            $0.frame(1, 0, on: 1, [0x88])
            for _ in 0..<17 { $0.frame(9, 0, on: 1) }
        },
        Wrong("A block that cannot be decoded", .compressionError, "4.3") { $0.frame(1, 4, on: 1, [0x80]) },
        Wrong("101 DATA frames without bytes", .enhanceYourCalm, "10.5") {
            $0.headers([(":status", "200")])
            for _ in 0..<101 { $0.data("") }
        },
        Wrong("PING flood", .enhanceYourCalm, "10.5") {
            for _ in 0..<1001 { $0.frame(6, 0, Array(repeating: 0, count: 8)) }
        },
        Wrong("Answers to no PING", .enhanceYourCalm, "10.5") {
            for _ in 0..<1001 { $0.frame(6, 1, Array(repeating: 0, count: 8)) }
        },
        Wrong("Acknowledgements of no SETTINGS", .enhanceYourCalm, "10.5") {
            for _ in 0..<1002 { $0.frame(4, 1) }
        },
        Wrong("GOAWAY flood", .enhanceYourCalm, "10.5") { for _ in 0..<1001 { $0.numbers(7, 0x7FFF_FFFF, 0) } },
        Wrong("Unknown frames", .enhanceYourCalm, "10.5") { for _ in 0..<1001 { $0.frame(0xBB, 0, on: 1) } },
        Wrong("PRIORITY flood", .enhanceYourCalm, "10.5") {
            for _ in 0..<1001 { $0.frame(2, 0, on: 1, [0, 0, 0, 0, 0]) }
        },
        Wrong("WINDOW_UPDATE flood", .enhanceYourCalm, "10.5") { for _ in 0..<1001 { $0.numbers(8, on: 1, 1) } },
        Wrong("WINDOW_UPDATE flood after the request", .enhanceYourCalm, "10.5") {
            for _ in 0..<1001 { $0.numbers(8, on: 1, 1000) }
        },
        Wrong("DATA flood after END_STREAM", .enhanceYourCalm, "10.5") {
            $0.headers([(":status", "204")], ends: true)
            for _ in 0..<1001 { $0.data("a") }
        },
        Wrong("DATA flood after RST_STREAM", .enhanceYourCalm, "10.5") {
            $0.headers([(":status", "200")])
            $0.numbers(3, on: 1, 8)
            for _ in 0..<1001 { $0.data("a") }
        },
        Wrong("RST_STREAM flood", .enhanceYourCalm, "10.5") { for _ in 0..<1010 { $0.numbers(3, on: 1, 8) } },
    ]

    @Test(
        "A frame that RFC 9113 forbids a server ends the connection with its error code and section",
        arguments: ofConnection)
    func connectionErrors(wrong: Wrong) throws {
        let machine = try MachineUnderTest()
        let violation = #expect(throws: HTTP2Violation.self) { try machine.receive(wrong.bytes) }
        #expect(violation?.code == wrong.code)
        #expect(violation?.section == wrong.section)
    }

    // MARK: What ends a stream

    static let ofStream: [Wrong] = [
        Wrong("No :status", .protocolError, "8.3.2") { $0.headers([("a", "b")]) },
        Wrong("A second :status", .protocolError, "8.3") { $0.headers([(":status", "200"), (":status", "200")]) },
        Wrong(":status last", .protocolError, "8.3.2") { $0.headers([("a", "b"), (":status", "200")]) },
        Wrong(":status of two digits", .protocolError, "8.3.2") { $0.headers([(":status", "20")]) },
        Wrong("101", .protocolError, "8.3.2") { $0.headers([(":status", "101")]) },
        Wrong("Upper case", .protocolError, "8.2.1") { $0.upperCase() },
        Wrong("Line break", .protocolError, "8.2.1") { $0.headers([(":status", "200"), ("a", "b\r\nc")]) },
        Wrong("NUL", .protocolError, "8.2.1") { $0.headers([(":status", "200"), ("a", "b\0c")]) },
        Wrong("Space in a name", .protocolError, "8.2.1") { $0.headers([(":status", "200"), ("a b", "c")]) },
        Wrong("Empty name", .protocolError, "8.2.1") { $0.headers([(":status", "200"), ("", "c")]) },
        Wrong("connection", .protocolError, "8.2.2") { $0.headers([(":status", "200"), ("connection", "close")]) },
        Wrong("transfer-encoding", .protocolError, "8.2.2") {
            $0.headers([(":status", "200"), ("transfer-encoding", "chunked")])
        },
        Wrong("1xx with the end", .protocolError, "8.1") { $0.headers([(":status", "103")], ends: true) },
        Wrong("101 times 1xx", .enhanceYourCalm, "10.5") { for _ in 0..<101 { $0.headers([(":status", "103")]) } },
        Wrong("DATA first", .protocolError, "8.1") { $0.data("a") },
        Wrong("The end first", .protocolError, "8.1") { $0.data("", ends: true) },
        Wrong("Trailers without the end", .protocolError, "8.1") {
            $0.headers([(":status", "200")])
            $0.headers([("a", "b")])
        },
        Wrong("Pseudo-header in trailers", .protocolError, "8.3") {
            $0.headers([(":status", "200")])
            $0.headers([(":status", "200")], ends: true)
        },
        Wrong("Content-Length too small", .protocolError, "8.1.1") {
            $0.headers([(":status", "200"), ("content-length", "2")])
            $0.data("abc", ends: true)
        },
        Wrong("Content-Length too large", .protocolError, "8.1.1") {
            $0.headers([(":status", "200"), ("content-length", "4")])
            $0.data("abc", ends: true)
        },
        Wrong("Content-Length and no body", .protocolError, "8.1.1") {
            $0.headers([(":status", "200"), ("content-length", "4")], ends: true)
        },
        Wrong("Content-Length invalid", .protocolError, "8.1.1") {
            $0.headers([(":status", "200"), ("content-length", "+3")])
        },
        Wrong("204 with a body", .protocolError, "8.1.1") {
            $0.headers([(":status", "204")])
            $0.data("a")
        },
        Wrong("Too many headers", .enhanceYourCalm, "10.5.1") { server in
            server.headers([(":status", "200")] + Array(repeating: ("a", "b"), count: 1001))
        },
        Wrong("WINDOW_UPDATE 0", .protocolError, "6.9") { $0.numbers(8, on: 1, 0) },
        Wrong("WINDOW_UPDATE beyond", .flowControlError, "6.9.1") { $0.numbers(8, on: 1, 0x7FFF_FFFF) },
    ]

    @Test("A frame that RFC 9113 forbids on a stream resets it, and another stream goes on", arguments: ofStream)
    func streamErrors(wrong: Wrong) throws {
        let machine = try MachineUnderTest([.get, .get])
        try machine.receive(wrong.bytes)
        #expect(machine.log.last == "1 violation \(wrong.section)")
        let reset = WrittenFrame(kind: 3, flags: 0, stream: 1, payload: [0, 0, 0, UInt8(wrong.code.rawValue)])
        #expect(machine.written().contains(reset))
        var server = FrameWriter()
        // No dynamic table is used: the machine's has what the wrong bytes said.
        server.frame(1, 0x5, on: 3, [0x89])
        try machine.receive(server.bytes)
        #expect(machine.log.suffix(2) == ["3 head 204", "3 complete"])
    }

    // MARK: Ends

    @Test("Frames of a cancelled stream are dropped, and their bytes returned to the connection's window")
    func lateFrames() throws {
        var limits = HTTP2Limits()
        (limits.streamWindow, limits.connectionWindow) = (65_535, 80_000)
        let machine = try MachineUnderTest([.get, .get], limits: limits)
        var server = FrameWriter()
        server.settings()
        server.headers([(":status", "200")])
        try machine.receive(server.bytes)
        machine.with { $0.cancel(machine.streams[0]) }
        #expect(machine.written().suffix(2).map(\.kind) == [3, 6])
        server = FrameWriter()
        for _ in 0..<4 { server.frame(0, 0, on: 1, Array(repeating: 65, count: 15_000)) }
        server.numbers(8, on: 1, 5)
        server.numbers(3, on: 1, 8)
        try machine.receive(server.bytes)
        #expect(machine.log == ["settled", "1 head 200"])
        #expect(machine.written().contains { $0.kind == 8 && $0.stream == 0 })
    }

    @Test("A cancelled stream counts as open until the server answers the PING sent after its RST_STREAM")
    func cancelledStreams() throws {
        let machine = try MachineUnderTest([.get, .get])
        var server = FrameWriter()
        server.settings([(3, 2)])
        try machine.receive(server.bytes)
        machine.with { $0.cancel(machine.streams[0]) }
        #expect(machine.with { $0.capacity } == 0)
        server = FrameWriter()
        server.frame(6, 1, Array(repeating: 0, count: 8))
        try machine.receive(server.bytes)
        #expect(machine.with { $0.capacity } == 1)
        #expect(machine.log == ["settled", "settled"])
    }

    @Test("A stream cancelled while a PING is unanswered counts as open until the server answers another PING")
    func cancelledBehindPing() throws {
        let machine = try MachineUnderTest([.get, .get])
        var server = FrameWriter()
        server.settings([(3, 2)])
        try machine.receive(server.bytes)
        for stream in machine.streams { machine.with { $0.cancel(stream) } }
        server = FrameWriter()
        server.frame(6, 1, Array(repeating: 0, count: 8))
        try machine.receive(server.bytes)
        #expect(machine.with { $0.capacity } == 1)
        try machine.receive(server.bytes)
        #expect(machine.with { $0.capacity } == 2)
        #expect(machine.written().filter { $0.kind == 6 }.count == 2)
    }

    @Test("RST_STREAM after a complete response is ignored, and one before it resets the stream")
    func resets() throws {
        let machine = try MachineUnderTest([.post, .post], sendsBody: true)
        var server = FrameWriter()
        server.settings()
        server.headers([(":status", "413")], ends: true)
        server.numbers(3, on: 1, 0)
        server.headers([(":status", "200")], on: 3)
        server.numbers(3, on: 3, 0)
        try machine.receive(server.bytes)
        #expect(machine.log == ["settled", "1 head 413", "1 complete", "3 head 200", "3 reset 0"])
    }

    @Test("GOAWAY ends the streams above its last stream, and no other stream can be opened")
    func goAway() throws {
        let machine = try MachineUnderTest([.get, .get, .get])
        var server = FrameWriter()
        server.settings()
        server.numbers(7, 0x7FFF_FFFF, 0)
        server.numbers(7, 3, 0)
        server.headers([(":status", "200")], ends: true)
        try machine.receive(server.bytes)
        #expect(machine.log == ["settled", "goaway [] 0", "goaway [5] 0", "1 head 200", "1 complete"])
        #expect(machine.with { $0.capacity } == 0)
    }

    @Test("REFUSED_STREAM limits the streams to those still open; each response raises the limit, SETTINGS removes it")
    func refused() throws {
        let machine = try MachineUnderTest([.get, .get, .get])
        var server = FrameWriter()
        server.settings()
        server.numbers(3, on: 5, 7)
        try machine.receive(server.bytes)
        #expect(machine.log.last == "5 reset 7")
        #expect(machine.with { $0.capacity } == 0)
        server = FrameWriter()
        server.headers([(":status", "204")], ends: true)
        try machine.receive(server.bytes)
        #expect(machine.with { $0.capacity } == 2)
        server = FrameWriter()
        server.settings([(3, 10)])
        try machine.receive(server.bytes)
        #expect(machine.with { $0.capacity } == 9)
    }

    @Test("After the last stream number the connection opens no other stream")
    func numbers() throws {
        let machine = try MachineUnderTest([])
        machine.with { $0.nextStream = 0x7FFF_FFFB }
        #expect(machine.with { $0.capacity } == 2)
        for _ in 0..<2 {
            let stream = HTTP2Stream(try "https://a.example/".asURL(), .get, HTTP2Limits())
            machine.with { $0.open(stream, [":method": "GET"], endsStream: true) }
        }
        #expect(machine.written().last?.stream == 0x7FFF_FFFD)
        #expect(machine.with { ($0.capacity, $0.isGoingAway) } == (0, true))
    }

    @Test("The machine acknowledges PING and SETTINGS")
    func answers() throws {
        let machine = try MachineUnderTest()
        _ = machine.written()
        var server = FrameWriter()
        server.settings([(1, 0), (6, 100)])
        server.frame(6, 0, [1, 2, 3, 4, 5, 6, 7, 8])
        try machine.receive(server.bytes)
        #expect(
            machine.written() == [
                WrittenFrame(kind: 4, flags: 1, stream: 0, payload: []),
                WrittenFrame(kind: 6, flags: 1, stream: 0, payload: [1, 2, 3, 4, 5, 6, 7, 8]),
            ])
    }
}

extension FrameWriter {
    /// `:status: 200`, then a literal field `A: b`.
    fileprivate mutating func upperCase() { frame(1, 0x4, on: 1, [0x88, 0, 1, 0x41, 1, 0x62]) }
}

import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetTestSupport

@Suite("HTTP/2 server machine")
struct HTTP2ServerMachineTests {
    typealias Frames = @Sendable (inout FrameWriter) -> Void

    struct Violation: Sendable {
        let code: HTTP2ErrorCode
        let section: String
        let write: Frames

        init(_ code: HTTP2ErrorCode, _ section: String, _ write: @escaping Frames) {
            (self.code, self.section, self.write) = (code, section, write)
        }
    }

    private static let request = [(":method", "POST"), (":scheme", "http"), (":authority", "a"), (":path", "/")]

    /// A machine that has received the preface, SETTINGS and an acknowledgement, and what it has written since.
    private func machine(_ settings: MockServer.HTTP2 = .init()) -> HTTP2ServerMachine {
        var machine = HTTP2ServerMachine(settings)
        var frames = FrameWriter()
        frames.raw(HTTP2Frame.preface)
        frames.settings()
        frames.frame(4, 1)
        _ = machine.receive(Data(frames.bytes))
        machine.output = []
        return machine
    }

    private func bytes(_ write: Frames) -> Data {
        var frames = FrameWriter()
        write(&frames)
        return Data(frames.bytes)
    }

    /// The frames as texts: kind, flags, stream and length.
    private func frames(_ output: [UInt8]) -> [String] {
        var texts: [String] = []
        var rest = output[...]
        while rest.count >= HTTP2Frame.Header.size {
            let header = Array(rest).withUnsafeBytes { HTTP2Frame.Header($0) }
            texts.append("\(header.name) \(header.flags.rawValue) \(header.stream) \(header.length)")
            rest = rest.dropFirst(HTTP2Frame.Header.size + header.length)
        }
        return texts
    }

    @Test("The server begins with SETTINGS and a WINDOW_UPDATE of the connection")
    func opening() {
        let output = HTTP2ServerMachine(.init(concurrentStreams: 7, initialWindow: 3)).output
        #expect(frames(output) == ["SETTINGS 0 0 12", "WINDOW_UPDATE 0 0 4"])
        #expect(output[9..<21] == [0, 3, 0, 0, 0, 7, 0, 4, 0, 0, 0, 3])
    }

    @Test("Frames are parsed from pieces of any size", arguments: [1, 7, 1000])
    func pieces(size: Int) {
        var machine = HTTP2ServerMachine(.init())
        let all = bytes {
            $0.raw(HTTP2Frame.preface)
            $0.settings()
            $0.headers(Self.request)
            $0.data("hel")
            $0.data("lo", ends: true)
        }
        var texts: [String] = []
        for start in stride(from: 0, to: all.count, by: size) {
            for event in machine.receive(all.dropFirst(start).prefix(size)) {
                switch event {
                case .head(let id, let head, let isComplete): texts.append("\(id) \(head.method) \(isComplete)")
                case .body(let id, let bytes, let isComplete):
                    texts.append("\(id) \(String(decoding: bytes, as: UTF8.self)) \(isComplete)")
                case .reset(let id): texts.append("\(id) reset")
                }
            }
        }
        #expect(texts == ["1 POST false", "1 hel false", "1 lo true"])
        #expect(machine.violations.isEmpty)
    }

    static let ofConnection: [Violation] = [
        Violation(.protocolError, "5.1") { $0.data("x") },
        Violation(.protocolError, "5.1.1") { $0.headers(request, on: 2) },
        Violation(.protocolError, "6") { $0.frame(0, 0, on: 0, [1]) },
        Violation(.protocolError, "6") { $0.frame(4, 0, on: 1) },
        Violation(.protocolError, "8.4") { $0.frame(5, 0, on: 1) },
        Violation(.protocolError, "6.10") { $0.frame(9, 4, on: 1) },
        Violation(.frameSizeError, "4.2") { $0.frame(6, 0, [1]) },
        Violation(.frameSizeError, "6.5") { $0.frame(4, 1, [1]) },
        Violation(.compressionError, "4.3") { $0.frame(1, 4, on: 1, [0xFF]) },
        Violation(.protocolError, "6.9") { $0.numbers(8, 0) },
        Violation(.flowControlError, "6.9") { $0.numbers(8, 0x7FFF_FFFF) },
        Violation(.protocolError, "6.10") {
            $0.frame(1, 0, on: 1)
            $0.frame(6, 0, Array(repeating: 0, count: 8))
        },
        Violation(.protocolError, "6.1") {
            $0.headers(request)
            $0.frame(0, 8, on: 1, [9])
        },
    ]

    @Test(
        "After a client's violation of RFC 9113 on the connection the server sends GOAWAY and records the section",
        arguments: ofConnection)
    func violations(_ violation: Violation) {
        var machine = machine()
        _ = machine.receive(bytes(violation.write))
        #expect(machine.violations.map(\.code) == [violation.code])
        #expect(machine.violations.map(\.section) == [violation.section])
        #expect(machine.isBroken)
        #expect(frames(machine.output).last?.hasPrefix("GOAWAY 0 0") == true)
    }

    @Test("A connection without the preface, or whose first frame is not SETTINGS, is ended")
    func preface() {
        for all in [
            Data("GET / HTTP/1.1\r\n".utf8),
            bytes {
                $0.raw(HTTP2Frame.preface)
                $0.numbers(8, 1)
            },
        ] {
            var machine = HTTP2ServerMachine(.init())
            _ = machine.receive(all)
            #expect(machine.violations.map(\.section) == ["3.4"])
        }
    }

    static let ofStream: [Violation] = [
        Violation(.protocolError, "8.3.1") { $0.headers([(":method", "GET"), (":path", "/")]) },
        Violation(.protocolError, "8.3") { $0.headers(request + [(":path", "/")]) },
        Violation(.protocolError, "8.2.2") { $0.headers(request + [("connection", "close")]) },
        Violation(.protocolError, "8.2.1") { $0.headers(request + [("x", "\u{1}")]) },
        Violation(.protocolError, "8.1.1") {
            $0.headers(request + [("content-length", "5")])
            $0.data("four", ends: true)
        },
        Violation(.protocolError, "8.1.1") {
            $0.headers(request + [("content-length", "-9223372036854775808")])
            $0.data("four", ends: true)
        },
        Violation(.protocolError, "8.1") {
            $0.headers(request)
            $0.headers([("x", "1")])
        },
        Violation(.streamClosed, "5.1") {
            $0.headers(request, ends: true)
            $0.data("late")
        },
        Violation(.flowControlError, "6.9.1") {
            $0.headers(request)
            $0.data("12345678901")
        },
        Violation(.flowControlError, "6.9") {
            $0.headers(request)
            $0.numbers(8, on: 1, 0x7FFF_FFFF)
        },
    ]

    @Test("After a client's violation of RFC 9113 on a stream the server sends RST_STREAM", arguments: ofStream)
    func streamViolations(_ violation: Violation) {
        var machine = machine(.init(initialWindow: 10))
        let events = machine.receive(bytes(violation.write))
        #expect(machine.violations.map(\.code) == [violation.code])
        #expect(machine.violations.map(\.section) == [violation.section])
        #expect(!machine.isBroken)
        #expect(frames(machine.output) == ["RST_STREAM 0 1 4"])
        if case .reset(1) = events.last {} else { Issue.record("\(events)") }
    }

    @Test("A stream above the concurrency limit is refused, and one after GOAWAY is ignored")
    func limits() {
        var machine = machine(.init(concurrentStreams: 1))
        #expect(
            machine.receive(
                bytes {
                    $0.headers(Self.request)
                    $0.headers(Self.request, on: 3)
                }
            ).count == 1)
        #expect(frames(machine.output) == ["RST_STREAM 0 3 4"])
        machine.goAway(0, lastStream: 1)
        machine.reset(1, 0)
        #expect(machine.receive(bytes { $0.headers(Self.request, on: 5) }).isEmpty)
        #expect(machine.violations.isEmpty)
    }

    @Test("A changed initial window applies to a stream once the client has acknowledged SETTINGS")
    func windows() {
        var machine = machine(.init(initialWindow: 0))
        _ = machine.receive(bytes { $0.headers(Self.request) })
        machine.update(.init(initialWindow: 4))
        #expect(machine.streams[1]?.receiveWindow == 0)
        _ = machine.receive(
            bytes {
                $0.frame(4, 1)
                $0.data("123")
            })
        #expect(machine.violations.isEmpty)
        #expect(frames(machine.output) == ["SETTINGS 0 0 12", "WINDOW_UPDATE 0 1 4"])
        #expect(machine.streams[1]?.receiveWindow == 4)
    }

    @Test("DATA of a body is sent only as far as the client's windows allow")
    func room() {
        var machine = machine()
        _ = machine.receive(
            bytes {
                $0.settings([(4, 10)])
                $0.headers(Self.request, ends: true)
            })
        #expect(machine.room(on: 1) == 10)
        machine.send(Data("1234567".utf8), on: 1, endsStream: false)
        #expect(machine.room(on: 1) == 3)
        _ = machine.receive(bytes { $0.settings([(4, 5)]) })
        #expect(machine.room(on: 1) == 0)
        _ = machine.receive(bytes { $0.numbers(8, on: 1, 100_000) })
        #expect(machine.room(on: 1) == 16_384)
    }

    @Test("A response that ends before the request did is followed by RST_STREAM with NO_ERROR (RFC 9113 §8.1)")
    func early() {
        var machine = machine()
        _ = machine.receive(bytes { $0.headers(Self.request) })
        machine.send([(":status", "413")], on: 1, endsStream: true)
        #expect(frames(machine.output) == ["HEADERS 5 1 5", "RST_STREAM 0 1 4"])
        #expect(machine.output.suffix(4) == [0, 0, 0, 0])
    }

    @Test("The server answers PING unless it is configured not to")
    func ping() {
        for answers in [true, false] {
            var machine = machine(.init(answersPings: answers))
            _ = machine.receive(bytes { $0.frame(6, 0, Array(repeating: 1, count: 8)) })
            #expect(frames(machine.output) == (answers ? ["PING 1 0 8"] : []))
        }
    }

    @Test("A head larger than a frame continues in CONTINUATION")
    func continuation() {
        var machine = machine()
        _ = machine.receive(bytes { $0.headers(Self.request, ends: true) })
        machine.send([(":status", "200"), ("x", String(repeating: "~", count: 20_000))], on: 1, endsStream: true)
        let texts = frames(machine.output)
        #expect(
            texts.map { $0.prefix { $0 != "," }.split(separator: " ").prefix(3).joined(separator: " ") }
                == ["HEADERS 1 1", "CONTINUATION 4 1"])
    }

    @Test("A request's :authority becomes Host, and several cookie fields become one Cookie")
    func head() throws {
        let head = try HTTP2RequestHead(
            (Self.request + [("cookie", "a=1"), ("x", "y"), ("cookie", "b=2")]).map { HTTPHeader(name: $0, value: $1) })
        #expect(head.headers.map { "\($0.name): \($0.value)" } == ["Host: a", "Cookie: a=1; b=2", "x: y"])
    }
}

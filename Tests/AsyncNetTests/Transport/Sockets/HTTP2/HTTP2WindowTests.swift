import Foundation
import Testing

@testable import AsyncNet

@Suite("HTTP/2: windows")
struct HTTP2WindowTests {
    private static let start = ContinuousClock.now

    @Test("WINDOW_UPDATE is due once a quarter of the window is read")
    func credit() {
        var window = HTTP2ReceiveWindow(1000)
        let fits = (window.receive(1000), window.receive(1))
        #expect(fits == (true, false))
        window = HTTP2ReceiveWindow(1000)
        _ = window.receive(300)
        let early = window.didRead(249, Self.start, roundTrip: nil, room: 0)
        #expect(early == nil)
        let credit = window.didRead(51, Self.start, roundTrip: nil, room: 0)
        #expect(credit == 300)
        let available = window.available
        #expect(available == 1000)
    }

    @Test("The window doubles if more than half of it is read within a round trip")
    func growth() {
        var window = HTTP2ReceiveWindow(1000, growsTo: 4000)
        var now = Self.start
        func read(_ count: Int, in time: Duration, room: Int = 100_000) -> Int? {
            _ = window.receive(count)
            now += time
            return window.didRead(count, now, roundTrip: .milliseconds(100), room: room)
        }
        #expect(read(250, in: .zero) == 250)
        // A rate of 500 bytes in a round trip is half of the window.
        #expect(read(250, in: .milliseconds(50)) == 250)
        #expect(read(250, in: .milliseconds(49), room: 999) == 250)
        #expect(read(250, in: .milliseconds(49)) == 1250)
        #expect(window.size == 2000)
        #expect(read(500, in: .milliseconds(1)) == 2500)
        #expect(read(1000, in: .milliseconds(1)) == 1000)
        #expect(window.size == 4000)
    }

    @Test("A body is sent as far as the windows of its stream and of the connection allow")
    func sending() throws {
        let machine = try MachineUnderTest([.post, .post], sendsBody: true)
        var server = FrameWriter()
        server.settings([(4, 10)])
        try machine.receive(server.bytes)
        _ = machine.written()
        func send(_ index: Int, _ count: Int, ends: Bool = false) -> Int {
            machine.with { machine in
                let room = min(count, machine.room(of: machine.streams[UInt32(index * 2 + 1)] ?? self.none))
                guard room > 0 || ends else { return 0 }
                let bytes = [UInt8](repeating: 0, count: room)
                let stream = machine.streams[UInt32(index * 2 + 1)] ?? self.none
                bytes.withUnsafeBytes { machine.sendData(stream, $0, isLast: ends) }
                return room
            }
        }
        #expect(send(0, 100) == 10)
        #expect(
            machine.written() == [WrittenFrame(kind: 0, flags: 0, stream: 1, payload: Array(repeating: 0, count: 10))])
        #expect(send(0, 100) == 0)
        // A smaller window takes back what was given.
        server = FrameWriter()
        server.settings([(4, 4)])
        server.numbers(8, on: 1, 6)
        try machine.receive(server.bytes)
        #expect(send(0, 100) == 0)
        #expect(send(1, 100) == 4)
        server = FrameWriter()
        server.numbers(8, on: 1, 5)
        try machine.receive(server.bytes)
        #expect(send(0, 100) == 5)
        // The end needs no window.
        #expect(send(0, 100, ends: true) == 0)
        #expect(machine.written().last == WrittenFrame(kind: 0, flags: 1, stream: 1, payload: []))
    }

    private let none = HTTP2Stream(URL(filePath: "/"), .get, HTTP2Limits())

    @Test("A server may return an upload's window in many small WINDOW_UPDATE frames, also hundreds at once")
    func portions() throws {
        let machine = try MachineUnderTest([.post], sendsBody: true)
        let stream = machine.streams[0]
        func exchange(frames: Int, of size: Int, updates: Int, of increment: UInt32) throws {
            let bytes = [UInt8](repeating: 0, count: size)
            machine.with { machine in
                for _ in 0..<frames { bytes.withUnsafeBytes { machine.sendData(stream, $0, isLast: false) } }
            }
            var server = FrameWriter()
            for _ in 0..<updates {
                server.numbers(8, increment)
                server.numbers(8, on: 1, increment)
            }
            try machine.receive(server.bytes)
        }
        var server = FrameWriter()
        server.settings()
        try machine.receive(server.bytes)
        for _ in 0..<100 { try exchange(frames: 1, of: 65_536, updates: 16, of: 4096) }
        for _ in 0..<100 { try exchange(frames: 4, of: 16_384, updates: 256, of: 256) }
        for _ in 0..<100 { try exchange(frames: 650, of: 100, updates: 650, of: 100) }
    }

    @Test("DATA of one stream reduces the connection's window for the other streams")
    func connectionWindow() throws {
        let machine = try MachineUnderTest([.post, .post], sendsBody: true)
        var server = FrameWriter()
        server.settings([(4, 1 << 20), (5, 1 << 20)])
        try machine.receive(server.bytes)
        let streams = machine.streams
        let bytes = [UInt8](repeating: 0, count: 65_000)
        machine.with { machine in bytes.withUnsafeBytes { machine.sendData(streams[0], $0, isLast: false) } }
        #expect(machine.with { $0.room(of: streams[1]) } == 535)
        server = FrameWriter()
        server.numbers(8, 1000)
        try machine.receive(server.bytes)
        #expect(machine.with { $0.room(of: streams[1]) } == 1535)
    }

    @Test(
        "Stream windows grow to half of the connection's window, and no more streams open than fit in it"
    )
    func budget() throws {
        var limits = HTTP2Limits()
        (limits.streamWindow, limits.largestStreamWindow, limits.connectionWindow) = (100_000, 1_000_000, 600_000)
        let machine = try MachineUnderTest([.get, .get], limits: limits)
        var server = FrameWriter()
        server.settings()
        server.frame(4, 1)
        server.headers([(":status", "200")])
        for _ in 0..<8 { server.frame(0, 0, on: 1, Array(repeating: 65, count: 12_500)) }
        machine.now += .milliseconds(100)
        try machine.receive(server.bytes, reads: false)
        for _ in 0..<100 {
            machine.now += .milliseconds(1)
            machine.with { $0.didRead(12_500, of: machine.streams[0]) }
        }
        #expect(machine.streams[0].receiveWindow.size == 200_000)
        #expect(machine.with { $0.capacity } == 3)
        machine.with { $0.cancel(machine.streams[0]) }
        #expect(machine.with { $0.flow.streamWindows } == 100_000)
    }

    @Test("A head above the peer's frame size is sent in HEADERS and CONTINUATION frames")
    func largeHead() throws {
        let machine = try MachineUnderTest([])
        _ = machine.written()
        let stream = none
        let values = (0..<20).map { String(repeating: "\($0)x", count: 1000) }
        var fields: HTTPHeaders = [":method": "GET"]
        for value in values { fields.add(name: "a", value: value) }
        machine.with { $0.open(stream, fields, endsStream: true) }
        let frames = machine.written()
        #expect(frames.map(\.kind) == [1] + Array(repeating: 9, count: frames.count - 1))
        #expect(frames.map(\.flags) == [1] + Array(repeating: 0, count: frames.count - 2) + [4])
        #expect(frames.dropLast().allSatisfy { $0.payload.count == 16_384 })
        var decoder = HPACKDecoder(listBytes: 1_000_000)
        let decoded = try decoder.decode(frames.flatMap(\.payload)).fields
        #expect(decoded.map(\.value) == ["GET"] + values)
    }

    @Test("A FrameBudget allows 1000 frames at once, then 100 a second")
    func frameBudget() {
        var budget = FrameBudget()
        var now = Self.start
        let first = (0..<1001).map { _ in budget.take(now) }
        #expect(first.filter(\.self).count == 1000)
        now += .milliseconds(30)
        let later = (0..<4).map { _ in budget.take(now) }
        #expect(later == [true, true, true, false])
        budget.refund(2)
        let refunded = (0..<3).map { _ in budget.take(now) }
        #expect(refunded == [true, true, false])
    }

    @Test("Three unread bodies leave another stream its part of the connection's window")
    func unreadBodies() throws {
        var limits = HTTP2Limits()
        (limits.streamWindow, limits.connectionWindow) = (100_000, 400_000)
        let machine = try MachineUnderTest([.get, .get, .get, .get], limits: limits)
        #expect(machine.with { $0.capacity } == 0)
        var server = FrameWriter()
        server.settings()
        for stream in [1, 3, 5] as [UInt32] {
            server.headers([(":status", "200")], on: stream)
            for _ in 0..<10 { server.frame(0, 0, on: stream, Array(repeating: 65, count: 10_000)) }
        }
        server.headers([(":status", "200")], on: 7)
        try machine.receive(server.bytes, reads: false)
        // What one is read of suffices for it to go on without an end.
        for _ in 0..<100 {
            server = FrameWriter()
            server.frame(0, 0, on: 7, Array(repeating: 65, count: 16_000))
            try machine.receive(server.bytes)
        }
        #expect(!machine.log.contains { $0.contains("violation") })
    }
}

extension FrameBudget {
    fileprivate mutating func take(_ now: ContinuousClock.Instant) -> Bool { (try? spend("PING", now)) != nil }
}

import Foundation
import Testing

@testable import AsyncNet

/// What a duplex connection's pipe decides, without a connection.
@Suite("DuplexPipeState")
struct DuplexPipeStateTests {
    private static let mark = DuplexPipeState.highWaterMark
    private let lost = AsyncNetError(.connectionLost)

    @Test("read() returns the received bytes in order, then the end at each later call")
    func reading() {
        var state = DuplexPipeState()
        #expect(state.read() == .wait)
        #expect(!state.isReadable)
        state.receive(Data([1]))
        state.receive(Data([2, 3]))
        state.endReceiving(.success(()))
        state.endReceiving(.failure(lost))
        #expect(state.isReadable)
        #expect(state.read() == .bytes(Data([1]), makesRoom: false))
        #expect(state.read() == .bytes(Data([2, 3]), makesRoom: false))
        #expect(state.read() == .end)
        #expect(state.read() == .end)
    }

    @Test("read() returns the bytes received before a failure, then the failure")
    func failure() {
        var state = DuplexPipeState()
        state.receive(Data([1]))
        state.didClose(lost)
        #expect(state.read() == .bytes(Data([1]), makesRoom: false))
        #expect(state.read() == .failure(lost))
    }

    @Test("At the high-water mark there is no room for receiving, and read() reports room once half is read")
    func backPressure() {
        var state = DuplexPipeState()
        let quarter = Data(count: Self.mark / 4)
        #expect(state.receivingRoom() == Self.mark)
        for _ in 0..<4 { state.receive(quarter) }
        #expect(state.receivingRoom() == 0)
        #expect(state.read() == .bytes(quarter, makesRoom: false))
        #expect(state.read() == .bytes(quarter, makesRoom: true))
        #expect(state.read() == .bytes(quarter, makesRoom: false))
        #expect(state.receivingRoom() == Self.mark / 4 * 3)
    }

    @Test("send() asks the loop's thread to take bytes once, until the thread has taken them")
    func sending() throws {
        var state = DuplexPipeState()
        #expect(try !state.send(Data()))
        #expect(try state.send(Data([1])))
        #expect(try !state.send(Data([2])))
        #expect(state.takeOutgoing().pieces == [Data([1]), Data([2])])
        #expect(try state.send(Data([3])))
        #expect(try !state.finishSending())
        let rest = state.takeOutgoing()
        #expect(rest.pieces == [Data([3])])
        #expect(rest.isLast)
        #expect(AsyncNetError.code { _ = try state.send(Data([4])) } == .invalidRequest)
    }

    @Test("At the high-water mark of unsent bytes there is no room for sending, and after the end always")
    func sendingRoom() throws {
        var state = DuplexPipeState()
        _ = try state.send(Data(count: Self.mark + 1))
        #expect(!state.hasSendingRoom)
        _ = state.takeOutgoing()
        state.didSend(1)
        #expect(!state.hasSendingRoom)
        state.didSend(1)
        #expect(state.hasSendingRoom)
        _ = try state.send(Data(count: 10))
        #expect(!state.hasSendingRoom)
        state.didClose(lost)
        #expect(state.hasSendingRoom)
    }

    @Test("close() takes effect after the sent bytes; then read() returns the end, and send() throws")
    func close() throws {
        var state = DuplexPipeState()
        _ = try state.send(Data([1]))
        #expect(state.close() == false)
        #expect(AsyncNetError.code { _ = try state.send(Data([2])) } == .connectionLost)
        let outgoing = state.takeOutgoing()
        #expect(outgoing.pieces == [Data([1])])
        #expect(outgoing.closes)
        state.didClose(nil)
        #expect(state.close() == nil)
        #expect(state.read() == .end)
        #expect(state.closure?.code == .connectionLost)
        state.didClose(AsyncNetError(.timedOut))
        #expect(state.closure?.code == .connectionLost)
    }
}

extension DuplexPipeState.Read: Equatable {
    static func == (one: Self, other: Self) -> Bool {
        switch (one, other) {
        case (.bytes(let one, let oneRoom), .bytes(let other, let otherRoom)): one == other && oneRoom == otherRoom
        case (.end, .end), (.wait, .wait): true
        case (.failure(let one), .failure(let other)): one.code == other.code
        default: false
        }
    }
}

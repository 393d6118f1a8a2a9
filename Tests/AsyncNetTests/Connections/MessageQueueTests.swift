import Foundation
import Testing

@testable import AsyncNet

@Suite("The queue of received messages", .timeLimit(.minutes(5)))
struct MessageQueueTests {
    @Test("take() returns the messages in order, then nil at each later call")
    func order() async throws {
        let queue = MessageQueue()
        for number in 0..<3 { queue.add(.text("\(number)")) }
        queue.finish(.success(()))
        queue.finish(.failure(AsyncNetError(.connectionLost)))
        queue.add(.text("late"))
        for number in 0..<3 { #expect(try await queue.take() == .text("\(number)")) }
        for _ in 0..<2 { #expect(try await queue.take() == nil) }
    }

    @Test("The queue is full at its limit of messages or bytes, and has room again after one is taken")
    func room() async throws {
        for message in [WebSocketMessage.text(""), .binary(Data(count: MessageQueue.mostBytes))] {
            let queue = MessageQueue()
            var count = 0
            while !queue.isFull {
                queue.add(message)
                count += 1
            }
            #expect(count == (message.size == 0 ? MessageQueue.mostMessages : 1))
            async let room: Void = queue.room()
            #expect(try await queue.take() == message)
            await room
            #expect(!queue.isFull)
        }
    }

    @Test("room() of a full queue returns at once if the queue is shut or has ended")
    func shut() async {
        let queue = MessageQueue()
        queue.add(.binary(Data(count: MessageQueue.mostBytes)))
        async let room: Void = queue.room()
        queue.shut()
        await room
        let other = MessageQueue()
        other.add(.binary(Data(count: MessageQueue.mostBytes)))
        other.finish(.success(()))
        await other.room()
    }

    @Test("A cancelled take() removes no message, and waiting take() calls get one message each")
    func takers() async throws {
        let queue = MessageQueue()
        let cancelled = Task { try await queue.take() }
        cancelled.cancel()
        #expect(await AsyncNetError.code { _ = try await cancelled.value } == .cancelled)
        let takers = (0..<10).map { _ in Task { try await queue.take() } }
        for number in 0..<10 { queue.add(.text("\(number)")) }
        var taken: Set<WebSocketMessage?> = []
        for taker in takers { taken.insert(try await taker.value) }
        #expect(taken.count == 10)
    }
}

extension MessageQueue {
    fileprivate func add(_ message: WebSocketMessage) {
        var batch = MessageBatch()
        batch.add(message)
        add(batch)
    }
}

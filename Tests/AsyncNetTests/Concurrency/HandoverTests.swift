import Testing

@testable import AsyncNet

@Suite("Handover", .timeLimit(.minutes(5)))
struct HandoverTests {
    @Test("Elements arrive in order, and offer() returns only when its element is taken")
    func order() async throws {
        let (handover, offered) = (Handover<Int>(), Counter())
        let giver = Task {
            for number in 1...100 {
                guard await handover.offer(number) else { return }
                offered.add()
            }
            handover.finish(.success(()))
        }
        var taken: [Int] = []
        while let number = try await handover.next() {
            taken.append(number)
            #expect(offered.value <= taken.count)
        }
        #expect(taken == Array(1...100))
        await giver.value
        #expect(try await handover.next() == nil)
    }

    @Test("next() returns the elements offered before the giver's error, then throws the error at each call")
    func failure() async throws {
        let handover = Handover<Int>()
        let giver = Task {
            _ = await handover.offer(1)
            handover.finish(.failure(AsyncNetError(.connectionLost)))
        }
        #expect(try await handover.next() == 1)
        for _ in 0..<2 {
            await #expect { try await handover.next() } throws: { ($0 as? AsyncNetError)?.code == .connectionLost }
        }
        await giver.value
    }

    @Test("offer() returns false when the handover is closed while it waits or was closed before")
    func close() async {
        let handover = Handover<Int>()
        let giver = Task { await handover.offer(1) }
        for _ in 0..<100 { await Task.yield() }
        handover.close()
        #expect(await giver.value == false)
        #expect(await handover.offer(2) == false)
    }

    @Test("A waiting offer() or next() ends when its task is cancelled", arguments: [true, false])
    func cancel(_ isGiver: Bool) async {
        let handover = Handover<Int>()
        if isGiver {
            let giver = Task { await handover.offer(1) }
            giver.cancel()
            #expect(await giver.value == false)
            handover.finish(.success(()))
            #expect((try? await handover.next()) == .some(nil))
        } else {
            let taker = Task { try await handover.next() }
            taker.cancel()
            await #expect { try await taker.value } throws: { ($0 as? AsyncNetError)?.code == .cancelled }
            #expect(await handover.offer(1) == false)
        }
    }

    /// Its taker cannot go on while it makes somebody offer and take back.
    private actor Reader {
        private let handover = Handover<Int>()

        func take() async throws -> Int? { try await handover.next() }
        func offer(_ number: Int) async -> Bool { await handover.offer(number) }

        func offerAndTakeBack() -> Task<Bool, Never> {
            let isOffering = Locked(false)
            let hasTakenBack = Locked(false)
            let giver = Task.detached { [handover] in
                isOffering.withLock { $0 = true }
                defer { hasTakenBack.withLock { $0 = true } }
                return await handover.offer(1)
            }
            while !isOffering.withLock({ $0 }) {}
            // Long enough for the offer to be there.
            for _ in 0..<100_000 { isOffering.withLock { _ in } }
            giver.cancel()
            while !hasTakenBack.withLock({ $0 }) {}
            return giver
        }
    }

    @Test("After a cancelled offer() takes back its element, next() waits for the next offer")
    func takenBack() async throws {
        let reader = Reader()
        let taker = Task { try await reader.take() }
        for _ in 0..<100 { await Task.yield() }
        #expect(await reader.offerAndTakeBack().value == false)
        let giver = Task { await reader.offer(2) }
        #expect(try await taker.value == 2)
        #expect(await giver.value)
    }
}

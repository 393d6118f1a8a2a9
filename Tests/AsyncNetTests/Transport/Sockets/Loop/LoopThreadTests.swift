#if os(Linux)
    import CAsyncNetSockets
    import Foundation
    import Synchronization
    import Testing

    @testable import AsyncNet

    @Suite("The thread of a loop", .timeLimit(.minutes(5)))
    struct LoopThreadTests {
        /// Counts its turns; the first one says that work is left.
        private final class Turns: LoopHandler {
            private(set) var count = 0
            func turn(_ readiness: Readiness, _ thread: LoopThread) -> Turn {
                count += 1
                return count == 1 ? .more : .done
            }
        }

        /// Otherwise each demand of a reader would add turns to all later rounds.
        @Test("A handler that is requeued several times has one turn in each round")
        func onceInARound() async throws {
            let loop = SocketLoop()
            let counts = Promise<[Int]>()
            try loop.submit { thread in
                let (handler, socket) = (Turns(), an_open_waker())
                guard let id = try? thread.watch(socket, handler, for: []) else { return counts.fulfil(.success([])) }
                for _ in 0..<5 { thread.requeue(id) }
                var seen: [Int] = []
                thread.afterRound {
                    seen.append(handler.count)
                    thread.afterRound {
                        seen.append(handler.count)
                        thread.unwatch(id, socket)
                        an_close(socket, 0)
                        counts.fulfil(.success(seen))
                    }
                }
            }
            #expect(try await counts.value() == [1, 2])
            loop.close()
            await loop.waitForEnd()
        }

        @Test("A round ends although there are always more ready sockets than one wait reports")
        func endlesslyReady() async throws {
            let loop = SocketLoop()
            let turns = Promise<Int>()
            try loop.submit { thread in
                let handler = Turns()
                let sockets = (0..<2 * thread.events.count).map { _ in an_open_waker() }
                let ids = sockets.map { socket in
                    an_wake(socket)
                    return try? thread.watch(socket, handler, for: .readable)
                }
                thread.afterRound {
                    for (id, socket) in zip(ids, sockets) {
                        if let id { thread.unwatch(id, socket) }
                        an_close(socket, 0)
                    }
                    turns.fulfil(.success(handler.count))
                }
            }
            #expect(try await turns.value() >= 256)
            loop.close()
            await loop.waitForEnd()
        }

        private final class PostsWhenReleased: Sendable {
            let loop: SocketLoop
            let isReleased: Promise<Void>

            init(_ loop: SocketLoop, _ isReleased: Promise<Void>) { (self.loop, self.isReleased) = (loop, isReleased) }

            deinit {
                loop.post { _ in }
                isReleased.fulfil(.success(()))
            }
        }

        @Test("A job that is dropped at the thread's end may release an object whose deinit posts another job")
        func dropped() async throws {
            let (loop, isReleased) = (SocketLoop(), Promise<Void>())
            try loop.submit { thread in
                thread.onEnd = {
                    let last = PostsWhenReleased(loop, isReleased)
                    loop.post { _ in _ = last }
                }
            }
            loop.close()
            await loop.waitForEnd()
            try await isReleased.value()
        }
    }

    @Suite("Timers of a loop's thread", .timeLimit(.minutes(5)))
    struct LoopThreadTimerTests {
        @Test("A timer does not fire if another timer of the same round has cancelled it")
        func cancelledByAnother() async throws {
            let loop = SocketLoop()
            let fired = Promise<[Int]>()
            try loop.submit { thread in
                var seen: [Int] = []
                var second: LoopTimers.ID?
                _ = thread.schedule(after: .zero) {
                    seen.append(1)
                    thread.cancel(&second)
                }
                second = thread.schedule(after: .nanoseconds(1)) { seen.append(2) }
                _ = thread.schedule(after: .nanoseconds(2)) { fired.fulfil(.success(seen)) }
            }
            #expect(try await fired.value() == [1])
            loop.close()
            await loop.waitForEnd()
        }
    }

    @Suite("Rounds on the caller's thread", .timeLimit(.minutes(5)))
    struct GuestRoundTests {
        private let loop = SocketLoop()

        /// Submits a job. - Returns: whether the job has run by now, on this thread.
        private func runsHere() throws -> Bool {
            let own = pthread_self()
            let seen = Locked<pthread_t?>(nil)
            try loop.submit { _ in seen.withLock { $0 = pthread_self() } }
            return seen.withLock { $0 } == own
        }

        /// Submits a job until one runs here: the loop's thread waits by then.
        private func submitUntilItRunsHere() async throws {
            while try !runsHere() { await Task.yield() }
        }

        @Test("A job runs on the caller's thread while the loop's thread waits")
        func runsAtOnce() async throws {
            try await submitUntilItRunsHere()
            loop.close()
            await loop.waitForEnd()
        }

        @Test("Jobs run on the loop's thread while the loop has a transfer")
        func amongOthers() async throws {
            try await submitUntilItRunsHere()
            try loop.submit { $0.activeCount = 1 }
            for _ in 0..<1000 {
                #expect(try !runsHere())
                await Task.yield()
            }
            try loop.submit { $0.activeCount = 0 }
            loop.close()
            await loop.waitForEnd()
        }

        @Test("A timer that a job schedules on the caller's thread fires although the loop's thread waits longer")
        func timers() async throws {
            let due = Promise<Void>()
            try await submitUntilItRunsHere()
            try loop.submit { thread in
                _ = thread.schedule(after: .milliseconds(1)) { due.fulfil(.success(())) }
            }
            try await due.value()
            loop.close()
            await loop.waitForEnd()
        }
    }

    extension LoopThread {
        /// Runs the action when this round, or the jobs of this one, and the next turns are over.
        fileprivate func afterRound(_ action: @escaping () -> Void) {
            _ = schedule(after: .zero, action)
        }
    }
#endif

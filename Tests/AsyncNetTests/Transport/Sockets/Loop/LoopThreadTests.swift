#if os(Linux)
    import CAsyncNetSockets
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
        @Test("A handler that is asked for often has one turn in a round")
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
    }

    extension LoopThread {
        /// Runs the action when this round, or the jobs of this one, and the next turns are over.
        fileprivate func afterRound(_ action: @escaping () -> Void) {
            _ = schedule(after: .zero, action)
        }
    }
#endif

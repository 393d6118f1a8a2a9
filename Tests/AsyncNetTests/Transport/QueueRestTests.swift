#if os(Linux)
    @testable import AsyncNet
    import AsyncNetTesting
    import Dispatch
    import Foundation
    import FoundationNetworking
    import Testing

    @Suite("A queue that rests", .timeLimit(.minutes(5)))
    struct QueueRestTests {
        /// As FoundationNetworking's do: one of two queues on one thread always has more to do.
        @Test("Other queues run beside a queue that is never empty only if it rests")
        func starvation() async {
            let shared = DispatchQueue(label: "shared")
            let (busy, starving) = (
                DispatchQueue(label: "busy", target: shared), DispatchQueue(label: "starving", target: shared)
            )
            let (hasRun, rounds, ended) = (Counter(), Counter(), Gate())
            @Sendable func work() {
                rounds.add()
                if rounds.value == 1 { starving.async { hasRun.add() } }
                if rounds.value % 100 == 0 { #expect(URLSessionLimits.rest("busy")) }
                if hasRun.value == 0, rounds.value < 100_000 { busy.async { work() } } else { ended.open() }
            }
            busy.async { work() }
            await ended.wait()
            #expect(hasRun.value == 1)
        }

        @Test("rest() returns false on another queue")
        func elsewhere() async {
            #expect(!URLSessionLimits.rest())
            let ended = Gate()
            DispatchQueue(label: "another").async {
                #expect(!URLSessionLimits.rest("busy"))
                ended.open()
            }
            await ended.wait()
        }

        /// The name is FoundationNetworking's own: this fails if a toolchain has another.
        @Test("FoundationNetworking calls back on the expected queue")
        func queue() async throws {
            let rested = Counter()
            let data = patternedData(1_000_000)
            try await withServer(MockResponse(200, body: data)) { (server: MockServer) async throws in
                let session = URLSession(
                    configuration: .ephemeral, delegate: Rester(rested), delegateQueue: InlineQueue.make())
                session.dataTask(with: server.url()).resume()
                #expect(await eventually { rested.value > 0 })
                session.invalidateAndCancel()
            }
        }

        private final class Rester: NSObject, URLSessionDataDelegate, Sendable {
            let rested: Counter
            init(_ rested: Counter) { self.rested = rested }

            func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
                if rested.value == 0, URLSessionLimits.rest() { rested.add() }
            }
        }
    }
#endif

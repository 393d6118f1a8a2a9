import AsyncNetTesting
import Foundation
import Synchronization
import Testing

@testable import AsyncNet
@testable import AsyncNetLibcurl

/// What is libcurl's own; the rest is in ``WireTransportTests`` and ``ConformanceTests``.
@Suite("libcurl transport", .timeLimit(.minutes(5)))
struct LibcurlTransportTests {
    let transport = LibcurlTransport()

    @Test("The description of the libcurl transport has libcurl's version")
    func description() {
        #expect(
            transport.transportDescription.hasPrefix("libcurl 7.")
                || transport.transportDescription.hasPrefix("libcurl 8."))
        #expect(Session(transport: .urlSession).transportDescription.hasPrefix("URLSession"))
    }

    @Test("Trailers that arrive while a transfer is suspended are reported after it resumes")
    func trailersDuringPause() async throws {
        try await withServer(.chunked(["x"], trailers: ["A": "1", "B": "2"])) { (server: MockServer) async throws in
            let hold = TransferHold()
            let told = Mutex("")
            var request = TransportRequest(head: HTTPRequestHead(url: server.url())) { event in
                if case .trailers(let trailers) = event { told.withLock { $0 += "\(trailers)" } }
            }
            request.hold = hold
            hold.hold()
            let task = Task { [request] in
                var text = Data()
                for try await chunk in try await transport.send(request).body { text += chunk }
                return text
            }
            await server.requests(atLeast: 1)
            for _ in 0..<10_000 { await Task.yield() }
            hold.release()
            #expect(try await task.value == Data("x".utf8))
            #expect(told.withLock { $0 } == "A: 1\nB: 2")
        }
    }

    @Test("500 waiting transfers that cannot be started let the transfer after them start")
    func refusedInTurn() async throws {
        let gate = Gate()
        let server = try await MockServer.start()
        await server.route("/first") { _ in
            await gate.wait()
            return .text("1")
        }
        await server.route("/last") { _ in .text("2") }
        let transport = LibcurlTransport(configuration: .init(maximumConnectionsPerOrigin: 1))
        let (first, queued) = (
            Task { try await WireTransport.libcurl.send(server.url("/first"), over: transport).head.statusCode },
            Counter()
        )
        _ = try await server.takeRequest()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<500 {
                group.addTask {
                    let error = await WireTransport.failure {
                        try await WireTransport.libcurl.send(
                            server.url("/never"), .head, body: .data(Data([1])), over: transport
                        ) {
                            if case .queued = $0 { queued.add() }
                        }
                    }
                    #expect(error?.code == .unsupportedByTransport)
                }
            }
            await queued.reaches(500)
            gate.open()
        }
        #expect(try await first.value == 200)
        #expect(try await WireTransport.libcurl.send(server.url("/last"), over: transport).head.statusCode == 200)
        #expect(await server.requestCount == 2)
        await server.stop()
    }
}

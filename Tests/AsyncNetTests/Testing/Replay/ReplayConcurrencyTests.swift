import AsyncNet
import Foundation
import Testing

@testable import AsyncNetTestSupport

@Suite("Concurrent requests of a replay", .timeLimit(.minutes(10)))
struct ReplayConcurrencyTests {
    typealias Request = RecordedExchange.Request

    private static let count = 1_000

    /// The response of each exchange is its number.
    private func recording(_ line: (Int) -> String) -> Recording {
        Recording((0..<Self.count).map { .text(Request(line($0)), "\($0)") })
    }

    private func texts(_ transport: ReplayTransport, _ line: @escaping @Sendable (Int) -> String) async throws -> [Int]
    {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<Self.count {
                group.addTask {
                    let request = Request(line(number))
                    let head = HTTPRequestHead(method: request.method, url: request.url)
                    var body = Data()
                    for try await chunk in try await transport.send(TransportRequest(head: head)).body { body += chunk }
                    return Int(String(decoding: body, as: UTF8.self)) ?? -1
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("A thousand equal concurrent requests use each of a thousand exchanges once", arguments: 0..<10)
    func equal(_ round: Int) async throws {
        let transport = ReplayTransport(recording { _ in "GET /a" })
        #expect(try await texts(transport) { _ in "GET /a" }.sorted() == Array(0..<Self.count))
        try transport.verify()
    }

    @Test("A thousand concurrent requests of a hundred kinds use each exchange of their kind once", arguments: 0..<10)
    func kinds(_ round: Int) async throws {
        let transport = ReplayTransport(recording { "GET /\($0 % 100)?x=\($0 % 7)" })
        #expect(try await texts(transport) { "GET /\($0 % 100)?x=\($0 % 7)" }.sorted() == Array(0..<Self.count))
        try transport.verify()
    }

    @Test("Concurrent requests with a custom matcher use each exchange once", arguments: 0..<3)
    func closures(_ round: Int) async throws {
        let matcher = RequestMatcher.custom { request, recorded in
            request.url.query?.hasSuffix("1") == recorded.url.query?.hasSuffix("1")
        }
        let transport = ReplayTransport(recording { "GET /a?\($0 % 2)" }, matching: [.path, matcher])
        #expect(try await texts(transport) { "GET /a?\($0 % 2)" }.sorted() == Array(0..<Self.count))
        try transport.verify()
    }

    @Test("Requests beyond the recording fail, and each is reported as unmatched once")
    func beyond() async throws {
        let reported = Locked(0)
        let recording = Recording((0..<100).map { _ in .text(Request("GET /a")) })
        let transport = ReplayTransport(
            recording, file: nil, matching: RequestMatcher.standard, pace: .immediate, reusesLast: false,
            format: .standard, fallback: nil, onUnmatched: { _ in reported.withLock { $0 += 1 } })
        let failures = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<150 {
                group.addTask {
                    let head = HTTPRequestHead(url: Request("GET /a").url)
                    return (try? await transport.send(TransportRequest(head: head))) == nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures == 50)
        #expect(reported.withLock { $0 } == 50)
        #expect(transport.unmatched.count == 50)
        #expect(transport.unused.isEmpty)
    }
}

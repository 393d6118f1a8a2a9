import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The tags of a request: who reads them, and what logs show of them.
@Suite("Tags of a request", .timeLimit(.minutes(5)))
struct RequestValuesTests {
    fileprivate enum TenantKey: RequestValueKey {
        static let defaultValue: String? = nil
        static var logName: String? { "tenant" }
    }

    fileprivate enum SizeKey: RequestValueKey {
        static let defaultValue = 10
        static var logName: String? { "size" }
    }

    fileprivate enum TokenKey: RequestValueKey { static let defaultValue: String? = "none" }

    @Test("A tag has its default until it is set, then the value set last, including nil")
    func values() {
        var values = RequestValues()
        #expect(values[TenantKey.self] == nil && values[SizeKey.self] == 10 && values[TokenKey.self] == "none")
        values[TokenKey.self] = nil
        values[SizeKey.self] = 1
        values[SizeKey.self] = 2
        #expect(values[TokenKey.self] == nil && values[SizeKey.self] == 2)
    }

    @Test("A description contains only the tags that have a name for logs and a value, sorted by name")
    func description() {
        let options = RequestOptions().setting(\.token, "s3cret").setting(\.tenant, "a b").setting(\.size, 3)
        #expect(options.values.description == "size=3 tenant=a b")
        #expect(RequestOptions().setting(\.tenant, nil).values.description.isEmpty)
        var dumped = ""
        dump(options, to: &dumped)
        #expect(dumped.contains("tenant=a b") && !dumped.contains("s3cret"))
        #expect(!"\(options)".contains("s3cret") && !String(reflecting: options.values).contains("s3cret"))
    }

    @Test("Adapters, retriers and monitors read the tags of their own request")
    func readers() async throws {
        let count = Counter()
        let events = Locked<[String?]>([])
        let stub = StubTransport { request in
            .text(request.headers["X-Tenant"] ?? "", status: count.next() == 1 ? 503 : 200)
        }
        let adapter = Adapter { request, context in
            var request = request
            request.setValue(context.values.tenant, forHTTPHeaderField: "X-Tenant")
            return request
        }
        let retrier = Retrier { _, context in context.values.tenant == "a" ? .retry : .doNotRetry }
        let monitor = TagMonitor { event in events.withLock { $0.append(event.values.tenant) } }
        let session = Session(
            transport: stub, configuration: .init(interceptors: [adapter, retrier], monitors: [monitor]))
        let tagged = session.get("http://a/", options: RequestOptions().setting(\.tenant, "a"))
        #expect(try await tagged.serializing(String.self).value == "a")
        await session.monitorsReceivedEvents()
        let seen = events.withLock { events in
            defer { events = [] }
            return events
        }
        #expect(seen.count > 5 && seen.allSatisfy { $0 == "a" })
        #expect(try await session.get("http://a/").serializing(String.self).value == "")
        await session.monitorsReceivedEvents()
        #expect(events.withLock { !$0.isEmpty && $0.allSatisfy { $0 == nil } })
    }

    @Test("Requests that share a transfer keep their own tags")
    func shared() async throws {
        let gate = Gate()
        let tenants = Locked<Set<String?>>([])
        let stub = StubTransport { _ in
            await gate.wait()
            return .text("one")
        }
        let monitor = TagMonitor { event in
            if case .hopEnded = event.event { tenants.withLock { _ = $0.insert(event.values.tenant) } }
        }
        let session = Session(
            transport: stub, configuration: .init(monitors: [monitor], coalescesRequests: true))
        let requests = ["a", "b"].map { session.get("http://a/", options: RequestOptions().setting(\.tenant, $0)) }
        let events = requests.map(\.events)
        for request in requests { await request.resume() }
        for events in events { for await case .shared in events { break } }
        gate.open()
        for request in requests { #expect(try await request.serializing(String.self).value == "one") }
        await session.monitorsReceivedEvents()
        #expect(tenants.withLock { $0 } == ["a", "b"])
    }

    @Test("A log line contains only the tags that have a name for logs")
    func log() async throws {
        let lines = Locked<[String]>([])
        let log = RequestLog { line in lines.withLock { $0.append(line) } }
        let session = Session(
            transport: StubTransport { _ in .text("") }, configuration: .init(monitors: [log]))
        let options = RequestOptions().setting(\.tenant, "a\nlevel=error").setting(\.token, "s3cret")
        _ = try await session.get("http://a/", options: options).serializing(String.self).value
        await session.monitorsReceivedEvents()
        let line = try #require(lines.withLock { $0.first { $0.contains("event=finished") } })
        #expect(line.contains(#" tenant="a\nlevel=error""#) && !line.contains("s3cret"))
    }

    private struct TagMonitor: EventMonitor {
        let body: @Sendable (SessionEvent) -> Void
        func receive(_ event: SessionEvent) async { body(event) }
    }
}

extension RequestValues {
    fileprivate var tenant: String? {
        get { self[RequestValuesTests.TenantKey.self] }
        set { self[RequestValuesTests.TenantKey.self] = newValue }
    }

    fileprivate var size: Int {
        get { self[RequestValuesTests.SizeKey.self] }
        set { self[RequestValuesTests.SizeKey.self] = newValue }
    }

    fileprivate var token: String? {
        get { self[RequestValuesTests.TokenKey.self] }
        set { self[RequestValuesTests.TokenKey.self] = newValue }
    }
}

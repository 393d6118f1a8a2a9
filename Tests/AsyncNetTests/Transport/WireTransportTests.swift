import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Synchronization
import Testing

@testable import AsyncNet

/// Opens a gate when nobody holds it any more.
private final class Token: Sendable {
    private let gate: Gate
    init(_ gate: Gate) { self.gate = gate }
    deinit { gate.open() }
}

/// What the transports with connections of their own have in common; the rest is in ``ConformanceTests``.
@Suite("Transports with settings", .timeLimit(.minutes(5)))
struct WireTransportTests {
    private func stream(_ chunks: [String]) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for chunk in chunks { continuation.yield(Data(chunk.utf8)) }
            continuation.finish()
        }
    }

    // MARK: Requests

    @Test("A request to an IPv6 address in a URL gets its response", arguments: WireTransport.allCases)
    func ipv6(_ wire: WireTransport) async throws {
        let server = try await MockServer.start(on: .ipv6)
        await server.enqueue(.text("six"))
        #expect(try await wire.send(server.url()).head.statusCode == 200)
        await server.stop()
    }

    @Test(
        "GET, DELETE, QUERY, PROPFIND and OPTIONS can be sent with a body", arguments: WireTransport.allCases,
        ["GET", "DELETE", "QUERY", "PROPFIND", "OPTIONS"])
    func bodies(_ wire: WireTransport, _ method: HTTPMethod) async throws {
        try await withServer(.text("x")) { (server: MockServer) async throws in
            _ = try await wire.send(server.url(), method, body: .data(Data("body".utf8)))
            let seen = try await server.takeRequest()
            #expect(seen.method == method)
            #expect(seen.text == "body")
            #expect(seen.headers["Content-Type"] == nil)
            #expect(seen.headers["Expect"] == nil)
        }
    }

    @Test("A HEAD request with a body ends with .unsupportedByTransport", arguments: WireTransport.allCases)
    func headWithBody(_ wire: WireTransport) async throws {
        #expect(
            await WireTransport.failure {
                try await wire.send(try "http://127.0.0.1:1/".asURL(), .head, body: .data(Data([1])))
            }?
            .code
                == .unsupportedByTransport)
    }

    @Test(
        "POST, PUT and PATCH without a body send Content-Length: 0, other methods do not (RFC 9110 §8.6)",
        arguments: WireTransport.allCases,
        [
            ("POST", "0"), ("PUT", "0"), ("PATCH", "0"), ("GET", nil), ("DELETE", nil), ("HEAD", nil),
        ] as [(HTTPMethod, String?)])
    func noBody(_ wire: WireTransport, _ expected: (HTTPMethod, String?)) async throws {
        let (method, length) = expected
        try await withServer(.text("x")) { (server: MockServer) async throws in
            _ = try await wire.send(server.url(), method)
            let seen = try await server.takeRequest()
            #expect(seen.headers["Content-Length"] == length)
            #expect(seen.headers["Content-Type"] == nil)
        }
    }

    @Test(
        "Request headers are sent in the given order, and the caller's Content-Length is replaced",
        arguments: WireTransport.allCases)
    func requestHeaders(_ wire: WireTransport) async throws {
        try await withServer(.text("x")) { (server: MockServer) async throws in
            let headers: HTTPHeaders = [
                .init(name: "B", value: "1"), .init(name: "a", value: "2"), .init(name: "B", value: "3"),
                .init(name: "Empty", value: ""),
                .omitting("Accept"), .init(name: "Content-Length", value: "99"),
                .init(name: "Transfer-Encoding", value: "chunked"),
            ]
            _ = try await wire.send(server.url(), .post, headers: headers, body: .data(Data("abc".utf8)))
            let seen = try await server.takeRequest().headers
            #expect(seen.values(for: "B") == ["1", "3"])
            #expect(seen.filter { ["B", "a", "Empty"].contains($0.name) }.map(\.name) == ["B", "a", "B", "Empty"])
            #expect(seen["Empty"] == "")
            #expect(seen["Accept"] == nil)
            #expect(seen.values(for: "Content-Length") == ["3"])
            #expect(seen["Transfer-Encoding"] == nil)
        }
    }

    @Test(
        "Method, headers and body of a request do not affect the next request of the same transport",
        arguments: WireTransport.allCases)
    func recycling(_ wire: WireTransport) async throws {
        let server = try await MockServer.start()
        await server.route("/*") { _ in .text("x") }
        _ = try await wire.send(server.url("/1"), .put, headers: ["X": "1"], body: .data(Data(count: 100_000)))
        _ = try await wire.send(server.url("/2"), .head)
        _ = try await wire.send(server.url("/3"), "BREW", headers: ["Y": "1"], body: .data(Data("z".utf8)))
        let plain = try await wire.send(server.url("/4"))
        var text = Data()
        for try await chunk in plain.body { text += chunk }
        #expect(text == Data("x".utf8))
        var seen: [RecordedRequest] = []
        for _ in 0..<4 { seen.append(try await server.takeRequest()) }
        #expect(seen.map(\.method.rawValue) == ["PUT", "HEAD", "BREW", "GET"])
        #expect(seen.map(\.body.count) == [100_000, 0, 1, 0])
        #expect(seen[3].headers["X"] == nil && seen[3].headers["Y"] == nil && seen[3].headers["Content-Length"] == nil)
        await server.stop()
    }

    @Test(
        "Path and query of a URL are sent unchanged, with dot segments and percent-encodings",
        arguments: WireTransport.allCases)
    func path(_ wire: WireTransport) async throws {
        try await withServer(.text("x")) { (server: MockServer) async throws in
            _ = try await wire.send(server.url("/a/../b%2Fc/./d?x=%20y"))
            #expect(try await server.takeRequest().target == "/a/../b%2Fc/./d?x=%20y")
        }
    }

    // MARK: Uploads

    @Test(
        "A body stream of unknown length is sent chunked, one of known length with Content-Length",
        arguments: WireTransport.allCases, [nil, 9] as [Int64?])
    func streams(_ wire: WireTransport, _ length: Int64?) async throws {
        try await withServer(.text("x")) { (server: MockServer) async throws in
            let sent = Mutex<[Int64]>([])
            _ = try await wire.send(
                server.url(), .put, body: .stream(stream(["abc", "", "def", "ghi"]), length: length)
            ) {
                event in
                if case .sentBody(let bytes, let total) = event {
                    #expect(total == length || length == nil && total == 9)
                    sent.withLock { $0.append(bytes) }
                }
            }
            let seen = try await server.takeRequest()
            #expect(seen.text == "abcdefghi")
            #expect(seen.headers["Content-Length"] == length.map { "\($0)" })
            #expect(seen.headers["Transfer-Encoding"] == (length == nil ? "chunked" : nil))
            #expect(sent.withLock { $0.last } == 9)
        }
    }

    @Test(
        "A request ends with .bodyStreamFailed if its body throws, and with .bodyLengthMismatch if its length is wrong",
        arguments: WireTransport.allCases, [Int64(3), 30])
    func brokenStreams(_ wire: WireTransport, _ length: Int64) async throws {
        try await withServer(.text("x")) { (server: MockServer) async throws in
            let error = await WireTransport.failure {
                try await wire.send(server.url(), .put, body: .stream(stream(["abc", "def"]), length: length))
            }
            #expect(error?.code == .bodyLengthMismatch)
            let throwing = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: CocoaError(.fileReadUnknown)) }
            let thrown = await WireTransport.failure {
                try await wire.send(server.url(), .put, body: .stream(throwing))
            }
            #expect(thrown?.code == .bodyStreamFailed)
            #expect(thrown?.underlyingError is CocoaError)
        }
    }

    @Test(
        "A body's file is sent with Content-Length, and a missing file ends the request with .fileNotReadable",
        arguments: WireTransport.allCases)
    func files(_ wire: WireTransport) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "asyncnet-\(UUID().uuidString)")
        let bytes = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) })
        try bytes.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await withServer(.text("x")) { (server: MockServer) async throws in
            _ = try await wire.send(server.url(), .put, body: .file(file))
            let seen = try await server.takeRequest()
            #expect(seen.body == bytes)
            #expect(seen.headers["Content-Length"] == "700000")
            #expect(
                await WireTransport.failure {
                    try await wire.send(server.url(), .put, body: .file(file.appending(path: "none")))
                }?
                .code
                    == .fileNotReadable)
        }
    }

    @Test(
        "A request with Expect: 100-continue sends its body after expectContinueTimeout without a 100",
        arguments: WireTransport.allCases, [true, false])
    func expectation(_ wire: WireTransport, _ isKnown: Bool) async throws {
        let transport = wire.make(.init(expectContinueTimeout: .milliseconds(20)))
        try await withServer(.text("x")) { (server: MockServer) async throws in
            let headers: HTTPHeaders = ["Expect": isKnown ? "100-continue" : "100-Continue"]
            _ = try await wire.send(
                server.url(), .put, headers: headers, body: .data(Data(count: 50_000)), over: transport)
            #expect(try await server.takeRequest().body.count == 50_000)
        }
    }

    @Test("A cancelled upload releases the sequence of its body", arguments: WireTransport.allCases)
    func cancelledUpload(_ wire: WireTransport) async throws {
        let silent = try SilentListener()
        let url = try "http://127.0.0.1:\(silent.port)/".asURL()
        let ended = Gate()
        let task = Task { [token = Token(ended)] in
            let endless = AsyncStream<Data>(unfolding: { withExtendedLifetime(token) { Data(count: 100_000) } })
            return try await wire.send(url, .put, body: .stream(endless))
        }
        for _ in 0..<100 { await Task.yield() }
        task.cancel()
        #expect(await AsyncNetError.code { _ = try await task.value } == .cancelled)
        await ended.wait()
    }

    @Test("A 413 before the end of an upload of unknown length is delivered", arguments: WireTransport.allCases)
    func earlyAnswer(_ wire: WireTransport) async throws {
        try await withServer(.status(413, body: "enough").with(.earlyResponse)) { (server: MockServer) async throws in
            let (stream, input) = AsyncStream.makeStream(of: Data.self)
            input.yield(Data(count: 10))
            let response = try await wire.send(server.url(), .put, body: .stream(stream))
            #expect(response.head.statusCode == 413)
            input.finish()
        }
    }

    @Test("A suspended upload sends nothing more until it is resumed", arguments: WireTransport.allCases)
    func suspendedUpload(_ wire: WireTransport) async throws {
        try await withServer(.text("x")) { (server: MockServer) async throws in
            let hold = TransferHold()
            let (sent, isUnderWay) = (Counter(), Gate())
            let body = RequestBody.data(Data(count: 20_000_000))
            var request = TransportRequest(head: HTTPRequestHead(method: .put, url: server.url()), body: body) {
                event in
                guard case .sentBody = event else { return }
                if sent.value == 3 { hold.hold() }
                sent.add()
                isUnderWay.open()
            }
            request.hold = hold
            let task = Task { [request] in try await wire.make().send(request).head.statusCode }
            await isUnderWay.wait()
            await sent.reaches(4)
            for _ in 0..<10_000 { await Task.yield() }
            #expect(sent.value == 4)
            hold.release()
            #expect(try await task.value == 200)
            #expect(try await server.takeRequest().body.count == 20_000_000)
        }
    }

    // MARK: Responses

    @Test(
        "Response headers are delivered in order, and trailers and a 103 response are reported",
        arguments: WireTransport.allCases)
    func responseHeaders(_ wire: WireTransport) async throws {
        let reply = MockResponse.chunked(
            ["x"], headers: [.init(name: "B", value: "1"), .init(name: "a", value: "2"), .init(name: "B", value: "3")],
            trailers: ["X-Sum": "9"])
        try await withServer(reply.after(informational: 103, headers: ["Link": "</s>"])) {
            (server: MockServer) async throws in
            let told = Mutex<[String]>([])
            let response = try await wire.send(server.url()) { event in
                switch event {
                case .informational(let head): told.withLock { $0.append("\(head.statusCode) \(head.headers)") }
                case .trailers(let trailers): told.withLock { $0.append("\(trailers)") }
                case .metrics: told.withLock { $0.append("metrics") }
                default: break
                }
            }
            #expect(response.head.headers.prefix(3).map { "\($0)" } == ["B: 1", "a: 2", "B: 3"])
            #expect(response.head.httpVersion == "HTTP/1.1")
            for try await chunk in response.body { #expect(chunk == Data("x".utf8)) }
            #expect(told.withLock { $0 } == ["103 Link: </s>", "X-Sum: 9", "metrics"])
        }
    }

    @Test(
        "A 417 to Expect: 100-continue is delivered, and the request is not sent again",
        arguments: WireTransport.allCases)
    func expectationFailed(_ wire: WireTransport) async throws {
        try await withServer(.status(417, body: "no"), .text("second")) { (server: MockServer) async throws in
            let response = try await wire.send(
                server.url(), .post, headers: ["Expect": "100-continue"], body: .data(Data(count: 100_000)))
            #expect(response.head.statusCode == 417)
            for try await _ in response.body {}
            #expect(await server.requestCount == 1)
        }
    }

    @Test(
        "Transfers above maximumConnections of all origins report .queued, and all get their responses",
        arguments: WireTransport.allCases)
    func totalLimit(_ wire: WireTransport) async throws {
        let (one, other) = (try await MockServer.start(), try await MockServer.start())
        for server in [one, other] { await server.route("/*") { _ in .text("x").delayed(by: .milliseconds(1)) } }
        let transport = wire.make(.init(maximumConnections: 1))
        let queued = Counter()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<20 {
                group.addTask {
                    let url = (index % 2 == 0 ? one : other).url("/\(index)")
                    let response = try? await wire.send(url, over: transport) { event in
                        if case .queued = event { queued.add() }
                    }
                    #expect(response?.head.statusCode == 200)
                }
            }
        }
        #expect(queued.value >= 10)
        await one.stop()
        await other.stop()
    }

    @Test(
        "No sent bytes are reported for a body that a 413 refused before it was sent", arguments: WireTransport.allCases
    )
    func refusedBody(_ wire: WireTransport) async throws {
        try await withServer(.status(413).with(.earlyResponse)) { (server: MockServer) async throws in
            let sent = Counter()
            let response = try await wire.send(
                server.url(), .post, headers: ["Expect": "100-continue"], body: .data(Data(count: 10_000))
            ) { event in
                if case .sentBody = event { sent.add() }
            }
            #expect(response.head.statusCode == 413)
            for try await _ in response.body {}
            #expect(sent.value == 0)
        }
    }

    @Test("Metrics count the bytes that were sent of a body before a 413", arguments: WireTransport.allCases)
    func partlySent(_ wire: WireTransport) async throws {
        let server = try RawServer(
            """
            for _ in range(100): c.recv(1000)
            c.sendall(b"HTTP/1.1 413 Large\\r\\nContent-Length: 0\\r\\n\\r\\n")
            """)
        let body = RequestBody.data(Data(count: 50_000_000))
        let response = await Session(transport: wire.make()).upload(body, to: try server.url).serializing(Data.self)
            .response
        #expect(response.statusCode == 413)
        let sent = try #require(response.metrics.wireBytes?.sentBody)
        #expect(sent > 0 && sent < 50_000_000)
    }

    @Test("Limits and timeouts of the largest numbers are accepted", arguments: WireTransport.allCases)
    func largeLimits(_ wire: WireTransport) async throws {
        try await withServer(.text("x")) { (server: MockServer) async throws in
            let configuration = SocketTransport.Configuration(
                connectTimeout: .seconds(Int64.max), idleTimeout: .seconds(Int64.max),
                maximumConnectionsPerOrigin: .max,
                maximumConnections: .max,
                maximumHeaderBytes: .max)
            #expect(
                try await wire.send(server.url(), over: wire.make(configuration)).head.statusCode
                    == 200)
        }
    }

    @Test(
        "Metrics have timings in increasing order, for a new and for a reused connection",
        arguments: WireTransport.allCases)
    func metrics(_ wire: WireTransport) async throws {
        try await withServer(.text("hello"), .text("again")) { (server: MockServer) async throws in
            let session = Session(transport: wire.make())
            for isReused in [false, true] {
                let request = session.request(server.url(), method: .post, parameters: ["a": 1], encoder: .json)
                let metrics = await request.serializing(String.self).response.metrics
                let timings = try #require(metrics.timings)
                #expect(
                    timings.nameLookup <= timings.connect && timings.connect <= timings.firstByte
                        && timings.firstByte <= timings.total)
                #expect(timings.firstByte > .zero)
                #expect(metrics.isConnectionReused == isReused)
                #expect(metrics.httpVersion == "HTTP/1.1")
                #expect(metrics.remoteAddress == "127.0.0.1")
                let bytes = try #require(metrics.wireBytes)
                #expect(
                    bytes.sentBody == 7 && bytes.receivedBody == 5 && bytes.sentHead > 50 && bytes.receivedHead > 50)
                #expect(metrics.sentBytes == 7)
            }
        }
    }

    @Test(
        "A large body that is not read for a while is received whole", arguments: WireTransport.allCases)
    func backPressure(_ wire: WireTransport) async throws {
        let body = Data((0..<20_000_000).map { UInt8(truncatingIfNeeded: $0 &* 13 >> 5) })
        try await withServer(.data(body)) { (server: MockServer) async throws in
            let response = try await wire.send(server.url())
            var received = Data()
            var isFirst = true
            for try await chunk in response.body {
                received += chunk
                if isFirst { for _ in 0..<10_000 { await Task.yield() } }
                isFirst = false
            }
            #expect(received == body)
        }
    }

    @Test("Releasing a response's body closes its connection", arguments: WireTransport.allCases)
    func dropped(_ wire: WireTransport) async throws {
        try await withServer(.fault(.stallMidBody(after: 10))) { (server: MockServer) async throws in
            do { _ = try await wire.send(server.url()) }
            await server.connectionsClosed()
        }
    }

    // MARK: Connections

    @Test(
        "Transfers above maximumConnectionsPerOrigin report .queued, and share that many connections",
        arguments: WireTransport.allCases)
    func connectionLimit(_ wire: WireTransport) async throws {
        let server = try await MockServer.start()
        await server.route("/*") { .text($0.path).delayed(by: .milliseconds(2)) }
        let transport = wire.make(.init(maximumConnectionsPerOrigin: 2))
        let queued = Counter()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                group.addTask {
                    let response = try? await wire.send(server.url("/\(index)"), over: transport) { event in
                        if case .queued = event { queued.add() }
                    }
                    #expect(response?.head.statusCode == 200)
                }
            }
        }
        #expect(await server.connectionCount <= 2)
        #expect(queued.value >= 30)
        await server.stop()
    }

    @Test(
        "A cancelled transfer that waits for a connection is not sent, and the next transfer is",
        arguments: WireTransport.allCases)
    func cancelledWait(_ wire: WireTransport) async throws {
        let gate = Gate()
        let server = try await MockServer.start()
        await server.route("/first") { _ in
            await gate.wait()
            return .text("1")
        }
        await server.route("/last") { _ in .text("3") }
        let transport = wire.make(.init(maximumConnectionsPerOrigin: 1))
        let isQueued = Gate()
        let first = Task { try await wire.send(server.url("/first"), over: transport).head.statusCode }
        _ = try await server.takeRequest()
        let second = Task {
            try await wire.send(server.url("/second"), over: transport) { event in
                if case .queued = event { isQueued.open() }
            }.head.statusCode
        }
        await isQueued.wait()
        let last = Task { try await wire.send(server.url("/last"), over: transport).head.statusCode }
        second.cancel()
        #expect(await AsyncNetError.code { _ = try await second.value } == .cancelled)
        gate.open()
        #expect(try await first.value == 200)
        #expect(try await last.value == 200)
        #expect(await server.requestCount == 2)
        await server.stop()
    }

    @Test(
        "A transfer that is cancelled while the one before it ends is not sent, and the next one is",
        arguments: WireTransport.allCases)
    func cancelledAtPermit(_ wire: WireTransport) async throws {
        let server = try await MockServer.start()
        let gate = Gate()
        await server.route("/first") { _ in
            await gate.wait()
            return .text("1")
        }
        await server.route("/last") { _ in .text("3") }
        let transport = wire.make(.init(maximumConnectionsPerOrigin: 1))
        let (isEnding, isQueued) = (Gate(), Gate())
        let mayEnd = DispatchSemaphore(value: 0)
        let first = Task {
            try await wire.send(server.url("/first"), over: transport) { event in
                guard case .metrics = event else { return }
                isEnding.open()
                mayEnd.wait()
            }.head.statusCode
        }
        _ = try await server.takeRequest()
        let second = Task {
            try await wire.send(server.url("/second"), over: transport) { event in
                if case .queued = event { isQueued.open() }
            }
        }
        await isQueued.wait()
        let last = Task { try await wire.send(server.url("/last"), over: transport).head.statusCode }
        gate.open()
        await isEnding.wait()
        second.cancel()
        #expect(await AsyncNetError.code { _ = try await second.value } == .cancelled)
        mayEnd.signal()
        #expect(try await first.value == 200)
        #expect(try await last.value == 200)
        #expect(await server.requestCount == 2)
        await server.stop()
    }

    @Test("An idle connection is closed after the idle timeout", arguments: WireTransport.allCases)
    func idleTimeout(_ wire: WireTransport) async throws {
        try await withServer(.text("x"), .text("y")) { (server: MockServer) async throws in
            let transport = wire.make(.init(idleTimeout: .milliseconds(30)))
            _ = try await wire.send(server.url(), over: transport)
            await server.connectionsClosed()
            _ = try await wire.send(server.url(), over: transport)
            #expect(await server.connectionCount == 2)
        }
    }

    @Test("A request whose TLS handshake exceeds connectTimeout ends with .timedOut", arguments: WireTransport.allCases)
    func connectTimeout(_ wire: WireTransport) async throws {
        let silent = try SilentListener()
        let transport = wire.make(.init(connectTimeout: .milliseconds(50)))
        let error = await WireTransport.failure {
            try await wire.send(try "https://127.0.0.1:\(silent.port)/".asURL(), over: transport)
        }
        #expect(error?.code == .timedOut)
    }

    @Test("A configured address is used for a name that DNS does not know", arguments: WireTransport.allCases)
    func addresses(_ wire: WireTransport) async throws {
        try await withServer(.text("x")) { (server: MockServer) async throws in
            let transport = LibcurlTransport(
                configuration: .init(addresses: ["api.invalid:\(server.port)": ["127.0.0.1"]]))
            _ = try await wire.send(try "http://api.invalid:\(server.port)/".asURL(), over: transport)
            #expect(try await server.takeRequest().headers["Host"] == "api.invalid:\(server.port)")
        }
    }

    @Test(
        "A connection is made from the configured localInterface, and an unknown one leads to .cannotConnect",
        arguments: WireTransport.allCases)
    func localInterface(_ wire: WireTransport) async throws {
        try await withServer(.text("x")) { (server: MockServer) async throws in
            let good = wire.make(.init(localInterface: "127.0.0.1"))
            #expect(try await wire.send(server.url(), over: good).head.statusCode == 200)
            let bad = wire.make(.init(localInterface: "if!nonsense"))
            #expect(
                await WireTransport.failure { try await wire.send(server.url(), over: bad) }?.code == .cannotConnect)
        }
    }

    @Test("shutdown() lets running transfers end and refuses new ones", arguments: WireTransport.allCases)
    func shutdown(_ wire: WireTransport) async throws {
        let gate = Gate()
        let server = try await MockServer.start()
        await server.route("/") { _ in
            await gate.wait()
            return .text("x")
        }
        let transport = wire.make(.init(eventLoops: 3))
        let task = Task { try await wire.send(server.url(), over: transport).head.statusCode }
        _ = try await server.takeRequest()
        async let end: Void = transport.shutdown()
        gate.open()
        #expect(try await task.value == 200)
        await end
        #expect(
            await WireTransport.failure { try await wire.send(server.url(), over: transport) }?.code == .sessionFinished
        )
        await server.connectionsClosed()
        await server.stop()
    }

    @Test("A released transport lets its transfers end, then closes its connections", arguments: WireTransport.allCases)
    func deinitialization(_ wire: WireTransport) async throws {
        try await withServer(.text("hello").with(.drip(bytes: 1, every: .milliseconds(2)))) {
            (server: MockServer) async throws in
            let response = try await wire.make().send(TransportRequest(head: HTTPRequestHead(url: server.url())))
            var text = Data()
            for try await chunk in response.body { text += chunk }
            #expect(text == Data("hello".utf8))
            await server.connectionsClosed()
        }
    }

    // MARK: Configuration

    @Test(
        "Invalid settings of a transport are .invalidConfiguration for its requests",
        arguments: WireTransport.allCases,
        [
            .init(tls: .init(pins: ["sha256//AAAA"])), .init(tls: .init(pins: ["md5//x"])),
            .init(tls: .init(trust: .anchors([Data]()))),
            .init(tls: .init(clientIdentity: .init(certificate: Data([1]), key: Data([2])))),
            .init(proxy: .url("ftp://a")), .init(connectTimeout: .zero),
            .init(unixSocket: ""), .init(unixSocket: String(repeating: "x", count: 300)),
            .init(proxy: .url("http://a:b@c d")), .init(maximumConnectionsPerOrigin: 0), .init(maximumConnections: -1),
            .init(eventLoops: 0), .init(tls: .init(trust: .anchors(file: URL(filePath: "/nowhere")))),
        ] as [SocketTransport.Configuration])
    func invalid(_ wire: WireTransport, _ configuration: SocketTransport.Configuration) async throws {
        try await withServer(.text("x")) { (server: MockServer) async throws in
            let error = await WireTransport.failure {
                try await wire.send(
                    try "https://127.0.0.1:\(server.port)/".asURL(),
                    over: wire.make(configuration))
            }
            #expect(error?.code == .invalidConfiguration, "\(error.map { "\($0)" } ?? "no error")")
        }
    }

    @Test(
        "Descriptions and dumps of a transport's configuration contain no password, key or certificate",
        arguments: WireTransport.allCases)
    func secrets(_ wire: WireTransport) {
        let configuration = SocketTransport.Configuration(
            tls: .init(
                clientIdentity: .init(certificate: "secret-certificate", key: "secret-key", password: "secret-password")
            ),
            proxy: .http("proxy.invalid", port: 1, username: "user", password: "secret-proxy"))
        var text = "\(configuration) \(wire.make(configuration).transportDescription)"
        dump(configuration, to: &text)
        #expect(!text.contains("secret"), "\(text)")
    }
}

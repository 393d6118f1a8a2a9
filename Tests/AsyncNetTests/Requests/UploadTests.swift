import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Uploads over real sockets, alike over every transport; where one differs the test says how.
@Suite("Uploads", .timeLimit(.minutes(5)))
struct UploadTests {
    private struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let body: @Sendable (TemporaryFolder) throws -> RequestBody
        let expected: Data
        let isLengthKnown: Bool
    }

    private static let large = patternedData(700_000)
    private static let cases: [Case] = [
        Case(testDescription: "data", body: { _ in .data(large) }, expected: large, isLengthKnown: true),
        Case(testDescription: "no bytes", body: { _ in .data(Data()) }, expected: Data(), isLengthKnown: true),
        Case(testDescription: "a file", body: { .file(try $0.file("a", large)) }, expected: large, isLengthKnown: true),
        Case(
            testDescription: "an empty file", body: { .file(try $0.file("a", Data())) }, expected: Data(),
            isLengthKnown: true),
        Case(
            testDescription: "a stream", body: { _ in .stream(chunks("ab", "", "c")) }, expected: Data("abc".utf8),
            isLengthKnown: false),
        Case(
            testDescription: "a stream with its length", body: { _ in .stream(chunks("ab", "c"), length: 3) },
            expected: Data("abc".utf8), isLengthKnown: true),
        Case(
            testDescription: "a stream of nothing", body: { _ in .stream(chunks()) }, expected: Data(),
            isLengthKnown: false),
        Case(
            testDescription: "a form",
            body: { folder in
                let file = try folder.file("a.bin", large)
                return .multipart(boundary: "B") { $0.append(file, name: "f", mimeType: "a/b") }
            },
            expected: Data(
                "--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.bin\"\r\nContent-Type: a/b\r\n\r\n"
                    .utf8) + large + Data("\r\n--B--\r\n".utf8),
            isLengthKnown: true),
        Case(
            testDescription: "a form with a stream",
            body: { _ in .multipart(boundary: "B") { $0.append(chunks("ab", "c"), length: nil, name: "s") } },
            expected: Data("--B\r\nContent-Disposition: form-data; name=\"s\"\r\n\r\nabc\r\n--B--\r\n".utf8),
            isLengthKnown: false),
    ]

    @Test(
        "Each kind of body arrives unchanged: with Content-Length if its length is known, else chunked unless over HTTP/2",
        arguments: cases,
        TransportUnderTest.withHTTP2)
    private func kinds(_ upload: Case, _ transport: TransportUnderTest) async throws {
        let folder = try TemporaryFolder()
        let body = try upload.body(folder)
        try await withServer(.text("thanks")) { (server: MockServer) async throws in
            let request = transport.session().upload(body, to: server.url(), method: .put)
            let response = await request.serializing(String.self).response
            #expect(response.value == "thanks", "\(response)")
            let seen = try await server.takeRequest()
            #expect(seen.body == upload.expected)
            #expect(seen.method == .put)
            // URLSession is given a file in place of what it cannot stream, and so knows every length.
            let isKnown = upload.isLengthKnown || transport == .urlSession
            #expect(seen.headers["Content-Length"] == (isKnown ? "\(upload.expected.count)" : nil))
            #expect(seen.headers["Transfer-Encoding"] == (isKnown || transport == .http2 ? nil : "chunked"))
            #expect(response.metrics.sentBytes == Int64(upload.expected.count))
        }
    }

    @Test("The last uploadProgress has all bytes of the body", arguments: TransportUnderTest.withHTTP2)
    func progress(_ transport: TransportUnderTest) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a", patternedData(3_000_000))
        for body in [
            .file(file),
            .stream {
                AsyncStream<Data> {
                    $0.yield(Data(count: 3_000_000))
                    $0.finish()
                }
            },
        ] as [RequestBody] {
            try await withServer(.text("thanks")) { (server: MockServer) async throws in
                let request = transport.session().upload(body, to: server.url())
                let progress = request.uploadProgress
                _ = try await request.serializing(Data.self).value
                var last: TransferProgress?
                for await step in progress { last = step }
                #expect(last?.completedBytes == 3_000_000)
                #expect(last?.fractionCompleted == 1)
            }
        }
    }

    @Test(
        "After a 307 or 308 a body is sent again; a body that can be sent only once leads to redirectFailed",
        arguments: TransportUnderTest.withHTTP2)
    func redirects(_ transport: TransportUnderTest) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a", patternedData(400_000))
        let form = RequestBody.multipart { $0.append(file, name: "f") }
        for body in [.file(file), form, .stream { chunks("ab", "c") }] as [RequestBody] {
            try await withServer(.redirect(to: "/b", status: 307), .redirect(to: "/c", status: 308), .text("end")) {
                (server: MockServer) async throws in
                #expect(
                    try await transport.session().upload(body, to: server.url()).serializing(String.self).value == "end"
                )
                let first = try await server.takeRequest()
                #expect(!first.body.isEmpty)
                for _ in 0..<2 {
                    let next = try await server.takeRequest()
                    #expect(next.body == first.body)
                    #expect(next.headers["Content-Type"] == first.headers["Content-Type"])
                }
            }
        }
        try await withServer(.redirect(to: "/b", status: 307), .redirect(to: "/c", status: 303), .text("end")) {
            (server: MockServer) async throws in
            let session = transport.session()
            let error = await session.upload(.stream(chunks("abc")), to: server.url()).serializing(Data.self).result
                .failure
            #expect(error?.code == .redirectFailed)
            #expect(
                try await session.upload(.stream(chunks("abc")), to: server.url()).serializing(String.self).value
                    == "end")
        }
    }

    @Test(
        "A file is sent again whole after the reused connection was closed by the server",
        arguments: TransportUnderTest.withHTTP2)
    func staleConnection(_ transport: TransportUnderTest) async throws {
        let folder = try TemporaryFolder()
        let (session, data) = (transport.session(), patternedData(300_000))
        let file = try folder.file("a", data)
        try await withServer(.text("first"), .fault(.closeBeforeHead), .text("second")) {
            (server: MockServer) async throws in
            for _ in 0..<2 {
                _ = try await session.upload(.file(file), to: server.url(), method: .put).serializing(String.self).value
            }
            for _ in 0..<3 { #expect(try await server.takeRequest().body == data) }
        }
    }

    #if os(Linux)
        /// The cache decides whether the loop reads the file itself or has it read; where files are only in memory,
        /// both are the former.
        @Test(
            "A file that is not, or only half, in the system's page cache is sent whole", arguments: [1, 3],
            [true, false])
        func uncachedFile(_ count: Int, _ isHalf: Bool) async throws {
            let folder = try TemporaryFolder()
            let data = patternedData(3_000_000)
            let file = try folder.file("a", data)
            let handle = try FileHandle(forUpdating: file)
            try handle.synchronize()
            posix_fadvise(handle.fileDescriptor, isHalf ? 1_500_000 : 0, 0, POSIX_FADV_DONTNEED)
            try handle.close()
            try await withServer(.text("thanks")) { (server: MockServer) async throws in
                let body = RequestBody.multipart(boundary: "B") {
                    for _ in 0..<count { $0.append(.file(file), name: "f") }
                }
                _ = try await Session(transport: .libcurl()).upload(body, to: server.url()).serializing(Data.self).value
                let part =
                    Data("--B\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n".utf8) + data + Data("\r\n".utf8)
                #expect(
                    try await server.takeRequest().body == (0..<count).reduce(Data()) { all, _ in all + part }
                        + Data("--B--\r\n".utf8))
            }
        }
    #endif

    @Test(
        "A response that arrives before the body was sent is delivered", arguments: TransportUnderTest.withHTTP2,
        [401, 413, 200])
    func earlyResponse(_ transport: TransportUnderTest, _ status: Int) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a", patternedData(8_000_000))
        try await withServer(.status(status, body: "enough").with(.earlyResponse)) {
            (server: MockServer) async throws in
            let response = await transport.session().upload(.file(file), to: server.url()).serializing(String.self)
                .response
            #expect(response.statusCode == status, "\(response)")
            #expect(response.value == "enough", "\(response.result)")
        }
    }

    @Test("With Expect: 100-continue a body is sent if accepted, and not if refused", arguments: [417, 413, 200])
    func expectation(_ status: Int) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a", patternedData(500_000))
        for body in [.file(file), .stream(chunks("abc"))] as [RequestBody] {
            let reply = MockResponse.status(status, body: "so")
            try await withServer(status == 200 ? reply : reply.with(.earlyResponse)) {
                (server: MockServer) async throws in
                let transport = LibcurlTransport(configuration: .init(expectContinueTimeout: .seconds(30)))
                let request = Session(transport: transport).upload(body, to: server.url(), headers: [.expectContinue])
                let response = await request.serializing(String.self).response
                #expect(response.statusCode == status, "\(response)")
                // libcurl drops the body of a 417.
                #expect(response.value == (status == 417 ? "" : "so"))
                #expect((response.metrics.sentBytes > 0) == (status == 200))
            }
        }
    }

    @Test("A missing file is an error before a connection is made", arguments: TransportUnderTest.withHTTP2)
    func missingFile(_ transport: TransportUnderTest) async throws {
        try await withServer(.text("x")) { (server: MockServer) async throws in
            let session = transport.session()
            let missing = URL(filePath: "/nowhere/a.txt")
            for body in [.file(missing), .multipart { $0.append(missing, name: "f") }] as [RequestBody] {
                let error = await session.upload(body, to: server.url()).serializing(Data.self).result.failure
                #expect(error?.code == .fileNotReadable)
                #expect(error?.underlyingError is POSIXError)
            }
            #expect(await server.connectionCount == 0)
        }
    }

    @Test(
        "A file that changes during the upload ends it, and the server does not receive the whole body",
        arguments: TransportUnderTest.withHTTP2)
    func changedFile(_ transport: TransportUnderTest) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a", patternedData(400_000))
        try await withServer { (server: MockServer) async throws in
            let (stream, input) = AsyncStream.makeStream(of: Data.self)
            let asked = Gate()
            let body = RequestBody.multipart { form in
                form.append(
                    AsyncStream {
                        asked.open()
                        var next = stream.makeAsyncIterator()
                        return await next.next()
                    }, length: nil, name: "s")
                form.append(file, name: "f")
            }
            let request = transport.session().upload(body, to: server.url())
            let task = Task { await request.serializing(Data.self).result }
            await asked.wait()
            try FileHandle(forWritingTo: file).truncate(atOffset: 399_999)
            input.finish()
            #expect(await task.value.failure?.code == .fileChanged)
            #expect(await server.requestCount == 0)
        }
    }

    @Test(
        "A file that is replaced, or changed with its time reset, ends the upload",
        arguments: [true, false], TransportUnderTest.withHTTP2)
    func replacedFile(_ isReplaced: Bool, _ transport: TransportUnderTest) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a", patternedData(400_000))
        try folder.setBack(file)
        try await withServer { (server: MockServer) async throws in
            let (stream, input) = AsyncStream.makeStream(of: Data.self)
            let asked = Gate()
            let body = RequestBody.multipart { form in
                form.append(
                    AsyncStream {
                        asked.open()
                        var next = stream.makeAsyncIterator()
                        return await next.next()
                    }, length: nil, name: "s")
                form.append(file, name: "f")
            }
            let request = transport.session().upload(body, to: server.url())
            let task = Task { await request.serializing(Data.self).result }
            await asked.wait()
            if isReplaced {
                try #require(rename(folder.file("b", patternedData(400_000)).path, file.path) == 0)
            } else {
                try FileHandle(forWritingTo: file).write(contentsOf: Data([1]))
                try folder.setBack(file)
            }
            input.finish()
            #expect(await task.value.failure?.code == .fileChanged)
            #expect(await server.requestCount == 0)
        }
    }

    @Test(
        "A body stream with a negative length leads to invalidRequest, and nothing is sent",
        arguments: TransportUnderTest.withHTTP2)
    func negativeLength(_ transport: TransportUnderTest) async throws {
        try await withServer { (server: MockServer) async throws in
            let session = transport.session()
            for body in [
                .stream(chunks("abc"), length: -5), .stream(length: .min) { chunks("abc") },
                .multipart { $0.append(chunks("abc"), length: -1, name: "s") },
            ] as [RequestBody] {
                #expect(body.length == nil)
                let error = await session.upload(body, to: server.url()).serializing(Data.self).result.failure
                #expect(error?.code == .invalidRequest)
                #expect(error?.message.contains("negative") == true)
            }
            #expect(await server.connectionCount == 0)
        }
    }

    @Test(
        "A body stream that throws or has the wrong length ends the upload with that error",
        arguments: TransportUnderTest.withHTTP2)
    func brokenStreams(_ transport: TransportUnderTest) async throws {
        try await withServer { (server: MockServer) async throws in
            let session = transport.session()
            let throwing = AsyncThrowingStream<Data, any Error> { continuation in
                continuation.yield(Data(count: 100))
                continuation.finish(throwing: CocoaError(.fileReadUnknown))
            }
            for (body, code) in [
                (.stream(throwing), .bodyStreamFailed), (.stream(chunks("abc"), length: 4), .bodyLengthMismatch),
                (.stream(chunks("abc"), length: 2), .bodyLengthMismatch),
            ] as [(RequestBody, AsyncNetError.Code)] {
                let request = session.upload(body, to: server.url())
                let error = await request.serializing(Data.self).result.failure
                #expect(error?.code == code, "\(error.map { "\($0)" } ?? "none")")
                #expect(error?.attempts == 1)
            }
            #expect(await server.requestCount == 0)
        }
    }

    @Test("Producers that block their threads do not delay other requests", arguments: TransportUnderTest.withHTTP2)
    func blockingProducers(_ transport: TransportUnderTest) async throws {
        let server = try await MockServer.start(speaks: .both)
        await server.route("/*") { .text("\($0.body.count)") }
        let session = transport.session()
        let (release, blocked) = (DispatchSemaphore(value: 0), Counter())
        let uploads = (0..<8).map { _ in
            let turns = Counter()
            let body = RequestBody.stream(
                AsyncStream<Data> {
                    turns.add()
                    guard turns.value > 1 else { return Data(count: 10) }
                    blocked.add()
                    block(release)
                    return nil
                })
            return Task { try await session.upload(body, to: server.url("/up")).serializing(String.self).value }
        }
        await blocked.reaches(8)
        for _ in 0..<20 {
            #expect(
                try await session.upload(.data(Data(count: 5)), to: server.url("/data")).serializing(String.self).value
                    == "5")
        }
        for _ in uploads { release.signal() }
        for upload in uploads { #expect(try await upload.value == "10") }
        await server.stop()
    }

    @Test("A cancelled upload releases its producer", arguments: TransportUnderTest.withHTTP2)
    func cancel(_ transport: TransportUnderTest) async throws {
        let (asked, dropped) = (Gate(), Gate())
        let server = try await MockServer.start(speaks: .both)
        let session = transport.session()
        func start() -> UploadRequest {
            let token = DropToken(dropped)
            return session.upload(
                .stream(
                    AsyncStream<Data> {
                        asked.open()
                        await Gate().wait()
                        withExtendedLifetime(token) {}
                        return nil
                    }), to: server.url())
        }
        let task = Task { await start().serializing(Data.self).result }
        await asked.wait()
        task.cancel()
        #expect(await task.value.failure?.code == .cancelled)
        await dropped.wait()
        await session.finish()
        await server.stop()
    }

    @Test(
        "The timeout does not run while the transport waits for the producer, and does afterwards",
        arguments: TransportUnderTest.withHTTP2)
    func slowProducer(_ transport: TransportUnderTest) async throws {
        let clock = TestClock()
        let listening = ListeningTransport(transport.make())
        let session = Session(transport: listening, configuration: .init(timeout: .seconds(5), clock: clock))
        try await withServer(.fault(.stall)) { (server: MockServer) async throws in
            let (stream, input) = AsyncStream.makeStream(of: Data.self)
            let starving = Counter()
            let body = RequestBody.stream(
                AsyncStream {
                    starving.add()
                    var next = stream.makeAsyncIterator()
                    return await next.next()
                })
            let request = session.upload(body, to: server.url())
            let task = Task { await request.serializing(Data.self).result }
            input.yield(Data(count: 10))
            // Asked for more, and the first bytes are gone: nothing but the producer is waited for.
            await starving.reaches(2)
            await listening.awaitsBody(after: transport == .libcurl ? 10 : 0)
            for _ in 0..<5 {
                await clock.sleepers(atLeast: 1)
                clock.advance(by: .seconds(100))
                for _ in 0..<100 { await Task.yield() }
            }
            #expect(await request.state == .resumed)
            input.finish()
            _ = try await server.takeRequest()
            let end = Task {
                while !Task.isCancelled {
                    await clock.sleepers(atLeast: 1)
                    clock.advance(by: .seconds(5))
                    await Task.yield()
                }
            }
            #expect(await task.value.failure?.code == .timedOut)
            end.cancel()
            clock.advance(by: .seconds(1000))
        }
    }

    @Test("A session lists its uploads, and an upload of a URLRequest with a body is refused")
    func requests() async throws {
        let stub = StubTransport { _ in .fault(.stall) }
        let session = Session(baseURL: "http://a/v1/", transport: stub)
        let upload = session.upload(.data(Data("x".utf8)), to: "b", headers: ["X": "1"])
        await upload.resume()
        #expect(await session.requests(ofKind: .upload).map(\.id) == [upload.id])
        #expect(await stub.requests(atLeast: 1).count == 1)
        #expect(stub.requests.first?.method == .post)
        #expect(stub.requests.first?.target == "/v1/b")
        #expect(stub.requests.first?.headers["X"] == "1")
        await session.cancelAll()

        let plain = Session(transport: StubTransport { .text("\($0.method) \($0.text)") })
        var urlRequest = URLRequest(url: try "http://a/".asURL())
        urlRequest.httpMethod = "PATCH"
        #expect(
            try await plain.upload(.data(Data("x".utf8)), with: urlRequest).serializing(String.self).value == "PATCH x")
        urlRequest.httpBody = Data("y".utf8)
        #expect(
            await plain.upload(.data(Data()), with: urlRequest).serializing(String.self).result.failure?.code
                == .invalidRequest)
    }

    @Test("A body stream over URLSession is buffered in an unlinked temporary file")
    func temporaryFiles() async throws {
        let folder = try TemporaryFolder()
        let session = Session(transport: .urlSession(.init(temporaryFolder: folder.url)))
        try await withServer(.text("x")) { (server: MockServer) async throws in
            let (stream, input) = AsyncStream.makeStream(of: Data.self)
            let asked = Counter()
            let body = RequestBody.stream(
                AsyncStream {
                    asked.add()
                    var next = stream.makeAsyncIterator()
                    return await next.next()
                })
            let task = Task { try await session.upload(body, to: server.url()).serializing(String.self).value }
            input.yield(Data(count: 100_000))
            await asked.reaches(2)
            #if os(Linux)
                #expect(folder.contents.isEmpty)
            #endif
            input.finish()
            #expect(try await task.value == "x")
            await session.finish()
            #expect(folder.contents.isEmpty)
        }
    }
}

private func block(_ semaphore: DispatchSemaphore) { semaphore.wait() }

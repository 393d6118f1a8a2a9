import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Retries of downloads and streams", .timeLimit(.minutes(5)))
struct SinkRetryTests {
    private static let url = "http://a/file"
    private let file = RangeStub(data: patternedData(100_000))

    @Test(
        "The next attempt of a download continues the last one if the response has an entity tag",
        arguments: [true, false], [true, false])
    func resumes(_ hasVersion: Bool, _ isKept: Bool) async throws {
        let (folder, sent) = (try TemporaryFolder(), Counter())
        let stub = StubTransport { [file] request in
            sent.add()
            var reply = file.reply(to: request)
            if !hasVersion { reply.headers.remove("ETag") }
            return sent.value < 3
                ? reply.with(sent.value == 1 ? .truncate(after: 40_000) : .resetMidBody(after: 10_000)) : reply
        }
        let target = folder.url.appending(path: "file")
        let download = Session(transport: stub).download(
            Self.url, to: .file(target, options: isKept ? .continuePartialFile : []))
        download.interceptor(Retrier { _, _ in .retry })
        #expect(try Data(contentsOf: await download.value) == file.data)
        #expect(
            stub.requests.map { $0.headers["Range"] }
                == (hasVersion ? [nil, "bytes=40000-", "bytes=50000-"] : [nil, nil, nil]))
        #expect(
            stub.requests.map { $0.headers["If-Range"] } == (hasVersion ? [nil, "\"1\"", "\"1\""] : [nil, nil, nil]))
        #expect(folder.contents == ["file"])
    }

    @Test("A download whose partial file is locked does not change the entity tag of its resume data")
    func lockedFile() async throws {
        let (folder, url) = (try TemporaryFolder(), try #require(URL(string: Self.url)))
        let other = RangeStub(data: Data(patternedData(110_000).reversed()), tag: "\"2\"")
        let session = Session(transport: StubTransport { other.reply(to: $0) })
        let data = try folder.resumeData(url, file.data.prefix(40_000))
        let target = folder.url.appending(path: "file")
        var lock: OutputFile? = try OutputFile(continuing: data.partialFile.path, mark: data.mark ?? "")
        let download = session.download(resumingWith: data, to: .file(target))
        #expect(await download.result.failure?.code == .fileNotWritable)
        let left = await download.resumeData
        withExtendedLifetime(lock) { lock = nil }
        let rest = session.download(resumingWith: left ?? data, to: .file(target))
        #expect(try Data(contentsOf: await rest.value) == other.data)
    }

    @Test("A retried download continues after a timeout, or starts over with another entity tag")
    func silent() async throws {
        let (folder, clock, sent) = (try TemporaryFolder(), TestClock(), Counter())
        let other = RangeStub(data: patternedData(70_000), tag: "\"2\"")
        let stub = StubTransport { [file] request in
            sent.add()
            return sent.value == 1
                ? file.reply(to: request).with(.stallMidBody(after: 40_000)) : other.reply(to: request)
        }
        let session = Session(transport: stub, configuration: .init(timeout: .seconds(5), clock: clock))
        let download = session.download(Self.url, to: .file(folder.url.appending(path: "file")))
        download.interceptor(Retrier { error, _ in error.code == .timedOut ? .retry : .doNotRetry })
        let time = Task {
            // Only the first answer is silent; no time passes for the second.
            while !Task.isCancelled, sent.value < 2 {
                await clock.sleepers(atLeast: 1)
                clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }
        #expect(try Data(contentsOf: await download.value) == other.data)
        #expect(stub.requests.map { $0.headers["Range"] } == [nil, "bytes=40000-"])
        time.cancel()
        clock.advance(by: .seconds(100))
    }

    @Test(
        "A retrier is called once for a response, and its .fail ends the request", arguments: [true, false],
        [true, false])
    func askedOnce(_ isStream: Bool, _ isValidated: Bool) async throws {
        let (folder, asked) = (try TemporaryFolder(), Counter())
        let stub = StubTransport { _ in .status(503) }
        let session = Session(transport: stub)
        let retrier = Retrier { error, _ in
            asked.add()
            return asked.value == 1 && error.code == .unacceptableStatus
                ? .fail(AsyncNetError(.validationFailed, "enough")) : .retry
        }
        if isStream {
            let stream = session.stream(Self.url).interceptor(retrier)
            if isValidated { stream.validate() }
            await #expect { try await stream.head } throws: { ($0 as? AsyncNetError)?.code == .validationFailed }
        } else {
            let download = session.download(Self.url, to: .file(folder.url.appending(path: "file"))).interceptor(
                retrier)
            if isValidated { download.validate() }
            #expect(await download.result.failure?.code == .validationFailed)
        }
        #expect(asked.value == 1)
        #expect(stub.requests.count == 1)
    }

    @Test(
        "A retrier that does not decide is called once, whether the response is validated or not",
        arguments: [true, false])
    func noOpinion(_ isValidated: Bool) async throws {
        let (folder, asked) = (try TemporaryFolder(), Counter())
        let stub = StubTransport { _ in .status(503) }
        let download = Session(transport: stub).download(Self.url, to: .file(folder.url.appending(path: "file")))
        if isValidated { download.validate() }
        download.interceptor(
            Retrier { _, _ in
                asked.add()
                return .doNotRetry
            })
        #expect(await download.result.failure?.code == (isValidated ? .unacceptableStatus : nil))
        #expect(asked.value == 1)
    }

    @Test("A stream of chunks that is interrupted in its body is not retried")
    func notRepeated() async throws {
        let stub = StubTransport { _ in MockResponse(body: Data("abc".utf8)).with(.truncate(after: 2)) }
        let stream = Session(transport: stub).stream(Self.url).interceptor(Retrier { _, _ in .retry })
        await #expect { for try await _ in stream.chunks {} } throws: {
            ($0 as? AsyncNetError)?.code == .bodyEndedEarly
        }
        #expect(stub.requests.count == 1)
    }

    @Test("Each attempt of a request adapts the original request")
    func adaptedAnew() async throws {
        let stub = StubTransport { _ in .status(503) }
        let request = Session(transport: stub).request(Self.url).interceptor(
            Adapter { request, context in
                var request = request
                request.addValue("\(context.attempt)", forHTTPHeaderField: "X-Attempt")
                return request
            }
        ).interceptor(Retrier { _, context in context.attempt < 3 ? .retry : .doNotRetry })
        _ = await request.serializing(Data.self).result
        #expect(stub.requests.map { $0.headers["X-Attempt"] } == ["1", "2", "3"])
    }

    @Test("A download with fewer bytes than its Content-Length fails, and leaves no file")
    func tooShort() async throws {
        let folder = try TemporaryFolder()
        let stub = StubTransport { _ in MockResponse(headers: ["Content-Length": "1000"], body: Data(count: 900)) }
        let download = Session(transport: stub).download(Self.url, to: .file(folder.url.appending(path: "file")))
        #expect(await download.result.failure?.code == .bodyEndedEarly)
        #expect(folder.contents.allSatisfy { $0 != "file" })
    }

    @Test("A retry delay beyond the clock's range waits until the request is cancelled")
    func longWait() async throws {
        let (stub, asked) = (StubTransport { _ in .fault(.refuse) }, Counter())
        let request = Session(transport: stub).request(Self.url).interceptor(
            Retrier { _, _ in
                asked.add()
                return .retry(after: .seconds(Int64.max))
            })
        let result = Task { await request.serializing(Data.self).result }
        await asked.reaches(1)
        for _ in 0..<200 { await Task.yield() }
        #expect(stub.requests.count == 1)
        await request.cancel()
        #expect(await result.value.failure?.code == .cancelled)
    }

    @Test("The timeout does not run after the end of a download's body", arguments: [200, 416])
    func rests(_ status: Int) async throws {
        let folder = try TemporaryFolder()
        let state = Locked(true)
        let observer = SilentObserver(isReading: { isReading in state.withLock { $0 = isReading } })
        let url = try #require(URL(string: Self.url))
        let resumeData = try folder.resumeData(url, file.data, totalBytes: 100_000)
        let sink = DownloadSink(.file(folder.url.appending(path: "file")), resuming: status == 416 ? resumeData : nil)
        _ = try await sink.prepare(TransportRequest(head: HTTPRequestHead(method: .get, url: url)))
        let head = HTTPResponseHead(
            statusCode: status, url: url, headers: status == 416 ? ["Content-Range": "bytes */100000"] : [:])
        try await sink.receive(TransportBody(file.data), of: head, observer: observer)
        #expect(!state.withLock { $0 })
    }
}

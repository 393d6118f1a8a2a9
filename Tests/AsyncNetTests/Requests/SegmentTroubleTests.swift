import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Failures of segmented downloads", .timeLimit(.minutes(5)))
struct SegmentTroubleTests {
    private static let url = "http://a/file"
    private static let mebi = 1 << 20
    private let file = RangeStub(data: patternedData(9_000_001))

    @Test("The first segment that fails ends the other segments, and no more are requested")
    func firstFailure() async throws {
        let (folder, gate) = (try TemporaryFolder(), Gate())
        let stub = StubTransport { [file] request in
            if RangeStub.range(request)?.first == Self.mebi { return .status(500) }
            if RangeStub.isLater(request) { await gate.wait() }
            return file.reply(to: request)
        }
        let download = Session(transport: stub).download(
            Self.url, to: .file(folder.url.appending(path: "file")), segments: 3)
        #expect(await download.result.failure?.code == .unacceptableStatus)
        gate.open()
        await download.engine.drained()
        #expect(stub.requests.count <= 4)
    }

    @Test("finish() waits for segments whose transport ignores cancellation")
    func finishing() async throws {
        let folder = try TemporaryFolder()
        let transport = StubbornTransport(file)
        let session = Session(transport: transport)
        let download = session.download(Self.url, to: .file(folder.url.appending(path: "file")), segments: 2)
        await download.resume()
        await transport.active.reaches(2)
        await download.cancel()
        let finish = Task { await session.finish() }
        for _ in 0..<200 { await Task.yield() }
        #expect(transport.shutdowns.value == 0)
        transport.gate.open()
        await finish.value
        #expect(transport.shutdowns.value == 1)
    }

    @Test("Segments have the download's deadline, not the session's", arguments: [20, 200])
    func deadline(_ seconds: Int) async throws {
        let (folder, gate, clock) = (try TemporaryFolder(), Gate(), TestClock())
        let stub = StubTransport { [file] request in
            if RangeStub.isLater(request) { await gate.wait() }
            return file.reply(to: request)
        }
        let session = Session(
            transport: stub, configuration: .init(timeout: .seconds(1000), deadline: .seconds(10), clock: clock))
        let download = session.download(Self.url, to: .file(folder.url.appending(path: "file")), segments: 2)
        download.deadline(.seconds(100))
        let result = Task { await download.result }
        #expect(await stub.requests(atLeast: 3).count >= 3)
        clock.advance(by: .seconds(seconds))
        for _ in 0..<200 { await Task.yield() }
        gate.open()
        #expect(await result.value.failure?.code == (seconds > 100 ? .deadlineExceeded : nil))
    }

    @Test(
        "A segment is retried before its first byte; after that the download's next attempt requests the rest"
    )
    func retries() async throws {
        let (folder, failures) = (try TemporaryFolder(), Counter())
        let stub = StubTransport { [file] request in
            guard RangeStub.isLater(request) else { return file.reply(to: request) }
            failures.add()
            return switch failures.value {
            case 1: .status(503)
            case 3: file.reply(to: request).with(.truncate(after: 1000))
            default: file.reply(to: request)
            }
        }
        let download = Session(transport: stub).download(
            Self.url, to: .file(folder.url.appending(path: "file")), segments: 2)
        download.interceptor(Retrier { _, _ in .retry })
        #expect(try Data(contentsOf: await download.value) == file.data)
        #expect(await download.retryCount == 1)
    }

    @Test(
        "A response with another range, total, entity tag, coding or length is not written as a segment",
        arguments: ["range", "total", "tag", "encoded", "short"])
    func wrongPart(_ kind: String) async throws {
        let folder = try TemporaryFolder()
        let stub = StubTransport { [file] request in
            var reply = file.reply(to: request)
            guard let first = RangeStub.range(request)?.first, first > 0 else { return reply }
            switch kind {
            case "range": reply = file.part(first - 1...first + Self.mebi - 2)
            case "total":
                reply.headers.update(
                    HTTPHeader(name: "Content-Range", value: (reply.headers["Content-Range"] ?? "") + "0"))
            case "tag": reply.headers.update(HTTPHeader(name: "ETag", value: "\"2\""))
            case "encoded": reply.headers.update(HTTPHeader(name: "Content-Encoding", value: "gzip"))
            default: reply.body.removeLast()
            }
            return reply
        }
        let download = Session(transport: stub).download(
            Self.url, to: .file(folder.url.appending(path: "file")), segments: 2)
        #expect(await download.result.failure?.code == (kind == "short" ? .bodyEndedEarly : .badServerResponse))
        let left = await download.resumeData
        #expect(left?.offset == Int64(Self.mebi))
        left?.discard()
    }

    @Test("If the first response has fewer bytes than the first segment, the whole file is requested")
    func lessThanAsked() async throws {
        let folder = try TemporaryFolder()
        let stub = StubTransport { [file] in $0.headers["Range"] == nil ? file.reply(to: $0) : file.part(0...999) }
        let download = Session(transport: stub).download(
            Self.url, to: .file(folder.url.appending(path: "file")), segments: 2)
        #expect(try Data(contentsOf: await download.value) == file.data)
        #expect(stub.requests.map { $0.headers["Range"] } == ["bytes=0-1048575", nil])
    }

    @Test("A segmented download completes under a concurrency limit of 1, and returns its permit")
    func onePlace() async throws {
        let folder = try TemporaryFolder()
        let stub = StubTransport { [file] in file.reply(to: $0) }
        var configuration = SessionConfiguration()
        configuration.concurrencyLimit = ConcurrencyLimit(perOrigin: 1)
        let session = Session(transport: stub, configuration: configuration)
        let download = session.download(Self.url, to: .file(folder.url.appending(path: "file")), segments: 3)
        #expect(try Data(contentsOf: await download.value) == file.data)
        #expect(session.environment.limits.queue?.activeCount == 0)
    }

    @Test("The body limit counts all segments together")
    func limit() async throws {
        let folder = try TemporaryFolder()
        let stub = StubTransport { [file] in file.reply(to: $0) }
        let download = Session(transport: stub).download(
            Self.url, to: .file(folder.url.appending(path: "file")), segments: 2,
            options: RequestOptions(maximumBodySize: 3_000_000))
        #expect(await download.result.failure?.code == .bodyTooLarge)
        #expect(stub.requests.count < 9)
    }

    @Test("A suspended download requests no further segment")
    func suspended() async throws {
        let (folder, gate) = (try TemporaryFolder(), Gate())
        let stub = StubTransport { [file] request in
            if RangeStub.isLater(request) { await gate.wait() }
            return file.reply(to: request)
        }
        let download = Session(transport: stub).download(
            Self.url, to: .file(folder.url.appending(path: "file")), segments: 2)
        await download.resume()
        #expect(await stub.requests(atLeast: 3).count == 3)
        await download.suspend()
        gate.open()
        for _ in 0..<300 { await Task.yield() }
        #expect(stub.requests.count == 3)
        await download.resume()
        #expect(try Data(contentsOf: await download.value) == file.data)
    }

    @Test("Segments are requested with identity coding, and a 412 to a segment starts the download over")
    func refusedVersion() async throws {
        let (folder, other) = (try TemporaryFolder(), RangeStub(data: patternedData(70_000), tag: "\"2\""))
        let stub = StubTransport { [file] request in
            if RangeStub.isLater(request) { return .status(412) }
            return request.headers["Range"] == nil ? other.reply(to: request) : file.reply(to: request)
        }
        let download = Session(transport: stub).download(
            Self.url, to: .file(folder.url.appending(path: "file")), segments: 2)
        #expect(try Data(contentsOf: await download.value) == other.data)
        #expect(stub.requests.allSatisfy { $0.headers["Accept-Encoding"] == "identity" })
    }

    @Test("A segment admitted by the rate limit only after the download's deadline ends the download at once")
    func rate() async throws {
        let folder = try TemporaryFolder()
        let configuration = SessionConfiguration(
            deadline: .seconds(1), rateLimit: RateLimit(requests: 1, per: .seconds(60)), clock: TestClock())
        let stub = StubTransport { [file] in file.reply(to: $0) }
        let download = Session(transport: stub, configuration: configuration).download(
            Self.url, to: .file(folder.url.appending(path: "file")), segments: 2)
        #expect(await download.result.failure?.code == .deadlineExceeded)
    }

    @Test("A response that stalls after the download started over leads to timedOut")
    func silentAfterOtherVersion() async throws {
        let (folder, clock) = (try TemporaryFolder(), TestClock())
        let stub = StubTransport { [file] request in
            if RangeStub.isLater(request) { return .status(412) }
            return request.headers["Range"] == nil ? .fault(.stall) : file.reply(to: request)
        }
        let download = Session(transport: stub, configuration: .init(timeout: .seconds(10), clock: clock)).download(
            Self.url, to: .file(folder.url.appending(path: "file")), segments: 2)
        let result = await clock.run { await download.result }
        #expect(result.failure?.code == .timedOut)
        #expect(stub.requests.contains { $0.headers["Range"] == nil })
    }

    // MARK: What a kill leaves

    @Test("The notes on disk are updated during a long transfer")
    func longTransfer() async throws {
        let (folder, long) = (try TemporaryFolder(), RangeStub(data: patternedData(40_000_000)))
        let target = folder.url.appending(path: "file")
        let stub = StubTransport {
            (RangeStub.range($0)?.first ?? 0) > 25_000_000 ? .fault(.stall) : long.reply(to: $0)
        }
        let download = Session(transport: stub).download(
            Self.url, to: .file(target, options: .continuePartialFile), segments: 2)
        await download.resume()
        #expect(
            await eventually {
                let notes = try? JSONDecoder().decode(
                    ResumeData.self, from: Data(contentsOf: target.appendingPathExtension("partial.json")))
                return (notes?.prefix ?? 0) > 16 << 20
            })
        await download.cancel()
        await download.engine.drained()
    }

    @Test("A gap in the partial file that was filled is removed from the notes")
    func filledGap() async throws {
        let folder = try TemporaryFolder()
        let target = folder.url.appending(path: "file")
        var holes = file.data
        holes.resetBytes(in: 3 * Self.mebi..<4 * Self.mebi)
        let url = try #require(URL(string: Self.url))
        _ = try folder.leave(
            holes, at: target, url, validator: file.tag, totalBytes: 9_000_001, prefix: Int64(3 * Self.mebi))
        let breaking = StubTransport { [file] in file.reply(to: $0).with(.truncate(after: 2 * Self.mebi)) }
        _ = await Session(transport: breaking).download(Self.url, to: .file(target, options: .continuePartialFile))
            .result
        let stub = StubTransport { [file] in file.reply(to: $0) }
        #expect(
            try Data(
                contentsOf: await Session(transport: stub).download(
                    Self.url, to: .file(target, options: .continuePartialFile)
                ).value) == file.data)
        #expect(stub.requests.map { $0.headers["Range"] } == ["bytes=\(5 * Self.mebi)-"])
    }

    @Test(
        "A download with damaged notes completes with the right bytes or fails",
        arguments: [(Int64.min, -5), (-1, Int64.min), (.max, .max), (0, 0), (5, 7)] as [(Int64, Int64)], [1, 3])
    func spoiltNotes(_ numbers: (total: Int64, prefix: Int64), _ segments: Int) async throws {
        let folder = try TemporaryFolder()
        let target = folder.url.appending(path: "file")
        let url = try #require(URL(string: Self.url))
        let received = file.data.prefix(2_000_000)
        let notes = try folder.leave(
            received, at: target, url, validator: file.tag, totalBytes: numbers.total, prefix: numbers.prefix)
        #expect(notes.offset >= 0)
        let stub = StubTransport { [file] in file.reply(to: $0) }
        let session = Session(transport: stub)
        let download = session.download(Self.url, to: .file(target, options: .continuePartialFile), segments: segments)
        if let file = try? await download.value { #expect(try Data(contentsOf: file) == self.file.data) }
    }
}

/// Sends the first part, and never lets go of later ones before its gate opens.
private final class StubbornTransport: Transport {
    let gate = Gate()
    let active = Counter()
    let shutdowns = Counter()
    private let stub: StubTransport

    init(_ file: RangeStub) { stub = StubTransport { file.reply(to: $0) } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard request.head.headers["Range"]?.hasPrefix("bytes=0-") == false else { return try await stub.send(request) }
        active.add()
        await Task.detached { [gate] in await gate.wait() }.value
        throw CancellationError()
    }

    func shutdown() async { shutdowns.add() }
}

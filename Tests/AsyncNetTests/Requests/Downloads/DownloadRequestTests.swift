import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Downloads", .timeLimit(.minutes(5)))
struct DownloadRequestTests {
    private let data = patternedData(1_000_000)

    private func withRanges<Result>(
        _ data: Data? = nil, tag: String = "\"1\"", knowsRanges: Bool = true,
        _ body: (RangeServer, URL, TemporaryFolder) async throws -> Result
    ) async throws -> Result {
        let ranges = try await RangeServer(data ?? self.data, tag: tag, knowsRanges: knowsRanges)
        await ranges.start()
        let result = try await body(ranges, ranges.server.url("/file"), try TemporaryFolder())
        await ranges.server.stop()
        return result
    }

    @Test(
        "The complete file is at its place, and no other file is left", arguments: [0, 1, 1_000_000],
        TransportUnderTest.withHTTP2)
    func whole(_ size: Int, _ transport: TransportUnderTest) async throws {
        let (folder, data) = (try TemporaryFolder(), patternedData(size))
        let target = folder.url.appending(path: "a.bin")
        try await withServer(.data(data)) { (server: MockServer) async throws in
            let download = transport.session().download(server.url(), to: .file(target))
            let progress = download.downloadProgress
            #expect(try await download.value == target)
            #expect(try await download.value == target)
            #expect(try Data(contentsOf: target) == data)
            #expect(folder.contents == ["a.bin"])
            #expect(await server.requestCount == 1)
            #expect(try await server.takeRequest().headers["Accept-Encoding"] == "identity")
            var last: TransferProgress?
            for await step in progress { last = step }
            #expect(last?.fractionCompleted == 1)
            #expect(await download.response.metrics.receivedBytes == Int64(size))
        }
    }

    @Test("A session lists a running download")
    func listing() async throws {
        let folder = try TemporaryFolder()
        let session = Session(transport: StubTransport { _ in .fault(.stall) })
        let download = session.download("http://a/", to: .file(folder.url.appending(path: "a")))
        await download.resume()
        #expect(await session.requests(ofKind: .download).first?.id == download.id)
        await session.cancelAll()
        #expect(await download.result.failure?.code == .cancelled)
    }

    @Test("An existing file is kept, and a missing folder an error, unless the options say otherwise")
    func options() async throws {
        let folder = try TemporaryFolder()
        let session = Session(transport: StubTransport { _ in .text("new") })
        let old = try folder.file("old", Data("old".utf8))
        #expect(await session.download("http://a/", to: .file(old)).result.failure?.code == .fileNotWritable)
        #expect(try Data(contentsOf: old) == Data("old".utf8))
        chmod(old.path, 0o640)
        #expect(try await session.download("http://a/", to: .file(old, options: .removePreviousFile)).value == old)
        #expect(try Data(contentsOf: old) == Data("new".utf8))
        #expect(FileSystem.permissions(old.path) == 0o640)
        let deep = folder.url.appending(path: "x/y/z")
        let missing = await session.download("http://a/", to: .file(deep)).result.failure
        #expect(missing?.code == .fileNotWritable && missing?.underlyingError is POSIXError)
        #expect(
            try await session.download("http://a/", to: .file(deep, options: .createIntermediateDirectories)).value
                == deep)
        let remote = try "http://a/b".asURL()
        #expect(await session.download("http://a/", to: .file(remote)).result.failure?.code == .fileNotWritable)
    }

    @Test(
        "The place of a file is a safe name of the response in a folder, or a closure's result",
        arguments: [
            ("attachment; filename=\"a.txt\"", "a.txt"), ("attachment; filename=\"../../etc/passwd\"", "passwd"),
            ("inline", "b.bin"),
        ])
    func suggested(_ disposition: String, _ name: String) async throws {
        let folder = try TemporaryFolder()
        let session = Session(
            transport: StubTransport { _ in .status(200, headers: ["Content-Disposition": disposition], body: "x") })
        #expect(try await session.download("http://a/b.bin?q", to: .folder(folder.url)).value.lastPathComponent == name)
        #expect(folder.contents == [name])
        let chosen = DownloadDestination.choosing { head in
            if head.statusCode != 200 { throw CocoaError(.featureUnsupported) }
            return folder.url.appending(path: "chosen")
        }
        #expect(try await session.download("http://a/", to: chosen).value.lastPathComponent == "chosen")
    }

    @Test(
        "A failed download that cannot be resumed leaves no file",
        arguments: [
            MockResponse.fault(.truncate(after: 10)), .fault(.resetMidBody(after: 10)), .fault(.resetAfterHead),
            .fault(.closeBeforeHead), .status(404, body: "no"),
        ])
    func failures(_ reply: MockResponse) async throws {
        let folder = try TemporaryFolder()
        try await withServer(reply) { (server: MockServer) async throws in
            let session = Session()
            func failed() async -> AsyncNetError? {
                await session.download(server.url(), to: .file(folder.url.appending(path: "a"))).validate().result
                    .failure
            }
            #expect(await failed() != nil)
            await session.finish()
            #expect(folder.contents.isEmpty)
        }
    }

    @Test("A download whose folder is removed ends with fileNotWritable")
    func vanishing() async throws {
        let folder = try TemporaryFolder()
        let inner = folder.url.appending(path: "in")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        let stub = StubTransport { _ in
            try FileManager.default.removeItem(at: inner)
            return .text("x")
        }
        let error = await Session(transport: stub).download("http://a/", to: .file(inner.appending(path: "a"))).result
            .failure
        #expect(error?.code == .fileNotWritable)
        #expect(folder.contents.isEmpty)
    }

    // MARK: Going on

    @Test(
        "A cancelled or interrupted download is continued with one request for the rest", arguments: [true, false])
    func resuming(_ isCancelled: Bool) async throws {
        try await withRanges { (ranges: RangeServer, url: URL, folder: TemporaryFolder) async throws in
            let (session, target) = (Session(), folder.url.appending(path: "a"))
            await ranges.breakOff(after: 400_000)
            let first = session.download(url, to: .file(target))
            #expect(await first.result.failure?.code == .bodyEndedEarly)
            let resumeData = try #require(
                await isCancelled ? first.cancel(producingResumeData: true) : first.resumeData)
            #expect(resumeData.offset == 400_000)
            #expect(resumeData.totalBytes == 1_000_000)
            #expect(!FileManager.default.fileExists(atPath: target.path))
            await ranges.breakOff(after: nil)
            let coded = try JSONDecoder().decode(ResumeData.self, from: JSONEncoder().encode(resumeData))
            let rest = session.download(resumingWith: coded, to: .file(target))
            let progress = rest.downloadProgress
            let response = await rest.response
            #expect(response.value == target, "\(response)")
            #expect(response.metrics.receivedBytes == 600_000)
            #expect(try Data(contentsOf: target) == data)
            #expect(folder.contents == ["a"])
            #expect(await ranges.asked == [nil, "bytes=400000-"])
            var last: TransferProgress?
            for await step in progress { last = step }
            #expect(last?.completedBytes == 1_000_000 && last?.totalBytes == 1_000_000)
        }
    }

    @Test("cancel(producingResumeData:) of a running download returns resume data")
    func cancelUnderWay() async throws {
        let folder = try TemporaryFolder()
        let reply = MockResponse(200, headers: ["ETag": "\"1\""], body: data).with(.stallMidBody(after: 300_000))
        try await withServer(reply) { (server: MockServer) async throws in
            let download = Session().download(server.url(), to: .file(folder.url.appending(path: "a")))
            let progress = download.downloadProgress
            await download.resume()
            for await step in progress where step.completedBytes == 300_000 { break }
            let resumeData = await download.cancel(producingResumeData: true)
            #expect(resumeData?.offset == 300_000)
            #expect(await download.result.failure?.code == .cancelled)
            resumeData?.discard()
            #expect(folder.contents.isEmpty)
        }
    }

    @Test("A download without a strong entity tag leaves no resume data", arguments: ["W/\"1\"", "none"])
    func noValidator(_ tag: String) async throws {
        try await withRanges(tag: tag) { (ranges: RangeServer, url: URL, folder: TemporaryFolder) async throws in
            await ranges.breakOff(after: 10)
            let download = Session().download(url, to: .file(folder.url.appending(path: "a")))
            #expect(await download.result.failure?.code == .bodyEndedEarly)
            #expect(await download.resumeData == nil)
        }
    }

    @Test(
        "A continued download starts over if the entity tag changed or the server has no ranges",
        arguments: [true, false])
    func startsOver(_ isChanged: Bool) async throws {
        try await withRanges(knowsRanges: isChanged) {
            (ranges: RangeServer, url: URL, folder: TemporaryFolder) async throws in
            let (session, target) = (Session(), folder.url.appending(path: "a"))
            await ranges.breakOff(after: 400_000)
            let first = session.download(url, to: .file(target))
            _ = await first.result
            let resumeData = try #require(await first.resumeData)
            await ranges.breakOff(after: nil)
            let new = isChanged ? patternedData(500_000) : data
            if isChanged { await ranges.change(to: new, tag: "\"2\"") }
            #expect(try await session.download(resumingWith: resumeData, to: .file(target)).value == target)
            #expect(try Data(contentsOf: target) == new)
            #expect(await ranges.asked.count == 2)
            #expect(folder.contents == ["a"])
        }
    }

    @Test("A 416 completes a download that has all bytes, and a download with more bytes starts over")
    func unsatisfiable() async throws {
        try await withRanges { (ranges: RangeServer, url: URL, folder: TemporaryFolder) async throws in
            for (count, asks) in [(1_000_000, 1), (1_000_001, 2)] {
                let target = folder.url.appending(path: "t\(count)")
                let resumeData = try folder.resumeData(url, patternedData(count))
                let before = await ranges.asked.count
                #expect(try await Session().download(resumingWith: resumeData, to: .file(target)).value == target)
                #expect(try Data(contentsOf: target) == data)
                #expect(await ranges.asked.count == before + asks)
            }
            #expect(folder.contents.sorted() == ["t1000000", "t1000001"])
        }
    }

    @Test(
        "A response that is not the requested rest is an error, and the partial file is kept",
        arguments: [
            MockResponse(206, headers: ["Content-Range": "bytes 5-9/10"], body: Data(count: 5)),
            MockResponse(206, headers: ["Content-Range": "nonsense"]), MockResponse(206),
            MockResponse(206, headers: ["Content-Range": "bytes 400000-999999/1000000", "ETag": "\"2\""]),
            MockResponse(206, headers: ["Content-Range": "bytes 400000-499999/500000"]),
            .status(503), .status(404),
        ])
    func wrongAnswers(_ reply: MockResponse) async throws {
        try await withRanges { (ranges: RangeServer, url: URL, folder: TemporaryFolder) async throws in
            let session = Session()
            await ranges.breakOff(after: 400_000)
            let first = session.download(url, to: .file(folder.url.appending(path: "a")))
            _ = await first.result
            let resumeData = try #require(await first.resumeData)
            await ranges.answer(with: reply)
            let second = session.download(resumingWith: resumeData, to: .file(folder.url.appending(path: "a")))
            let code = await second.result.failure?.code
            #expect(code == (reply.statusCode == 206 ? .badServerResponse : .unacceptableStatus))
            #expect(await second.resumeData == resumeData)
            await ranges.answer(with: nil)
            await ranges.breakOff(after: nil)
            #expect(
                try Data(
                    contentsOf: await session.download(
                        resumingWith: resumeData, to: .file(folder.url.appending(path: "a"))
                    ).value) == data)
        }
    }

    @Test("With .continuePartialFile a new session finds the partial file and requests only the rest")
    func keptPartialFile() async throws {
        try await withRanges { (ranges: RangeServer, url: URL, folder: TemporaryFolder) async throws in
            let destination = DownloadDestination.file(
                folder.url.appending(path: "a"), options: [.continuePartialFile, .removePreviousFile])
            await ranges.breakOff(after: 400_000)
            #expect(await Session().download(url, to: destination).result.failure?.code == .bodyEndedEarly)
            #expect(folder.contents.sorted() == ["a.partial", "a.partial.json"])
            #expect(await Session().download(url, to: destination).result.failure?.code == .bodyEndedEarly)
            await ranges.breakOff(after: nil)
            #expect(try Data(contentsOf: await Session().download(url, to: destination).value) == data)
            #expect(folder.contents == ["a"])
            #expect(await ranges.asked == [nil, "bytes=400000-", "bytes=800000-"])
            // What is left of another URL is not gone on with.
            await ranges.breakOff(after: 400_000)
            _ = await Session().download(url, to: destination).result
            await ranges.breakOff(after: nil)
            #expect(
                try Data(contentsOf: await Session().download(ranges.server.url("/other"), to: destination).value)
                    == data)
            #expect(await ranges.asked.last == .some(nil))
        }
    }

    // MARK: What must not be harmed

    @Test(
        "A foreign file in the partial file's place stays, and the download ends with fileNotWritable",
        arguments: [true, false])
    func foreignPartialFile(_ isFolder: Bool) async throws {
        let folder = try TemporaryFolder()
        let partial = folder.url.appending(path: "a.partial")
        if isFolder {
            try FileManager.default.createDirectory(
                at: partial.appending(path: "in"), withIntermediateDirectories: true)
        } else {
            _ = try folder.file("a.partial", Data("mine".utf8))
        }
        let session = Session(transport: StubTransport { _ in .text("x") })
        let destination = DownloadDestination.file(
            folder.url.appending(path: "a"), options: [.continuePartialFile, .removePreviousFile])
        #expect(await session.download("http://a/", to: destination).result.failure?.code == .fileNotWritable)
        #expect(FileManager.default.fileExists(atPath: partial.path))
        if !isFolder { #expect(try Data(contentsOf: partial) == Data("mine".utf8)) }
    }

    @Test("A destination that is a folder is not replaced")
    func specialTarget() async throws {
        let folder = try TemporaryFolder()
        let inner = folder.url.appending(path: "in")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        let stub = StubTransport { _ in .text("x") }
        let error = await Session(transport: stub).download("http://a/", to: .file(inner, options: .removePreviousFile))
            .result.failure
        #expect(error?.code == .fileNotWritable)
        #expect(stub.requests.isEmpty)
    }

    @Test("A continued download that fails before its body leaves the partial file unchanged", arguments: [404, 200])
    func refusedResume(_ status: Int) async throws {
        let folder = try TemporaryFolder()
        let resumeData = try folder.resumeData("http://a/".asURL(), Data("0123456789".utf8))
        let target = try folder.file("there", Data())
        let session = Session(transport: StubTransport { _ in .status(status) })
        // To a target that is there nothing is even sent.
        let place = status == 404 ? folder.url.appending(path: "a") : target
        _ = session.download(resumingWith: resumeData, to: .file(place))
        let code = await session.download(resumingWith: resumeData, to: .file(place)).result.failure?.code
        #expect(code == (status == 404 ? .unacceptableStatus : .fileNotWritable))
        #expect(try Data(contentsOf: resumeData.partialFile) == Data("0123456789".utf8))
    }

    @Test("A 206 with a part of the rest is kept for the next download; a 206 to no range request is an error")
    func shortPart() async throws {
        let folder = try TemporaryFolder()
        let resumeData = try folder.resumeData("http://a/".asURL(), Data("0123456789".utf8), totalBytes: 20)
        let session = Session(
            transport: StubTransport { _ in
                .init(206, headers: ["Content-Range": "bytes 10-14/20"], body: Data("abcde".utf8))
            })
        let target = folder.url.appending(path: "a")
        let download = session.download(resumingWith: resumeData, to: .file(target))
        #expect(await download.result.failure?.code == .bodyEndedEarly)
        #expect(await download.resumeData?.offset == 15)
        #expect(await session.download("http://a/", to: .file(target)).result.failure?.code == .badServerResponse)
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }

    @Test(
        "A 206 with another Last-Modified or a content coding is not appended to a partial file",
        arguments: [
            ["Last-Modified": "Fri, 02 Jan 2026 00:00:00 GMT"], ["Content-Encoding": "gzip"],
        ] as [HTTPHeaders])
    func otherVersion(_ headers: HTTPHeaders) async throws {
        let folder = try TemporaryFolder()
        let resumeData = try folder.resumeData(
            "http://a/".asURL(), Data("0123456789".utf8), validator: "Thu, 01 Jan 2026 00:00:00 GMT")
        var all = headers
        all.add(name: "Content-Range", value: "bytes 10-14/15")
        let reply = MockResponse(206, headers: all, body: Data("abcde".utf8))
        let session = Session(transport: StubTransport { _ in reply })
        #expect(
            await session.download(resumingWith: resumeData, to: .file(folder.url.appending(path: "a"))).result.failure?
                .code == .badServerResponse)
    }

    @Test("A continued download requests the original URL, and redirects and their header rules apply again")
    func redirected() async throws {
        try await withRanges { (ranges: RangeServer, url: URL, folder: TemporaryFolder) async throws in
            let front = try await MockServer.start(speaks: .both)
            await front.route("/*") { _ in .redirect(to: url.absoluteString) }
            await ranges.breakOff(after: 400_000)
            let headers: HTTPHeaders = [.authorization(bearerToken: "hunter2")]
            let first = Session().download(
                front.url("/x"), to: .file(folder.url.appending(path: "a")), headers: headers)
            _ = await first.result
            let resumeData = try #require(await first.resumeData)
            #expect(resumeData.url == front.url("/x"))
            await ranges.breakOff(after: nil)
            let file = try await Session().download(
                resumingWith: resumeData, to: .file(folder.url.appending(path: "a")), headers: headers
            ).value
            #expect(try Data(contentsOf: file) == data)
            for _ in 0..<2 {
                let seen = try await ranges.server.takeRequest()
                #expect(seen.headers["Authorization"] == nil)
            }
            #expect(await ranges.asked.last == "bytes=400000-")
            await front.stop()
        }
    }

    @Test("Validators do not refuse a 416 to the download's own Range")
    func validatedResume() async throws {
        try await withRanges { (ranges: RangeServer, url: URL, folder: TemporaryFolder) async throws in
            for (count, type) in [(1_000_000, nil), (1_000_001, "application/pdf")] as [(Int, String?)] {
                let resumeData = try folder.resumeData(url, patternedData(count))
                let download = Session().download(
                    resumingWith: resumeData, to: .file(folder.url.appending(path: "t\(count)")))
                download.validate()
                if let type { download.validate(contentType: [type]) }
                #expect(await download.result.failure?.code == (type == nil ? nil : .unacceptableContentType))
            }
        }
    }

    @Test("A second download to the same partial file ends with fileNotWritable")
    func lockedPartialFile() async throws {
        let folder = try TemporaryFolder()
        let destination = DownloadDestination.file(
            folder.url.appending(path: "a"), options: [.continuePartialFile, .removePreviousFile])
        let reply = MockResponse(200, headers: ["ETag": "\"1\""], body: data).with(.stallMidBody(after: 300_000))
        try await withServer(reply, .data(data)) { (server: MockServer) async throws in
            let first = Session().download(server.url("/x"), to: destination)
            let progress = first.downloadProgress
            await first.resume()
            for await step in progress where step.completedBytes == 300_000 { break }
            let second = await Session().download(server.url("/x"), to: destination).result.failure
            #expect(second?.code == .fileNotWritable)
            let resumeData = await first.cancel(producingResumeData: true)
            #expect(resumeData?.offset == 300_000)
        }
    }

    @Test("Resume data cannot inject headers, and the body limit counts the bytes of the partial file")
    func tampered() async throws {
        let folder = try TemporaryFolder()
        let stub = StubTransport { _ in .init(206, headers: ["Content-Range": "bytes 10-19/20"], body: Data(count: 10))
        }
        let evil = try folder.resumeData("http://a/".asURL(), Data(count: 10), validator: "\"1\"\r\nX-Evil: 1")
        let place = DownloadDestination.file(folder.url.appending(path: "a"))
        #expect(
            await Session(transport: stub).download(resumingWith: evil, to: place).result.failure?.code
                == .invalidRequest)
        #expect(stub.requests.isEmpty)
        let good = try folder.resumeData("http://a/".asURL(), Data(count: 10))
        let limited = Session(transport: stub, configuration: .init(maximumBodySize: 12))
        #expect(await limited.download(resumingWith: good, to: place).result.failure?.code == .bodyTooLarge)
    }
}

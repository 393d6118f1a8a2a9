import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Files that are not partial files", .timeLimit(.minutes(5)))
struct ForeignFileTests {
    private static let mine = Data("0123".utf8)

    /// Answers the rest from byte 4 on, or with a refusal.
    private static func session(_ status: Int) -> Session {
        Session(
            transport: StubTransport { request in
                guard status == 206, request.headers["Range"] != nil else {
                    return .status(status == 206 ? 200 : status, body: "0123456789")
                }
                return MockResponse(
                    206, headers: ["Content-Range": "bytes 4-9/10", "ETag": "\"1\""], body: Data("456789".utf8))
            })
    }

    private static func partial(in folder: TemporaryFolder, _ name: String = ".AsyncNet-0.partial") -> URL {
        folder.url.appending(path: name)
    }

    /// A file of the user's that resume data names, and the data.
    private static func victim(_ kind: String, in folder: TemporaryFolder) throws -> (file: URL, data: ResumeData) {
        let url = try "http://a/".asURL()
        var (file, named) = (partial(in: folder), partial(in: folder))
        var mark = String?.some("guessed")
        switch kind {
        case "any name":
            file = folder.url.appending(path: "secrets.txt")
            mark = try folder.partialFile(file, mine)
            named = file
        case "no mark":
            _ = try folder.file(file.lastPathComponent, mine)
            mark = nil
        case "guessed mark": _ = try folder.file(file.lastPathComponent, mine)
        case "another mark": _ = try folder.partialFile(file, mine)
        case "no mark in the data":
            _ = try folder.partialFile(file, mine)
            mark = nil
        case "two names":
            mark = try folder.partialFile(file, mine)
            try #require(link(file.path, file.path + "2") == 0)
        case "a link":
            file = partial(in: folder, "real.partial")
            mark = try folder.partialFile(file, mine)
            try #require(symlink(file.path, named.path) == 0)
        case "a stale mark beside":
            mark = try folder.partialFile(file, mine, .beside)
            try #require(rename(folder.file("other", mine).path, file.path) == 0)
        default:
            mark = try folder.partialFile(file, mine)
            try #require(chown(file.path, 12345, 12345) == 0)
        }
        return (file, ResumeData(url: url, validator: "\"1\"", partialFile: named, totalBytes: 10, mark: mark))
    }

    private static let kinds =
        [
            "any name", "no mark", "guessed mark", "another mark", "no mark in the data", "two names", "a link",
            "a stale mark beside",
        ]
        + (geteuid() == 0 ? ["another user's"] : [])

    @Test(
        "Resume data that names a foreign file is refused, and the file is unchanged", arguments: kinds,
        [206, 404])
    func forgedResumeData(_ kind: String, _ status: Int) async throws {
        let folder = try TemporaryFolder()
        let (file, forged) = try Self.victim(kind, in: folder)
        let before = folder.contents.sorted()
        // As it comes from elsewhere.
        let data = try JSONDecoder().decode(ResumeData.self, from: JSONEncoder().encode(forged))
        let target = folder.url.appending(path: "target")
        for options in [[], .removePreviousFile] as [DownloadDestination.Options] {
            let download = Self.session(status).download(resumingWith: data, to: .file(target, options: options))
            let error = await download.result.failure
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains(data.partialFile.lastPathComponent) == true)
            #expect(await download.resumeData == nil)
        }
        data.discard()
        #expect(folder.contents.sorted() == before)
        #expect(try Data(contentsOf: file) == Self.mine)
    }

    @Test("Resume data that names a pipe or a folder is refused at once, and neither is removed")
    func specialFiles() async throws {
        let folder = try TemporaryFolder()
        for isPipe in [true, false] {
            let named = Self.partial(in: folder, "\(isPipe).partial")
            try #require((isPipe ? mkfifo(named.path, 0o600) : mkdir(named.path, 0o700)) == 0)
            let data = ResumeData(
                url: try "http://a/".asURL(), validator: "\"1\"", partialFile: named, totalBytes: nil, mark: "x")
            let target = folder.url.appending(path: "target")
            #expect(
                await Self.session(206).download(resumingWith: data, to: .file(target)).result.failure?.code
                    == .invalidRequest)
            data.discard()
            #expect(FileManager.default.fileExists(atPath: named.path))
        }
    }

    @Test("Resume data whose partial file is gone starts over, and does not create that file")
    func goneFile() async throws {
        let folder = try TemporaryFolder()
        let named = Self.partial(in: folder, "elsewhere/x.partial")
        let data = ResumeData(
            url: try "http://a/".asURL(), validator: "\"1\"", partialFile: named, totalBytes: 10, mark: "x")
        let target = folder.url.appending(path: "target")
        #expect(
            try Data(contentsOf: await Self.session(206).download(resumingWith: data, to: .file(target)).value).count
                == 10)
        #expect(folder.contents == ["target"])
    }

    @Test(
        "Resume data continues a partial file of any name, and the complete file has no mark",
        arguments: [PartialFile.MarkPlace.attribute, .beside])
    func ownFile(_ place: PartialFile.MarkPlace) async throws {
        let folder = try TemporaryFolder()
        let named = Self.partial(in: folder, "a.partial")
        let mark = try folder.partialFile(named, Self.mine, place)
        #expect(PartialFile.mark(at: named.path) == mark)
        let data = ResumeData(
            url: try "http://a/".asURL(), validator: "\"1\"", partialFile: named, totalBytes: 10, mark: mark)
        let target = folder.url.appending(path: "target.partial")
        #expect(
            try Data(contentsOf: await Self.session(206).download(resumingWith: data, to: .file(target)).value)
                == Data("0123456789".utf8))
        #expect(folder.contents == ["target.partial"])
        #expect(PartialFile.mark(at: target.path) == nil)
    }

    @Test("Discarding resume data removes the partial file", arguments: [PartialFile.MarkPlace.attribute, .beside])
    func discarding(_ place: PartialFile.MarkPlace) async throws {
        let folder = try TemporaryFolder()
        let named = Self.partial(in: folder)
        let mark = try folder.partialFile(named, Self.mine, place)
        ResumeData(url: try "http://a/".asURL(), validator: "\"1\"", partialFile: named, totalBytes: 10, mark: mark)
            .discard()
        #expect(folder.contents.isEmpty)
    }

    @Test(
        "Downloads are continued on a file system without extended attributes", arguments: [true, false])
    func withoutAttributes(_ isKept: Bool) async throws {
        let folder = try TemporaryFolder()
        let (url, target) = (try "http://a/".asURL(), folder.url.appending(path: "target"))
        let destination = DownloadDestination.file(target, options: isKept ? .continuePartialFile : [])
        let request = TransportRequest(head: HTTPRequestHead(method: .get, url: url))
        var left: ResumeData?
        do {
            let sink = DownloadSink(destination, marking: .beside)
            _ = try await sink.prepare(request)
            let head = HTTPResponseHead(statusCode: 200, url: url, headers: ["ETag": "\"1\"", "Content-Length": "10"])
            let code = await AsyncNetError.code { try await sink.receive(TransportBody(Self.mine), of: head) }
            #expect(code == .bodyEndedEarly)
            left = sink.handOver()
        }
        #expect(left?.offset == 4 && folder.contents.count == (isKept ? 3 : 2))
        let sink = DownloadSink(destination, resuming: isKept ? nil : left, marking: .beside)
        #expect(try await sink.prepare(request).head.headers["Range"] == "bytes=4-")
        let head = HTTPResponseHead(
            statusCode: 206, url: url, headers: ["ETag": "\"1\"", "Content-Range": "bytes 4-9/10"])
        try await sink.receive(TransportBody(Data("456789".utf8)), of: head)
        #expect(try Data(contentsOf: target) == Data("0123456789".utf8))
        #expect(folder.contents == ["target"])
    }

    // MARK: The partial file of `.continuePartialFile`

    @Test(
        "A link or a file without a mark in place of the partial file is unchanged, with or without notes",
        arguments: ["two names", "no mark", "a link"],
        [true, false])
    func plantedPartialFile(_ kind: String, _ hasNotes: Bool) async throws {
        let folder = try TemporaryFolder()
        let (victim, target) = (try folder.file("victim", Self.mine), folder.url.appending(path: "target"))
        let partial = target.appendingPathExtension("partial")
        switch kind {
        case "two names": try #require(link(victim.path, partial.path) == 0)
        case "a link": try #require(symlink(victim.path, partial.path) == 0)
        default: _ = try folder.file("target.partial", Self.mine)
        }
        let notes = ResumeData(
            url: try "http://a/".asURL(), validator: "\"1\"", partialFile: partial, totalBytes: 10, mark: "x")
        if hasNotes { try JSONEncoder().encode(notes).write(to: target.appendingPathExtension("partial.json")) }
        let before = folder.contents.sorted()
        for status in [206, 404] {
            let destination = DownloadDestination.file(target, options: [.continuePartialFile, .removePreviousFile])
            #expect(
                await Self.session(status).download("http://a/", to: destination).result.failure?.code
                    == .fileNotWritable)
        }
        #expect(folder.contents.sorted() == before)
        #expect(try Data(contentsOf: victim) == Self.mine)
        #expect(try Data(contentsOf: partial) == Self.mine)
    }

    @Test(
        "A partial file whose notes are lost or belong to another file is started over",
        arguments: [true, false])
    func lostNotes(_ areOthers: Bool) async throws {
        let folder = try TemporaryFolder()
        let target = folder.url.appending(path: "target")
        let notes = try folder.leave(Data("9999".utf8), at: target, "http://a/".asURL(), totalBytes: 10)
        if areOthers {
            try FileManager.default.removeItem(at: notes.partialFile)
            _ = try folder.partialFile(notes.partialFile, Data("9999".utf8))
        } else {
            try FileManager.default.removeItem(at: target.appendingPathExtension("partial.json"))
        }
        let download = Self.session(206).download("http://a/", to: .file(target, options: .continuePartialFile))
        #expect(try Data(contentsOf: await download.value) == Data("0123456789".utf8))
        #expect(folder.contents == ["target"])
    }

    @Test(
        "A file that replaces the partial file during the download is neither moved nor removed",
        arguments: [true, false], [true, false])
    func swapped(_ isKept: Bool, _ replaces: Bool) async throws {
        let folder = try TemporaryFolder()
        let target = try replaces ? folder.file("target", Data("old".utf8)) : folder.url.appending(path: "target")
        let options: DownloadDestination.Options = [
            isKept ? .continuePartialFile : [], replaces ? .removePreviousFile : [],
        ]
        let (body, feed) = AsyncThrowingStream.makeStream(of: Data.self)
        let sink = DownloadSink(.file(target, options: options))
        let url = try "http://a/".asURL()
        _ = try await sink.prepare(TransportRequest(head: HTTPRequestHead(method: .get, url: url)))
        let head = HTTPResponseHead(statusCode: 200, url: url, headers: ["ETag": "\"1\"", "Content-Length": "10"])
        let gate = Gate()
        let observer = SilentObserver(didRead: { gate.open() })
        feed.yield(Self.mine)
        let verdict = Task {
            try await sink.receive(TransportBody(body), of: head, observer: observer)
        }
        await gate.wait()
        let partial = try #require(folder.contents.first { $0.hasSuffix(".partial") })
        try #require(
            rename(folder.file("victim", Data("mine".utf8)).path, folder.url.appending(path: partial).path) == 0)
        feed.yield(Data("456789".utf8))
        feed.finish()
        await #expect { try await verdict.value } throws: { ($0 as? AsyncNetError)?.code == .fileNotWritable }
        #expect(sink.handOver() == nil)
        #expect(try Data(contentsOf: folder.url.appending(path: partial)) == Data("mine".utf8))
        #expect((try? Data(contentsOf: target)) == (replaces ? Data("old".utf8) : nil))
    }

    // MARK: Notes

    @Test("Notes of a download are readable by their owner only, even if they replace a readable file")
    func notes() async throws {
        let folder = try TemporaryFolder()
        let target = folder.url.appending(path: "target")
        let before = try folder.leave(Self.mine, at: target, "http://a/other".asURL())
        let notes = target.appendingPathExtension("partial.json")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: notes.path)
        let stub = StubTransport { _ in
            MockResponse(headers: ["ETag": "\"1\""], body: Self.mine).with(.truncate(after: 2))
        }
        #expect(
            await Session(transport: stub).download("http://a/", to: .file(target, options: .continuePartialFile))
                .result.failure != nil)
        #expect(try FileManager.default.attributesOfItem(atPath: notes.path)[.posixPermissions] as? Int == 0o600)
        #expect(folder.contents.sorted() == ["target.partial", "target.partial.json"])
        #expect(before.offset == 2)
    }

    @Test("A file written privately has mode 0600")
    func writtenPrivately() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "notes").path
        try FileSystem.writePrivately(Data(count: 10), to: path)
        try FileSystem.writePrivately(Self.mine, to: path)
        #expect(FileSystem.readOwn(path, upTo: 4) == Self.mine)
        #expect(FileSystem.readOwn(path, upTo: 3) == nil)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(folder.contents == ["notes"])
    }
}

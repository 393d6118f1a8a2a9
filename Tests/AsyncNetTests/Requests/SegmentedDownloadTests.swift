import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Segmented downloads and checksums", .timeLimit(.minutes(5)))
struct SegmentedDownloadTests {
    private let data = patternedData(9_000_001)
    private func bytes(of download: DownloadRequest) async throws -> Data { try Data(contentsOf: await download.value) }
    private static let mebi = 1 << 20

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
        "A segmented download requests each segment once, and the file has all bytes",
        arguments: TransportUnderTest.allCases)
    func whole(_ transport: TransportUnderTest) async throws {
        try await withRanges { (ranges: RangeServer, url: URL, folder: TemporaryFolder) async throws in
            let session = transport.session()
            let download = session.download(url, to: .file(folder.url.appending(path: "file")), segments: 4)
            var last: Int64 = 0
            let steps = download.downloadProgress
            async let isMonotonic: Bool = {
                for await step in steps {
                    if step.completedBytes < last || step.totalBytes != 9_000_001 { return false }
                    last = step.completedBytes
                }
                return last == 9_000_001
            }()
            #expect(try await bytes(of: download) == data)
            #expect(await isMonotonic)
            let asked = await ranges.asked.compactMap { $0 }.sorted {
                $0.count == $1.count ? $0 < $1 : $0.count < $1.count
            }
            #expect(asked.first == "bytes=0-1048575")
            #expect(asked.count == 9 && Set(asked).count == 9)
            #expect(folder.contents == ["file"])
            #expect(await session.requests.isEmpty)
            await session.finish()
        }
    }

    @Test(
        "A download is not segmented without ranges or strong entity tag, if it is small, or not a GET",
        arguments: ["ranges", "version", "small", "method"])
    func one(_ reason: String) async throws {
        let data = reason == "small" ? Data(self.data.prefix(1000)) : self.data
        try await withRanges(data, tag: reason == "version" ? "W/\"1\"" : "\"1\"", knowsRanges: reason != "ranges") {
            (ranges: RangeServer, url: URL, folder: TemporaryFolder) async throws in
            let download = Session().download(
                url, to: .file(folder.url.appending(path: "file")), method: reason == "method" ? .post : .get,
                segments: 4)
            #expect(try await bytes(of: download) == data)
            #expect(
                await ranges.asked
                    == (reason == "version"
                        ? ["bytes=0-1048575", nil] : reason == "method" ? [nil] : ["bytes=0-1048575"]))
        }
    }

    @Test("A segmented download of an empty file, which has no first segment, completes")
    func empty() async throws {
        try await withRanges(Data()) { (_: RangeServer, url: URL, folder: TemporaryFolder) async throws in
            #expect(
                try await bytes(of: Session().download(url, to: .file(folder.url.appending(path: "file")), segments: 4))
                    == Data())
        }
    }

    @Test("A segmented download whose file changes on the server starts over without segments")
    func changed() async throws {
        let other = patternedData(5_000_000)
        try await withRanges { (ranges: RangeServer, url: URL, folder: TemporaryFolder) async throws in
            await ranges.after(3) { $0.change(to: other, tag: "\"2\"") }
            #expect(
                try await bytes(of: Session().download(url, to: .file(folder.url.appending(path: "file")), segments: 2))
                    == other)
            #expect(await ranges.asked.last == .some(nil))
        }
    }

    @Test("A failed segment ends the download, which is continued after its bytes before the first gap")
    func failure() async throws {
        try await withRanges { (ranges: RangeServer, url: URL, folder: TemporaryFolder) async throws in
            await ranges.after(4) { $0.breakOff(after: 1000) }
            let download = Session().download(url, to: .file(folder.url.appending(path: "file")), segments: 2)
            #expect(await download.result.failure?.code == .bodyEndedEarly)
            let kept = await download.resumeData
            let resumeData = try #require(kept)
            #expect(resumeData.offset >= Self.mebi && resumeData.offset < 9_000_001)
            #expect(resumeData.prefix == nil)
            await ranges.breakOff(after: nil)
            let rest = Session().download(
                resumingWith: resumeData, to: .file(folder.url.appending(path: "file")), segments: 3)
            #expect(try await bytes(of: rest) == data)
        }
    }

    @Test("A partial file with gaps, left by a killed process, is continued at its first gap")
    func gaps() async throws {
        try await withRanges { (ranges: RangeServer, url: URL, folder: TemporaryFolder) async throws in
            let target = folder.url.appending(path: "file")
            var holes = data
            holes.resetBytes(in: 3 * Self.mebi..<4 * Self.mebi)
            _ = try folder.leave(holes, at: target, url, totalBytes: Int64(data.count), prefix: Int64(3 * Self.mebi))
            let download = Session().download(url, to: .file(target, options: .continuePartialFile))
            #expect(try await bytes(of: download) == data)
            #expect(await ranges.asked == ["bytes=\(3 * Self.mebi)-"])
        }
    }

    @Test("The notes on disk have the start of the first gap while there are gaps")
    func notes() async throws {
        try await withRanges { (ranges: RangeServer, url: URL, folder: TemporaryFolder) async throws in
            let target = folder.url.appending(path: "file")
            await ranges.after(2) { $0.answer(with: .fault(.stall)) }
            let download = Session().download(url, to: .file(target, options: .continuePartialFile), segments: 2)
            let result = Task { await download.result }
            await ranges.server.requests(atLeast: 3)
            let notes = try JSONDecoder().decode(
                ResumeData.self, from: Data(contentsOf: target.appendingPathExtension("partial.json")))
            #expect(notes.prefix == Int64(Self.mebi))
            await download.cancel()
            #expect(await result.value.failure?.code == .cancelled)
            #expect(await download.resumeData?.prefix == nil)
        }
    }

    @Test("Suspending a segmented download pauses all its segments, and cancelling ends them")
    func suspended() async throws {
        try await withRanges(patternedData(40_000_000)) {
            (ranges: RangeServer, url: URL, folder: TemporaryFolder) async throws in
            let session = Session()
            let download = session.download(url, to: .file(folder.url.appending(path: "file")), segments: 3)
            await download.resume()
            await ranges.server.requests(atLeast: 3)
            await download.suspend()
            await download.resume()
            #expect(try await bytes(of: download) == patternedData(40_000_000))
            do {
                let second = session.download(url, to: .file(folder.url.appending(path: "second")), segments: 3)
                await second.resume()
                await ranges.server.requests(atLeast: 20)
                await second.cancel()
                #expect(await second.result.failure?.code == .cancelled)
            }
            await session.finish()
            #expect(folder.contents == ["file"])
        }
    }

    // MARK: Checksums

    @Test(
        "A given or announced checksum is verified; a file with a wrong one is removed",
        arguments: ["given", "Repr-Digest", "Content-Digest"], [true, false])
    func checksums(_ kind: String, _ isRight: Bool) async throws {
        let data = patternedData(100_000)
        let digest = MessageDigest.of(isRight ? data : Data("other".utf8), algorithm: .sha256)
        try await withRanges(data) { (ranges: RangeServer, url: URL, folder: TemporaryFolder) async throws in
            if kind != "given" {
                await ranges.add([.init(name: kind, value: "sha-256=:\(Data(digest).base64EncodedString()):")])
            }
            let hex = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            for options: DownloadDestination.Options in [[], .continuePartialFile] {
                let download = Session().download(
                    url, to: .file(folder.url.appending(path: "file\(options.rawValue)"), options: options),
                    checksum: kind == "given" ? .sha256(hex) : nil)
                #expect(await download.result.failure?.code == (isRight ? nil : .checksumMismatch))
                #expect(await download.resumeData == nil)
            }
            #expect(folder.contents.sorted() == (isRight ? ["file0", "file4"] : []))
        }
    }

    @Test("The checksum of the whole file is verified after segments or a continuation")
    func wholes() async throws {
        // A debug build hashes slowly.
        let data = patternedData(2_200_000)
        let digest = Data(MessageDigest.of(data, algorithm: .sha512)).base64EncodedString()
        try await withRanges(data) { (ranges: RangeServer, url: URL, folder: TemporaryFolder) async throws in
            await ranges.add([
                .init(name: "Repr-Digest", value: "sha-512=:\(digest):"),
                .init(name: "Content-Digest", value: "sha-256=:\(Data(count: 32).base64EncodedString()):"),
            ])
            let session = Session()
            let parts = session.download(
                url, to: .file(folder.url.appending(path: "parts")), segments: 3, checksum: .sha512(digest))
            #expect(try await bytes(of: parts) == data)
            await ranges.breakOff(after: 1_000_000)
            let first = session.download(url, to: .file(folder.url.appending(path: "rest")))
            _ = await first.result
            let resumeData = await first.resumeData
            await ranges.breakOff(after: nil)
            #expect(
                try await bytes(
                    of: session.download(
                        resumingWith: resumeData, to: .file(folder.url.appending(path: "rest")),
                        checksum: .sha512(digest))) == data)
        }
    }

    @Test("An invalid checksum ends the download before a request is sent")
    func malformed() async throws {
        try await withRanges { (ranges: RangeServer, url: URL, folder: TemporaryFolder) async throws in
            let download = Session().download(
                url, to: .file(folder.url.appending(path: "file")), checksum: .sha256("abc"))
            let error = await download.result.failure
            #expect(error?.code == .invalidRequest)
            #expect(error?.description.contains("Give the checksum's text as its publisher writes it") == true)
            #expect(await ranges.asked.isEmpty)
        }
    }
}

import Foundation
import Testing

@testable import AsyncNet

/// A tap must see each byte that is read, in whichever way a transport reads.
@Suite("RequestBodyTap", .timeLimit(.minutes(5)))
struct RequestBodyTapTests {
    /// What a tap has seen of each reading; a bar marks the end of the body.
    private final class Seen: Sendable {
        let readings = Locked<[String]>([])

        func begin() -> @Sendable (UnsafeRawBufferPointer?) -> Void {
            let index = readings.withLock { readings in
                readings.append("")
                return readings.count - 1
            }
            return { [self] bytes in
                let text = bytes.map { String(decoding: $0, as: UTF8.self) } ?? "|"
                readings.withLock { $0[index] += text }
            }
        }
    }

    @Test("A tap sees the bytes of files, streams and forms, from the start at each reading")
    func chunks() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a", Data("abc".utf8))
        let form = RequestBody.multipart(boundary: "B") { $0.append("1", name: "n") }
        let expected = "--B\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n1\r\n--B--\r\n"
        let stream = RequestBody.stream {
            AsyncStream<Data> {
                $0.yield(Data("ab".utf8))
                $0.finish()
            }
        }
        for (body, text) in [(RequestBody.file(file), "abc"), (stream, "ab"), (form, expected)] {
            let seen = Seen()
            let tapped = body.tapped { seen.begin() }
            for _ in 0..<2 { for try await _ in tapped.chunks {} }
            #expect(seen.readings.withLock { $0 } == ["\(text)|", "\(text)|"])
            #expect(tapped.replay == body.replay && tapped.length == body.length)
        }
    }

    @Test("A tap sees the compressed bytes of a compressed body")
    func compressed() async throws {
        let seen = Locked(Data())
        let body = try RequestBody.stream {
            AsyncStream<Data> {
                $0.yield(Data("ab".utf8))
                $0.finish()
            }
        }
        .compressed(with: .gzip).tapped { { bytes in seen.withLock { $0 += bytes.map { Data($0) } ?? Data() } } }
        var sent = Data()
        for try await chunk in body.chunks { sent += chunk }
        #expect(seen.withLock { $0 } == sent)
        #expect(sent.decoded(from: ["gzip"], limit: 100) == Data("ab".utf8))
    }

    @Test("A tap sees bytes read into a buffer, and bytes read without waiting")
    func buffers() throws {
        let folder = try TemporaryFolder()
        let body = RequestBody.file(try folder.file("a", Data("abc".utf8)))
        let seen = Seen()
        let tapped = try MeasuredBody(body.tapped { seen.begin() })
        let reader = tapped.makeReader()
        var count: Int? = 1
        withUnsafeTemporaryAllocation(byteCount: 2, alignment: 1) { buffer in
            while let read = count, read > 0 { count = try? reader.readCached(into: buffer) }
        }
        let other = tapped.makeReader()
        while try other.nextAtOnce() != nil {}
        #expect(seen.readings.withLock { $0 } == ["abc|", "abc|"])
    }

    @Test("A file that cannot be read throws fileNotReadable also if a tap observes the body")
    func errors() async {
        let body = RequestBody.file(URL(filePath: "/none")).tapped { { _ in } }
        let error = await #expect(throws: AsyncNetError.self) { for try await _ in body.chunks {} }
        #expect(error?.code == .fileNotReadable)
    }
}

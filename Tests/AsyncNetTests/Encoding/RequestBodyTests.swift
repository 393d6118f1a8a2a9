import Foundation
import Testing

@testable import AsyncNet

@Suite("Request bodies", .timeLimit(.minutes(5)))
struct RequestBodyTests {
    private func read(_ body: RequestBody) async throws -> Data {
        var data = Data()
        for try await chunk in body.chunks { data.append(chunk) }
        return data
    }

    private func failure(_ body: RequestBody) async -> AsyncNetError? {
        do {
            _ = try await read(body)
            return nil
        } catch {
            return error as? AsyncNetError
        }
    }

    @Test("Each kind of body has its length, and whether it can be sent again")
    func kinds() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a", Data(count: 12))
        let stream = RequestBody.stream(chunks("abc"), length: 3)
        for (body, length, replay) in [
            (.none, nil, .repeatable), (.data(Data()), 0, .repeatable), (.data(Data("abc".utf8)), 3, .repeatable),
            (.file(file), 12, .repeatable), (stream, 3, .once), (.stream(chunks("abc")), nil, .once),
            (.stream { chunks("abc") }, nil, .repeatable), (.stream(length: 3) { chunks("abc") }, 3, .repeatable),
            (.multipart(boundary: "B") { $0.append(file, name: "f") }, 124, .repeatable),
            (.multipart { $0.append(.stream(chunks("abc"), length: 3), name: "f") }, 141, .once),
            (.multipart { $0.append(chunks("abc"), length: nil, name: "f") }, nil, .once),
            (.file(folder.url.appending(path: "none")), nil, .repeatable),
        ] as [(RequestBody, Int64?, RequestBody.Replay)] {
            #expect(body.length == length, "\(body)")
            #expect(body.replay == replay, "\(body)")
            if let length { #expect(try await read(body).count == length) }
        }
    }

    @Test("A body that can be sent once is no longer readable after a reading; a repeatable body is")
    func isReadable() async throws {
        let once = RequestBody.multipart { $0.append(.stream(chunks("abc"), length: 3), name: "f") }
        let repeatable = RequestBody.stream { chunks("abc") }
        for body in [once, try once.compressed(with: .gzip), repeatable] { #expect(body.isReadable) }
        _ = try await read(once)
        _ = try await read(repeatable)
        #expect(!once.isReadable && repeatable.isReadable)
    }

    @Test("A compressed stream keeps its trailers")
    func compressedTrailers() async throws {
        let body = RequestBody.stream(chunks("abc"), trailers: { ["X-Sum": "1"] })
        let compressed = try body.compressed(with: .gzip)
        #expect(try await compressed.trailers?()["X-Sum"] == "1")
    }

    @Test(
        "A file body is read unchanged in chunks, any number of times",
        arguments: [0, 1, 131_071, 131_072, 131_073, 1_000_000])
    func file(_ size: Int) async throws {
        let folder = try TemporaryFolder()
        let data = patternedData(size)
        let body = RequestBody.file(try folder.file("a", data))
        #expect(try await read(body) == data)
        #expect(try await read(body) == data)
    }

    @Test("A file that is not regular or not readable throws fileNotReadable, without blocking")
    func noFile() async throws {
        let folder = try TemporaryFolder()
        let pipe = folder.url.appending(path: "pipe")
        mkfifo(pipe.path, 0o600)
        for (url, words) in [
            (folder.url.appending(path: "none"), "No such file"), (folder.url, "Is a directory"),
            (pipe, "not a regular file"),
            (URL(filePath: "/dev/zero"), "not a regular file"),
            (try #require(URL(string: "http://a/b")), "not a file URL"),
        ] {
            let error = await failure(.file(url))
            #expect(error?.code == .fileNotReadable)
            #expect(error?.message.contains(words) == true, "\(error.map { "\($0)" } ?? "none")")
        }
    }

    @Test(
        "A file that changes while it is read throws fileChanged before its last byte; a renamed file is read whole",
        arguments: ["grows", "shrinks", "other", "torn", "replaced", "goes", "renamed"])
    func changedFile(_ change: String) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a.txt", patternedData(300_000))
        try folder.setBack(file)
        let reader = try MeasuredBody(.file(file)).makeReader()
        let first = try await reader.next()
        #expect(first?.count == 131_072)
        let handle = try FileHandle(forUpdating: file)
        switch change {
        case "grows":
            try handle.seekToEnd()
            try handle.write(contentsOf: Data([1]))
        case "shrinks": try handle.truncate(atOffset: 200_000)
        case "other":
            try handle.seek(toOffset: 250_000)
            try handle.write(contentsOf: Data([1]))
        case "torn":
            try handle.seek(toOffset: 250_000)
            try handle.write(contentsOf: Data([1]))
            try folder.setBack(file)
        case "replaced":
            let other = try folder.file("b.txt", patternedData(300_000))
            try #require(rename(other.path, file.path) == 0)
        case "renamed": try #require(rename(file.path, file.path + ".old") == 0)
        default: try FileManager.default.removeItem(at: file)
        }
        try handle.close()
        var (read, error) = (131_072, AsyncNetError?.none)
        do {
            while let chunk = try await reader.next() { read += chunk.count }
        } catch let caught {
            error = caught
        }
        if change == "renamed" || change == "goes" {
            #expect(read == 300_000)
        } else {
            #expect(error?.code == .fileChanged)
            #expect(error?.message.contains("a.txt") == true)
            #expect(read < 300_000)
        }
    }

    @Test("A file that is replaced between measuring and reading is an error")
    func replacedFile() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a.txt", Data(count: 10))
        let body = try MeasuredBody(.file(file))
        try Data(count: 10).write(to: file, options: .atomic)
        await #expect { _ = try await body.makeReader().next() } throws: {
            ($0 as? AsyncNetError)?.code == .fileChanged
        }
    }

    @Test(
        "A stream of another length than given is an error; its last chunk is returned only after the sequence ended",
        arguments: [
            (["ab", "c"], Int64(3), nil, 3), (["ab", "", "c", ""], 3, nil, 3),
            (["abc"], 4, "ended after 3 of its 4", 3),
            (["abc"], 2, "declared length of 2", 0), (["ab", "c"], 2, "longer", 0), ([], 1, "ended after 0", 0),
            ([], 0, nil, 0),
            (["a"], 0, "longer", 0), (["abc"], nil, nil, 3),
        ] as [([String], Int64?, String?, Int)])
    func lengths(_ texts: [String], _ length: Int64?, _ words: String?, _ count: Int) async throws {
        let stream = AsyncStream<Data> { continuation in
            for text in texts { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
        let reader = try MeasuredBody(.stream(stream, length: length)).makeReader()
        var (read, error) = (0, AsyncNetError?.none)
        do {
            while let chunk = try await reader.next() { read += chunk.count }
        } catch let caught {
            error = caught
        }
        #expect(read == count)
        #expect(error?.code == (words == nil ? nil : .bodyLengthMismatch))
        #expect(words == nil || error?.message.contains(words ?? "") == true)
    }

    @Test("An error thrown by a stream is the underlying error of bodyStreamFailed")
    func throwing() async {
        for thrown in [CocoaError(.fileReadUnknown), AsyncNetError(.connectionLost), CancellationError()] as [any Error]
        {
            let error = await failure(.stream(AsyncThrowingStream { $0.finish(throwing: thrown) }))
            #expect(error?.code == .bodyStreamFailed)
            #expect(error?.underlyingError.map { type(of: $0) == type(of: thrown) } == true)
        }
        let unmade = await failure(.stream { () throws -> AsyncStream<Data> in throw CocoaError(.fileReadUnknown) })
        #expect(unmade?.code == .bodyStreamFailed)
    }

    @Test("A one-time stream cannot be read twice")
    func twice() async throws {
        let body = RequestBody.stream(chunks("abc"))
        #expect(try await read(body) == Data("abc".utf8))
        let error = await failure(body)
        #expect(error?.code == .bodyStreamFailed)
        #expect(error?.message.contains("already") == true)
    }

    @Test("The description and dump of a body have its kind and size, not its bytes")
    func descriptions() {
        var dumped = ""
        dump(RequestBody.data(Data("hunter2".utf8)), to: &dumped)
        #expect(dumped.contains("7 bytes"))
        #expect(!dumped.contains("hunter2"))
        #expect(RequestBody.multipart { $0.append("hunter2", name: "a") }.description == "a form of 1 part(s)")
    }

    @Test("A body read first without waiting and then with next() is complete and in order")
    func handOver() async throws {
        let folder = try TemporaryFolder()
        let data = patternedData(300_000)
        let file = try folder.file("a", data)
        let body = RequestBody.multipart(boundary: "B") { form in for _ in 0..<3 { form.append(.file(file), name: "f") }
        }
        let whole = try await read(body)
        for pieces in [0, 1, 5, 10] {
            let reader = try MeasuredBody(body).makeReader()
            var (bytes, buffer) = (Data(), [UInt8](repeating: 0, count: 65_000))
            for _ in 0..<pieces {
                let count = try buffer.withUnsafeMutableBytes { try reader.readCached(into: $0) }
                bytes += buffer[..<(count ?? 0)]
            }
            while let chunk = try await reader.next() { bytes += chunk }
            #expect(bytes == whole)
        }
    }

    @Test("A form longer than Int64.max has an unknown length, and a file whose length is unknown is an error")
    func oddLengths() async throws {
        let huge = RequestBody.multipart { form in
            for _ in 0..<2 { form.append(.stream(chunks("a"), length: .max - 10), name: "s") }
        }
        #expect(huge.length == nil)
        #if os(Linux)
            #expect(
                await failure(.file(URL(filePath: "/proc/self/status")))?.message.contains("has no known length")
                    == true)
        #endif
    }
}

import Foundation
import Testing

@testable import AsyncNet

extension CacheKey: ExpressibleByStringInterpolation {
    public init(stringLiteral url: String) { self.init(url: url) }
}

extension CacheStore {
    /// Stores a body in chunks.
    func put(_ key: CacheKey, _ response: StoredResponse, _ chunks: [Data]) async -> Bool {
        guard let writer = await writer(key, response) else { return false }
        for chunk in chunks { guard await writer.append(chunk) else { return false } }
        await writer.commit()
        return true
    }

    /// The stored bodies of a key; `nil` for a damaged body.
    func bodies(_ key: CacheKey) async throws -> [Data?] {
        var bodies: [Data?] = []
        for entry in await entries(key) {
            guard let body = await entry.body.read() else {
                bodies.append(nil)
                continue
            }
            var data = Data()
            for try await chunk in body { data.append(chunk) }
            bodies.append(data)
        }
        return bodies
    }
}

@Suite("Stores of a cache", .timeLimit(.minutes(5)))
struct CacheStoreTests {
    enum Kind: CaseIterable { case memory, disk }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store(_ kind: Kind, capacity: Int = 64 << 20) throws -> any CacheStore {
        switch kind {
        case .memory: MemoryCacheStore(capacity: capacity)
        case .disk: try DiskCacheStore(folder.url, capacity: capacity)
        }
    }

    @Test("A stored body is read unchanged, with its head", arguments: Kind.allCases, [0, 1, 1000, 3_000_000])
    func roundTrip(_ kind: Kind, _ size: Int) async throws {
        let store = try store(kind)
        let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let response = try StoredResponse.fixture(["ETag": "\"a\"", "X": "1", "x": "2", "Set-Cookie": "a=b; c"])
        #expect(
            await store.put("http://a/x", response, [body.prefix(500), body.dropFirst(500)].filter { !$0.isEmpty }))
        let entries = await store.entries("http://a/x")
        #expect(entries.map(\.response) == [response])
        #expect(try await store.bodies("http://a/x") == [body])
        #expect(await store.entries("http://a/").isEmpty)
        #expect(await store.usage(of: nil).entries == 1)
    }

    @Test("A body that is written but not committed is not stored, and leaves no file", arguments: Kind.allCases)
    func abandoned(_ kind: Kind) async throws {
        let store = try store(kind)
        do {
            let writer = await store.writer("k", try .fixture([:]))
            #expect(await writer?.append(Data("abc".utf8)) == true)
        }
        #expect(await store.entries("k").isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test("A body larger than an eighth of the capacity is refused", arguments: Kind.allCases)
    func tooLarge(_ kind: Kind) async throws {
        let store = try store(kind, capacity: 80_000)
        #expect(!(await store.put("k", try .fixture([:]), [Data(count: 9000), Data(count: 1001)])))
        #expect(await store.put("k", try .fixture([:]), [Data(count: 9000), Data(count: 1000)]))
    }

    @Test("A new head replaces the stored head, and the stored body is unchanged", arguments: Kind.allCases)
    func update(_ kind: Kind) async throws {
        let store = try store(kind)
        _ = await store.put("k", try .fixture(["X": "old"]), [Data("body".utf8)])
        let entry = try #require(await store.entries("k").first)
        let new = try StoredResponse.fixture(["X": "new"])
        await store.update(entry, "k", to: new)
        #expect(await store.entries("k").map(\.response) == [new])
        #expect(try await store.bodies("k") == [Data("body".utf8)])
        #expect(await store.usage(of: nil).entries == 1)
    }

    @Test(
        "Of two responses to a URL the one requested later is kept, even if it was stored first",
        arguments: Kind.allCases)
    func olderResponse(_ kind: Kind) async throws {
        let store = try store(kind)
        var later = try StoredResponse.fixture([:])
        later.requested.addTimeInterval(5)
        _ = await store.put("k", later, [Data("later".utf8)])
        _ = await store.put("k", try .fixture([:]), [Data("earlier".utf8)])
        #expect(try await store.bodies("k") == [Data("later".utf8)])
    }

    @Test(
        "A stored response that was removed or replaced during its update is not stored again", arguments: Kind.allCases
    )
    func updateOfRemoved(_ kind: Kind) async throws {
        let store = try store(kind)
        _ = await store.put("k", try .fixture(["X": "1"]), [Data("1".utf8)])
        let entry = try #require(await store.entries("k").first)
        _ = await store.put("k", try .fixture(["X": "2"]), [Data("2".utf8)])
        await store.update(entry, "k", to: try .fixture(["X": "3"]))
        #expect(try await store.bodies("k") == [Data("2".utf8)])
        await store.remove(entry, "k")
        await store.update(entry, "k", to: try .fixture(["X": "3"]))
        #expect(await store.entries("k").isEmpty)
    }

    @Test("A stored body that is removed while it is read is read to its end", arguments: Kind.allCases)
    func removedWhileRead(_ kind: Kind) async throws {
        let store = try store(kind)
        let body = Data(repeating: 7, count: 2_000_000)
        _ = await store.put("k", try .fixture([:]), [body])
        let read = try #require(await store.entries("k").first?.body.read())
        await store.removeAll(in: nil)
        #expect(await store.entries("k").isEmpty)
        var count = 0
        for try await chunk in read { count += chunk.count }
        #expect(count == body.count)
        #expect(await store.usage(of: nil) == (0, 0))
    }

    @Test("Removing the stored responses of a URL keeps the responses of other URLs", arguments: Kind.allCases)
    func removing(_ kind: Kind) async throws {
        let store = try store(kind)
        for key in ["a", "b"] { _ = await store.put(CacheKey(url: key), try .fixture([:]), [Data(key.utf8)]) }
        await store.removeAll(of: "a")
        #expect(await store.entries("a").isEmpty)
        #expect(try await store.bodies("b") == [Data("b".utf8)])
    }

    @Test(
        "Responses to a QUERY are stored by its content, and removed with their URL", arguments: Kind.allCases,
        ["", "p"])
    func queries(_ kind: Kind, _ partition: String) async throws {
        let store = try store(kind)
        let contents = ["", "one", "two"]
        let keys = ["a", "b"].flatMap { url in
            contents.map { CacheKey(partition: partition, url: url, content: $0) }
        }
        for key in keys { #expect(await store.put(key, try .fixture([:]), [Data(key.text.utf8)])) }
        for key in keys { #expect(try await store.bodies(key) == [Data(key.text.utf8)]) }
        #expect(await store.usage(of: partition).entries == 6)
        await store.removeAll(of: keys[1])
        for key in keys { #expect(await store.entries(key).isEmpty == (key.url == "a")) }
        await store.removeAll(in: partition)
        #expect(await store.usage(of: nil).entries == 0)
    }
}

@Suite("Cache in a folder", .timeLimit(.minutes(5)))
struct DiskCacheStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The files of responses.
    private func files() throws -> [URL] {
        let all = FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: [.isRegularFileKey])
        return (all?.allObjects as? [URL] ?? []).filter {
            $0.lastPathComponent != "lock"
                && (try? $0.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
        }
    }

    @Test("Stored responses in a folder are found by a second store of the same folder")
    func reopened() async throws {
        let first = try DiskCacheStore(folder.url, capacity: 1 << 20)
        _ = await first.put("k", try .fixture(["X": "1"]), [Data("body".utf8)])
        let second = try DiskCacheStore(folder.url, capacity: 1 << 20)
        #expect(try await second.bodies("k") == [Data("body".utf8)])
        _ = await second.put("l", try .fixture([:]), [Data("other".utf8)])
        #expect(try await first.bodies("l") == [Data("other".utf8)])
    }

    @Test("A stored file with a changed or missing byte is not used, without an error", arguments: [true, false])
    func damaged(_ isCut: Bool) async throws {
        let store = try DiskCacheStore(folder.url, capacity: 1 << 20)
        _ = await store.put("k", try .fixture(["X": "1"]), [Data("0123456789".utf8)])
        let file = try #require(try files().first)
        let whole = try Data(contentsOf: file)
        for place in whole.indices {
            var bytes = whole
            if isCut { bytes = bytes.prefix(place) } else { bytes[place] ^= 0x20 }
            try bytes.write(to: file)
            let bodies = try await store.bodies("k")
            #expect(bodies.isEmpty || bodies == [nil], "at byte \(place)")
        }
        try whole.write(to: file)
        #expect(try await store.bodies("k") == [Data("0123456789".utf8)])
    }

    @Test("No byte of a long stored body is delivered if any byte of it is damaged")
    func damagedLong() async throws {
        let store = try DiskCacheStore(folder.url, capacity: 64 << 20)
        _ = await store.put("k", try .fixture([:]), [Data(count: 3_000_000)])
        let file = try #require(try files().first)
        var bytes = try Data(contentsOf: file)
        bytes[2_999_999] = 1
        try bytes.write(to: file)
        #expect(try await store.bodies("k") == [nil])
    }

    @Test("A file whose time of modification is after the year 2262 is listed")
    func farFuture() throws {
        let file = try folder.file("a", Data("abc".utf8))
        let times = [timespec(tv_sec: 1 << 34, tv_nsec: 5), timespec(tv_sec: 1 << 34, tv_nsec: 5)]
        #expect(utimensat(AT_FDCWD, file.path, times, 0) == 0)
        // A file system may store an earlier time.
        #expect(try #require(FileSystem.listed(file.path)).modified > 9.3e9)
    }

    @Test("Above the capacity the least recently used files are removed")
    func eviction() async throws {
        let store = try DiskCacheStore(folder.url, capacity: 100_000)
        for number in 0..<9 { _ = await store.put("\(number)", try .fixture([:]), [Data(count: 10_000)]) }
        for number in 0..<9 { #expect(await store.entries("\(number)").count == 1) }
        #expect(try await store.bodies("0").count == 1)
        _ = await store.put("9", try .fixture([:]), [Data(count: 10_000)])
        #expect(await store.entries("0").count == 1)
        #expect(await store.entries("9").count == 1)
        #expect(await store.entries("1").isEmpty)
        #expect(await store.usage(of: nil).bytes <= 100_000)
    }

    @Test("Only their owner can read stored files")
    func permissions() async throws {
        let inner = folder.url.appendingPathComponent("inner")
        let store = try DiskCacheStore(inner, capacity: 1 << 20)
        _ = await store.put("k", try .fixture([:]), [Data("body".utf8)])
        func mode(_ url: URL) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        }
        #expect(try files().map(mode) == [0o600] && mode(inner) == 0o700)
    }

    @Test("A folder that cannot be created, or is a file, is an error that names the path")
    func unusableFolder() throws {
        let file = folder.url.appendingPathComponent("file")
        try Data().write(to: file)
        for url in [file, file.appendingPathComponent("below")] {
            let error = #expect(throws: AsyncNetError.self) { try HTTPCache(directory: url) }
            #expect(error?.code == .fileNotWritable && error?.message.contains(url.path) == true)
        }
    }

    @Test("A folder that others may write to is refused")
    func sharedFolder() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
        let error = #expect(throws: AsyncNetError.self) { try HTTPCache(directory: folder.url) }
        #expect(error?.code == .fileNotWritable && error?.message.contains("all users may write to it") == true)
    }

    @Test("A cache in a folder stores at most 32 variants of one URL")
    func variants() async throws {
        let store = try DiskCacheStore(folder.url, capacity: 1 << 20)
        for number in 0..<40 {
            let request = CacheRequest.get(["Accept-Language": "\(number)"])
            _ = await store.put("k", try .fixture(["Vary": "Accept-Language"], for: request), [Data("\(number)".utf8)])
        }
        #expect(await store.usage(of: nil).entries == 32)
        #expect(try await store.bodies("k").contains(Data("39".utf8)))
    }

    @Test("Symbolic links and foreign files in the folder are neither read nor removed")
    func foreignFiles() async throws {
        let store = try DiskCacheStore(folder.url, capacity: 20_000)
        _ = await store.put("k", try .fixture([:]), [Data("body".utf8)])
        let (file, target) = (try #require(try files().first), folder.url.appendingPathComponent("mine.txt"))
        try FileManager.default.moveItem(at: file, to: target)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
        #expect(await store.entries("k").isEmpty)
        await store.removeAll(in: nil)
        #expect(FileManager.default.fileExists(atPath: target.path))
    }

    @Test("Reading during concurrent writes finds only whole bodies")
    func concurrent() async throws {
        let stores = try (0..<2).map { _ in try DiskCacheStore(folder.url, capacity: 1 << 20) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                let store = stores[number % 2]
                group.addTask {
                    for round in 0..<20 {
                        let body = Data(repeating: UInt8(number * 20 + round), count: 20_000)
                        _ = await store.put(
                            "k\(round % 3)", try .fixture([:]), [body.prefix(7000), body.dropFirst(7000)])
                        for body in try await store.bodies("k\(round % 3)").compactMap(\.self) {
                            #expect(body.count == 20_000 && Set(body).count == 1)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(await stores[0].usage(of: nil).entries == 3)
    }

    @Test("A file in an earlier format is not used, and is removed")
    func earlierFormat() async throws {
        let store = try DiskCacheStore(folder.url, capacity: 1 << 20)
        #expect(await store.put("k", try .fixture([:]), [Data("body".utf8)]))
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
        let file = folder.url.appending(path: try #require(names.first { $0.contains("/") }))
        var data = try Data(contentsOf: file)
        let magic = try #require(data.range(of: Data("AsyncNet cache 2".utf8)))
        data[magic.upperBound - 1] = UInt8(ascii: "1")
        try data.write(to: file)
        #expect(await store.entries("k").isEmpty)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }
}

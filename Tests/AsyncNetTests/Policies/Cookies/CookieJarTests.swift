import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Cookie jar", .timeLimit(.minutes(5)))
struct CookieJarTests {
    private static let start = Date(timeIntervalSince1970: 1_795_316_400)
    private let url = URL(string: "https://www.example.com/x/") ?? .temporaryDirectory

    @Test("Cookies of responses and of the program are stored, and sent in the Cookie header")
    func inMemory() async throws {
        let jar = CookieJar()
        #expect(
            await jar.store(setCookie: ["a=1; Path=/", "b=2", "bad=1; Domain=example.org", ""], from: url).map(\.name)
                == ["a", "b"])
        #expect(await jar.set(Cookie(name: "c", value: "3", domain: ".example.com")))
        #expect(await jar.set(Cookie(name: "c;", value: "3", domain: ".example.com")) == false)
        #expect(await jar.cookies.map(\.name) == ["a", "b", "c"])
        #expect(await jar.cookies(for: url).map(\.name) == ["b", "a", "c"])
        #expect(await jar.header(for: url) == "b=2; a=1; c=3")
        #expect(await jar.header(for: url, isSameSite: false) == nil)
        #expect(await jar.header(for: url, isSameSite: false, isTopLevelNavigation: true) == "b=2; a=1; c=3")
        #expect(await jar.cookies(for: url, isSameSite: false).isEmpty)
        #expect(await jar.store(setCookie: ["d=1"], from: url, isSameSite: false).isEmpty)
        let nowhere = try "data:x".asURL()
        #expect(await jar.header(for: nowhere) == nil)
        #expect(await jar.cookies(for: nowhere).isEmpty)
        #expect(await jar.store(setCookie: ["a=1"], from: nowhere).isEmpty)
    }

    @Test("Cookies expire by the jar's clock")
    func clock() async throws {
        let time = TimeBox(Self.start)
        let jar = CookieJar(now: { time.now })
        await jar.store(setCookie: ["a=1; Max-Age=60", "b=1"], from: url)
        #expect(await jar.cookies.first?.expires == Self.start + 60)
        time.now = Self.start + 60
        #expect(await jar.header(for: url) == "b=1")
        #expect(await jar.cookies.map(\.name) == ["b"])
        #expect(await jar.cookies(for: url).map(\.name) == ["b"])
    }

    @Test("A closure of the program decides which domains are public suffixes")
    func publicSuffixes() async throws {
        let jar = CookieJar(isPublicSuffix: { $0 == "example.com" })
        await jar.store(setCookie: ["a=1; Domain=example.com", "b=1; Domain=www.example.com"], from: url)
        #expect(await jar.header(for: url) == "b=1")
    }

    @Test("Only the first 180 Set-Cookie values of a response are stored")
    func manyValues() async throws {
        let jar = CookieJar()
        let values = (0..<10_500).map { "\($0)=1; Path=/" }
        #expect(await jar.store(setCookie: values, from: url).map(\.name) == (0..<180).map { "\($0)" })
        #expect(await jar.store(setCookie: ["a=1"] + values, from: try "https://other.example/".asURL()).count == 180)
        #expect(await jar.cookies.count == 360)
    }

    @Test("While many Set-Cookie values are stored, other callers can use the jar")
    func turns() async throws {
        #expect(await CookieJar().countBetween(try "https://a.b/".asURL()) == CookieJar.valuesAtOnce)
    }

    @Test(
        "A host longer than 255 characters gets no cookies",
        arguments: [(253, true), (255, true), (256, false), (60_000, false)])
    func longHosts(_ size: Int, _ hasCookies: Bool) async throws {
        let jar = CookieJar()
        let host = (0..<size).map { $0 % 2 == 1 && $0 < size - 1 ? "." : "a" }.joined()
        let url = try "https://\(host)/".asURL()
        #expect(await jar.store(setCookie: ["a=1"], from: url).isEmpty == !hasCookies)
        #expect(await jar.header(for: url) == (hasCookies ? "a=1" : nil))
        #expect(await jar.set(Cookie(name: "a", value: "1", domain: host)) == hasCookies)
    }

    @Test("A jar removes one cookie, cookies by a condition, session cookies, or all cookies")
    func removing() async throws {
        let jar = CookieJar()
        await jar.store(
            setCookie: ["a=1; Domain=example.com", "b=2", "c=3; Max-Age=9", "d=4; Max-Age=9", "a=5"], from: url)
        await jar.remove(Cookie(name: "a", value: "", domain: ".example.com", path: "/x"))
        #expect(await jar.cookies.map(\.value) == ["2", "3", "4", "5"])
        await jar.remove { $0.name == "c" }
        #expect(await jar.cookies.map(\.name) == ["b", "d", "a"])
        await jar.removeSessionCookies()
        #expect(await jar.cookies.map(\.name) == ["d"])
        await jar.set(Cookie(name: "d", value: "", domain: "www.example.com", path: "/x", expires: .distantPast))
        #expect(await jar.cookies.isEmpty)
        await jar.store(setCookie: ["a=1"], from: url)
        await jar.removeAll()
        #expect(await jar.cookies.isEmpty)
    }

    @Test("A jar is saved to a file that only its owner can read, and restored from it")
    func file() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "jar.txt")
        let jar = try await CookieJar(file: file)
        #expect(await jar.cookies.isEmpty)
        #expect(folder.contents.isEmpty)
        await jar.store(
            setCookie: ["a=1; Domain=example.com; Max-Age=1000", "b=2; HttpOnly; Secure", "c=3; Max-Age=0", "t=x\ty"],
            from: url)
        try await jar.save()
        let again = try await CookieJar(file: file)
        #expect(await again.header(for: url) == "a=1; b=2; t=x\ty")
        #expect(await again.cookies.map(\.isHTTPOnly) == [false, true, false])
        try await jar.save()
        #expect(folder.contents == ["jar.txt"])
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
    }

    @Test("save() makes an existing file readable by its owner only, and keeps a symbolic link")
    func replacing() async throws {
        let folder = try TemporaryFolder()
        let target = try folder.file("target", Data("old".utf8))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target.path)
        let link = folder.url.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        let jar = try await CookieJar(file: link)
        await jar.store(setCookie: ["a=1"], from: url)
        try await jar.save()
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == target.path)
        #expect(try FileManager.default.attributesOfItem(atPath: target.path)[.posixPermissions] as? Int == 0o600)
        #expect(try String(contentsOf: target, encoding: .utf8).contains("\ta\t1\n"))
        #expect(folder.contents.sorted() == ["link", "target"])
    }

    @Test("A jar without a file can be saved only to a named file")
    func savingTo() async throws {
        let folder = try TemporaryFolder()
        let jar = CookieJar()
        await jar.store(setCookie: ["a=1"], from: url)
        await #expect { try await jar.save() } throws: { ($0 as? AsyncNetError)?.code == .fileNotWritable }
        let file = folder.url.appending(path: "copy")
        try await jar.save(to: file)
        #expect(try await CookieJar(file: file).header(for: url) == "a=1")
    }

    @Test("A file that is not regular is neither read nor replaced, and errors name it without its folder")
    func irregular() async throws {
        let folder = try TemporaryFolder()
        let secret = folder.url.lastPathComponent
        for place in [folder.url, try #require(URL(string: "https://a.b/jar"))] {
            await #expect { try await CookieJar(file: place) } throws: {
                ($0 as? AsyncNetError)?.code == .fileNotReadable
            }
            await #expect { try await CookieJar().save(to: place) } throws: {
                ($0 as? AsyncNetError)?.code == .fileNotWritable
            }
        }
        await #expect { try await CookieJar().save(to: folder.url.appending(path: "none/jar")) } throws: {
            ($0 as? AsyncNetError)?.code == .fileNotWritable && !"\($0)".contains(secret) && "\($0)".contains("\"jar\"")
        }
        #expect(folder.contents.isEmpty)
    }

    @Test("save(to:) does not replace a pipe")
    func pipe() async throws {
        let folder = try TemporaryFolder()
        let pipe = folder.url.appending(path: "pipe")
        mkfifo(pipe.path, 0o600)
        await #expect { try await CookieJar().save(to: pipe) } throws: {
            ($0 as? AsyncNetError)?.code == .fileNotWritable
        }
        #expect(
            try FileManager.default.attributesOfItem(atPath: pipe.path)[.type] as? FileAttributeType != .typeRegular)
    }

    @Test("An older state written late does not replace a newer one in the file")
    func generations() async throws {
        let folder = try TemporaryFolder()
        let file = CookieFile(folder.url.appending(path: "jar"))
        try await file.write("newer", generation: 2)
        try await file.write("older", generation: 1)
        #expect(try await file.read() == Data("newer".utf8))
    }

    @Test("After concurrent saves the file has the last state")
    func concurrentSaves() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "jar")
        let jar = try await CookieJar(file: file)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                group.addTask {
                    await jar.set(Cookie(name: "c\(index)", value: "1", domain: "a.b"))
                    try await jar.save()
                }
            }
            try await group.waitForAll()
        }
        #expect(try await CookieJar(file: file).cookies.count == 40)
        #expect(folder.contents == ["jar"])
    }

    @Test("Cookies copied to HTTPCookieStorage and back are unchanged")
    func foundation() async throws {
        let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let jar = CookieJar()
        await jar.store(setCookie: ["a=1; Domain=example.com", "b=2; HttpOnly; Secure; Max-Age=100"], from: url)
        await jar.copy(to: storage)
        let other = CookieJar()
        await other.set(Cookie(name: "a", value: "old", domain: ".example.com", path: "/x"))
        await other.load(from: storage)
        #expect(await Set(other.cookies.map(\.description)) == Set(jar.cookies.map(\.description)))
        #expect(await Set(other.cookies.map(\.value)) == ["1", "2"])
    }
}

extension CookieJar {
    /// How many cookies another caller sees while the jar stores 180 values.
    fileprivate func countBetween(_ url: URL) async -> Int {
        let other = Task { contents.count }
        await store(setCookie: (0..<180).map { "\($0)=1; Path=/" }, from: url)
        return await other.value
    }
}

/// A clock that a test sets.
private final class TimeBox: Sendable {
    private let moment: Locked<Date>
    init(_ now: Date) { moment = Locked(now) }
    var now: Date {
        get { moment.withLock { $0 } }
        set { moment.withLock { $0 = newValue } }
    }
}

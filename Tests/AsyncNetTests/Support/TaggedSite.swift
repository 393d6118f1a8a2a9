import AsyncNet
import AsyncNetTesting
import Foundation
import Synchronization

/// The handler of a stub, with a tag in each response: a response of another test's stub is recognized by its tag.
final class TaggedSite: Sendable {
    /// A port of this machine that nobody listens on: a request that misses its stub fails.
    static let base = "http://127.0.0.1:1/"
    static let fileSize = 2_500_000

    let tag: String
    private let refusals = Atomic(1)

    init(_ tag: String) { self.tag = tag }

    var fileByte: UInt8 { tag.utf8.reduce(0) { $0 &* 31 &+ $1 } }

    @Sendable func reply(to request: RecordedRequest) async -> MockResponse {
        switch request.path {
        case "/flaky":
            return refusals.subtract(1, ordering: .relaxed).oldValue > 0 ? .status(503) : .text(tag)
        case "/redirect": return .redirect(to: "/text")
        case "/private":
            return request.headers["Authorization"] == nil
                ? .status(401, headers: ["WWW-Authenticate": "Basic realm=\"a\""]) : .text(tag)
        case "/echo": return .text(tag + request.text)
        case "/events":
            if request.headers["Last-Event-ID"] == "1" { return .status(204) }
            return .status(
                200, headers: ["Content-Type": "text/event-stream"], body: "retry: 0\n\nid: 1\ndata: \(tag)\n\n")
        case "/pages":
            return .json(
                [JSON(tag)], headers: request.query == nil ? ["Link": "</pages?2>; rel=\"next\""] : [:])
        case "/file":
            return RangeStub(data: Data(repeating: fileByte, count: Self.fileSize)).reply(to: request)
        default: return .text(tag)
        }
    }
}

/// A kind of request, which returns the tag of the ``TaggedSite`` that responded.
enum TaggedRequest: String, CaseIterable, Sendable {
    case data, retried, redirected, challenged, shared, hedged, upload, fileUpload, download, segments, stream, events
    case pages, late, immediate

    var configuration: SessionConfiguration {
        switch self {
        case .retried: .init(interceptors: [RetryPolicy(backoff: Backoff(scale: .zero))])
        case .shared: .init(coalescesRequests: true)
        case .hedged: .init(interceptors: [HedgingPolicy(after: .fixed(.zero))])
        case .immediate: .init(startsRequestsImmediately: true)
        default: .init()
        }
    }

    /// Sends the request over a session, and returns the tag that was received; `nil` if responses had several.
    func tag(over session: Session) async throws -> String? {
        let base = TaggedSite.base
        switch self {
        case .data, .hedged: return try await text(session.request(base + "text"))
        case .retried: return try await text(session.request(base + "flaky").validate())
        case .redirected: return try await text(session.request(base + "redirect"))
        case .challenged:
            return try await text(session.request(base + "private").authenticate(username: "a", password: "b"))
        case .shared:
            async let other = text(session.request(base + "text"))
            let own = try await text(session.request(base + "text"))
            return try await other == own ? own : nil
        case .upload:
            return try await text(session.upload(.data(Data("x".utf8)), to: base + "echo")).removingLast("x")
        case .fileUpload:
            let folder = try TemporaryFolder()
            let file = try folder.file("x", Data("x".utf8))
            return try await text(session.upload(.file(file), to: base + "echo")).removingLast("x")
        case .download, .segments: return try await downloaded(over: session)
        case .stream:
            var received = ""
            for try await line in session.stream(base + "text").lines { received += line }
            return received
        case .events:
            var received: [String] = []
            for try await event in session.stream(base + "events").serverSentEvents { received.append(event.data) }
            return Set(received).count == 1 ? received[0] : nil
        case .pages:
            var received: [String] = []
            for try await page in session.pages([String].self, from: base + "pages") { received += page }
            return received.count == 2 && Set(received).count == 1 ? received[0] : nil
        case .late:
            let request = session.request(base + "text")
            return try await Task.detached { try await text(request) }.value
        case .immediate:
            let task = session.request(base + "text").serializing(String.self)
            return try await Task.detached { try await task.value }.value
        }
    }

    private func text(_ request: DataRequest) async throws -> String {
        try await request.serializing(String.self).value
    }

    /// The byte that the downloaded file consists of, which stands for the tag.
    private func downloaded(over session: Session) async throws -> String? {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "file")
        let segments = self == .segments ? 3 : 1
        let data = try Data(
            contentsOf: await session.download(TaggedSite.base + "file", to: .file(file), segments: segments).value)
        guard data.count == TaggedSite.fileSize, Set(data).count == 1, let byte = data.first else { return nil }
        return "\(byte)"
    }

    func expected(of site: TaggedSite) -> String {
        self == .download || self == .segments ? "\(site.fileByte)" : site.tag
    }
}

extension String {
    fileprivate func removingLast(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}

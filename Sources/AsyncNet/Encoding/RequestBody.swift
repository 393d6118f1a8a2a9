public import Foundation

/// What a request sends after its head.
public struct RequestBody: Sendable {
    /// Whether the body can be sent a second time, as a redirect (307, 308) or a retry needs.
    public enum Replay: Sendable {
        case once
        case repeatable
    }

    package typealias Next = () async throws -> Data?

    package enum Content: Sendable {
        case none
        case data(Data)
        case file(URL)
        /// Makes what gives one chunk after the other.
        case stream(@Sendable () -> Next, length: Int64?)
    }

    package let content: Content

    /// No body at all.
    public static let none = RequestBody(content: .none)

    /// These bytes, sent with their `Content-Length`.
    public static func data(_ data: Data) -> RequestBody { RequestBody(content: .data(data)) }

    /// The contents of a file, read piece by piece while they are sent, with their `Content-Length`.
    public static func file(_ url: URL) -> RequestBody { RequestBody(content: .file(url)) }

    /// Chunks as they come, asked for as fast as the network takes them, at most 256 KiB and one chunk ahead; sent once.
    ///
    /// - Parameter chunks: What is sent; asked on no actor.
    /// - Parameter length: How many bytes there will be in all, sent as `Content-Length`; more or fewer end the request with
    ///   `.encodingFailed`. `nil` sends them in chunks over HTTP/1.1 (RFC 9112 §7.1).
    public static func stream<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, length: Int64? = nil) -> RequestBody
    where Chunks.Element == Data {
        let makeNext: @Sendable () -> Next = {
            var iterator = chunks.makeAsyncIterator()
            return { try await iterator.next(isolation: #isolation) }
        }
        return RequestBody(content: .stream(makeNext, length: length))
    }

    public var replay: Replay {
        if case .stream = content { .once } else { .repeatable }
    }

    /// Length in bytes, `nil` if there is no body or nobody knows.
    public var length: Int64? {
        switch content {
        case .none: nil
        case .data(let data): Int64(data.count)
        case .file(let url): (try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize).map(Int64.init)
        case .stream(_, let length): length
        }
    }

    /// The bytes, where they are in memory.
    public var data: Data? {
        if case .data(let data) = content { data } else { nil }
    }

    package var isNone: Bool {
        if case .none = content { true } else { false }
    }
}

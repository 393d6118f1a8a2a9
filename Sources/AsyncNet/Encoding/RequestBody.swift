public import Foundation

/// What a request sends after its head.
public struct RequestBody: Sendable {
    /// Whether the body can be sent a second time, as a redirect (307, 308) or a retry needs.
    public enum Replay: Sendable {
        case once
        case repeatable
    }

    package enum Content: Sendable {
        case none
        case data(Data)
    }

    package let content: Content

    /// No body at all.
    public static let none = RequestBody(content: .none)

    /// These bytes, sent with their `Content-Length`.
    public static func data(_ data: Data) -> RequestBody { RequestBody(content: .data(data)) }

    public var replay: Replay { .repeatable }

    /// Length in bytes.
    public var length: Int64? {
        switch content {
        case .none: nil
        case .data(let data): Int64(data.count)
        }
    }

    /// The bytes, where they are in memory.
    public var data: Data? {
        switch content {
        case .none: nil
        case .data(let data): data
        }
    }

    package var isNone: Bool {
        if case .none = content { true } else { false }
    }
}

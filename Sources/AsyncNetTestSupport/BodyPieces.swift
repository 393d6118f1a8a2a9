import AsyncNet
import Foundation

/// A piece of a response's body, and the pause before it.
struct BodyPiece: Sendable {
    let pause: Duration
    let bytes: Data
}

/// Cuts the chunks of a body into the pieces that are sent, up to the fault that ends the body.
struct BodyCutter: Sendable {
    private let drops: (size: Int, pause: Duration)?
    /// How many bytes may still be sent before the fault.
    private var left: Int
    private var isFirst = true

    init(_ fault: MockResponse.Fault?) {
        left = fault == .resetAfterHead ? 0 : max(0, fault?.end ?? .max)
        if case .drip(let size, let pause) = fault { drops = (max(1, size), pause) } else { drops = nil }
    }

    /// Whether all bytes before the fault have been cut into pieces.
    var isOver: Bool { left == 0 }

    mutating func pieces(of chunk: Data, after pause: Duration = .zero) -> [BodyPiece] {
        let bytes = chunk.prefix(left)
        left -= bytes.count
        guard let drops else { return bytes.isEmpty && pause == .zero ? [] : [BodyPiece(pause: pause, bytes: bytes)] }
        return stride(from: 0, to: bytes.count, by: drops.size).map { start in
            defer { isFirst = false }
            return BodyPiece(pause: isFirst ? .zero : drops.pause, bytes: bytes.dropFirst(start).prefix(drops.size))
        }
    }
}

extension MockResponse {
    /// Whether the response to a request with this method has a body (RFC 9112 §6.3).
    func hasBody(_ method: String) -> Bool { method != "HEAD" && ![204, 304].contains(statusCode) }

    /// The whole body; only for a response without ``streamed``.
    var wholeBody: Data { chunks?.reduce(Data(), +) ?? body }

    /// The pieces of the body that are sent; none if an async sequence makes the body.
    var pieces: [BodyPiece] {
        guard streamed == nil else { return [] }
        var cutter = BodyCutter(fault)
        guard let chunks, !isDripping else { return cutter.pieces(of: wholeBody) }
        return chunks.enumerated().flatMap { index, chunk in
            cutter.pieces(of: chunk, after: pauses.indices.contains(index) ? pauses[index] : .zero)
        }
    }

    private var isDripping: Bool { if case .drip = fault { true } else { false } }

    /// Whether a fault cuts the body short: neither a last chunk nor END_STREAM may follow.
    var isCut: Bool { fault == .resetAfterHead || fault?.end != nil }

    /// Whether the body is made of chunks or by a sequence: no `Content-Length` is added then.
    private var isOpenEnded: Bool { chunks != nil || streamed != nil }

    private var hasLength: Bool { headers.contains(name: "Content-Length") }
    private var hasCoding: Bool { headers.contains(name: "Transfer-Encoding") }

    /// Whether HTTP/1.1 sends the body in the chunked transfer coding.
    var isChunkCoded: Bool { isOpenEnded && (hasCoding || !hasLength) }

    /// The `Content-Length` that is added to ``headers``; `nil` for none. If a fault ends the body, it is larger than
    /// the number of bytes that are sent.
    var addedLength: Int? {
        guard !isOpenEnded, !hasLength, !hasCoding, ![204, 304].contains(statusCode) else { return nil }
        guard let end = fault?.end, end >= body.count else { return body.count }
        return body.count + 1
    }
}

import AsyncNet
import Foundation

/// Delays one transfer, on its clock.
struct Shaper: Sendable {
    let link: ShapedLink
    let supervision: SupervisedTransfer?
    /// `nil` means the session's test clock, or real time.
    let clock: (any Clock<Duration>)?

    func sleep(_ duration: Duration) async throws {
        guard duration > .zero else { return }
        if let supervision { return try await supervision.sleep(for: duration, on: clock) }
        if let clock { return try await clock.sleep(for: duration) }
        try await Task.sleep(for: duration)
    }
}

/// The bytes of a body, delivered in pieces, each when it has passed over the link.
struct ShapedChunks<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element == Data {
    private let base: Base
    private let shaper: Shaper
    private let direction: ShapedLink.Direction

    init(_ base: Base, _ shaper: Shaper, _ direction: ShapedLink.Direction) {
        (self.base, self.shaper, self.direction) = (base, shaper, direction)
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), shaper: shaper, direction: direction)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: Base.AsyncIterator
        fileprivate let shaper: Shaper
        fileprivate let direction: ShapedLink.Direction
        private var rest = Data()

        fileprivate init(base: Base.AsyncIterator, shaper: Shaper, direction: ShapedLink.Direction) {
            (self.base, self.shaper, self.direction) = (base, shaper, direction)
        }

        mutating func next() async throws -> Data? {
            while rest.isEmpty {
                guard let chunk = try await base.next(isolation: #isolation) else { return nil }
                rest = chunk
            }
            let piece = rest.prefix(shaper.link.quantum(direction))
            rest = rest.dropFirst(piece.count)
            try await shaper.sleep(shaper.link.pass(piece.count, direction))
            return piece
        }
    }
}

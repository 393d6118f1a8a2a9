import Foundation

/// The values of a stream, decoded on the actor of the loop that reads them.
///
/// Made by ``StreamRequest/decoding(_:decoder:maximumLength:)`` and by `decoding` of a sequence of events, for types
/// that must not leave their actor.
public struct ActorBoundValues<Value: Decodable>: AsyncSequence {
    public typealias Element = Value

    struct Piece {
        let decoding: StreamDecoding
        /// The words for the data in an error's message.
        let subject: String
        let data: () throws -> Data
    }

    /// Runs on the actor of its caller.
    typealias NextPiece = () async throws -> Piece?

    private let makePieces: () -> NextPiece

    init(_ makePieces: @escaping () -> NextPiece) { self.makePieces = makePieces }

    public func makeAsyncIterator() -> Iterator { Iterator(nextPiece: makePieces()) }

    /// Reads the values. Only the first iterator of a stream can; others throw `.bodyAlreadyRead`.
    public struct Iterator: AsyncIteratorProtocol {
        let nextPiece: NextPiece

        /// The next value; `nil` at the end.
        public mutating func next() async throws -> Value? { try await next(isolation: #isolation) }

        /// The next value, decoded on the given actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Value? {
            guard let piece = try await nextPiece() else { return nil }
            return try piece.decoding.valueHere(Value.self, in: piece.subject, piece.data)
        }
    }
}

import Foundation

/// Converts the chunks of a body to elements, such as lines; where chunks end does not matter. Has no clock and no I/O.
/// After an error, a parser returns no more elements.
protocol StreamParser: Sendable {
    associatedtype Element

    /// Takes a chunk, and returns the elements that end in it.
    ///
    /// - Throws: ``AsyncNetError`` for a malformed or too long element. If there are elements before it, the call
    ///   returns them, and the next call throws.
    mutating func receive(_ chunk: Data) throws(AsyncNetError) -> [Element]

    /// Ends the input, and returns the elements that its end completes; throws as ``receive(_:)`` does.
    mutating func finish() throws(AsyncNetError) -> [Element]
}

/// Bytes of a chunk, valid during a call.
typealias StreamBytes = UnsafeBufferPointer<UInt8>

enum StreamLimit {
    static let line = 1 << 20
    /// The limit of an event, or of a JSON text.
    static let item = 16 << 20
}

extension [UInt8] {
    /// Empties a buffer for the next line, item or event. The memory of a long one is released.
    mutating func reuse() { removeAll(keepingCapacity: capacity <= 64 << 10) }
}

/// An error that a parser throws once it has returned the elements before the error.
struct PendingFailure {
    private(set) var error: AsyncNetError?

    mutating func fail(_ what: String, limit: Int) {
        error =
            error
            ?? AsyncNetError(.lineTooLong, "\(what) of the response is longer than the limit of \(limit) bytes")
    }

    func returning<Element>(_ elements: [Element]) throws(AsyncNetError) -> [Element] {
        if let error, elements.isEmpty { throw error }
        return elements
    }
}

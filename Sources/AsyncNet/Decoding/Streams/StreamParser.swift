package import Foundation

/// Turns the chunks of a body into elements; where the chunks are cut makes no difference to what comes out.
///
/// Pure: no clock, no input, no output. A parser that has failed stays failed.
package protocol StreamParser: Sendable {
    associatedtype Element

    /// Takes a chunk, and returns the elements that end in it.
    ///
    /// - Throws: ``AsyncNetError`` once every element before the fault has been returned: by this call, or by the next
    ///   one if this one returns some.
    mutating func receive(_ chunk: Data) throws(AsyncNetError) -> [Element]

    /// Says that nothing more comes, and returns the elements that only the end completes.
    ///
    /// - Throws: ``AsyncNetError``, as ``receive(_:)`` does.
    mutating func finish() throws(AsyncNetError) -> [Element]
}

/// Bytes of a chunk, for as long as a call lasts.
typealias StreamBytes = UnsafeBufferPointer<UInt8>

/// A failure that waits until the elements before it have been returned.
struct PendingFailure {
    private(set) var error: AsyncNetError?

    mutating func fail(_ what: String, limit: Int) {
        error =
            error
            ?? AsyncNetError(.lineTooLong, "\(what) of the response is longer than the \(limit) bytes that are allowed")
    }

    func returning<Element>(_ elements: [Element]) throws(AsyncNetError) -> [Element] {
        if let error, elements.isEmpty { throw error }
        return elements
    }
}

package import Foundation

/// Takes the body of a request's final response, in place of memory.
package protocol ResponseSink: Sendable {
    /// The request as it is to be sent now; asked before each attempt, once its adapters have run.
    func prepare(_ request: TransportRequest) async throws -> TransportRequest

    /// Reads the body to its end, on no actor. Returns once all is done with it that has to be done for the request to be over.
    func receive(_ body: WatchedBody, of head: HTTPResponseHead) async throws -> SinkVerdict

    /// Whether this response is the sink's to deal with, and none that the caller's validators should see.
    func isOwnMatter(_ head: HTTPResponseHead) -> Bool

    /// The request is over, with this error or none. Told once, also if no body ever came; it must return at once.
    func requestEnded(_ error: AsyncNetError?)
}

package enum SinkVerdict: Sendable {
    case done
    /// The response is of no use: the request is to be prepared and sent anew.
    case again
}

extension ResponseSink {
    package func prepare(_ request: TransportRequest) async throws -> TransportRequest { request }
    package func isOwnMatter(_ head: HTTPResponseHead) -> Bool { false }
    package func requestEnded(_ error: AsyncNetError?) {}
}

/// A body that is being watched while it is read: counted, held back while its request is suspended, and not timed out while it is its
/// reader that takes its time. Read by one task at a time.
package final class WatchedBody {
    private var body: TransportBody.AsyncIterator
    private let willRead: @Sendable () -> Void
    private let hasRead: @Sendable (_ count: Int64, _ offset: Int64) async throws -> Void
    /// What came so far, in bytes.
    package private(set) var count: Int64 = 0
    /// How much of the whole was there before; counted in progress.
    package var offset: Int64 = 0

    /// - Parameters:
    ///   - willRead: Called whenever the network is waited for.
    ///   - hasRead: Called after each chunk with the bytes so far and those before; may wait, and may refuse more.
    package init(_ body: TransportBody, willRead: @escaping @Sendable () -> Void, hasRead: @escaping @Sendable (_ count: Int64, _ offset: Int64) async throws -> Void) {
        self.body = body.makeAsyncIterator()
        self.willRead = willRead
        self.hasRead = hasRead
    }

    /// The next bytes, never none; `nil` at the end.
    package func next() async throws -> Data? {
        willRead()
        guard let chunk = try await body.next() else { return nil }
        count += Int64(chunk.count)
        try await hasRead(count, offset)
        return chunk
    }
}

/// Observes the bytes of a request's body as a transport reads them.
///
/// Called when a reading begins at the body's start, which may happen again, as a body may be sent again. Returns what
/// receives the bytes of that reading, each valid during the call only, and then `nil` at the end of the body. A
/// transport that knows the length need not read to the end. Must not block.
package typealias RequestBodyTap = @Sendable () -> @Sendable (UnsafeRawBufferPointer?) -> Void

extension RequestBody {
    /// This body, whose bytes a tap observes while they are read. A transport takes the bytes of a body in memory
    /// without reading them.
    package func tapped(_ tap: @escaping RequestBodyTap) -> RequestBody {
        var copy = self
        copy.tap = tap
        return copy
    }
}

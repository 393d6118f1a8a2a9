/// Observes the bytes of a request's body as a transport reads them.
///
/// Called whenever a transport begins to read the body from its start: again if the body is sent again. The closure
/// that it returns gets the bytes of that reading, in buffers that are valid during the call only, and `nil` at the end
/// of the body. A transport that knows the length need not read to the end. Neither closure may block.
package typealias RequestBodyTap = @Sendable () -> @Sendable (UnsafeRawBufferPointer?) -> Void

extension RequestBody {
    /// This body, whose bytes a tap observes while they are read. The tap may see none of a body of `Data`: a transport
    /// can send it without reading it.
    package func tapped(_ tap: @escaping RequestBodyTap) -> RequestBody {
        var copy = self
        copy.tap = tap
        return copy
    }
}

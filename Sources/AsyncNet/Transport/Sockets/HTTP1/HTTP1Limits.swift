/// The limits for the parts of a response other than its body.
struct HTTP1Limits: Equatable, Sendable {
    /// The largest size in bytes of the final head and of all 1xx heads before it together.
    var headBytes = 256 * 1024
    var headerLines = 1000
    var informationalResponses = 100
    /// The largest size in bytes of all chunk extensions of a body together.
    var chunkExtensionBytes = 64 * 1024
    var trailerBytes = 64 * 1024
}

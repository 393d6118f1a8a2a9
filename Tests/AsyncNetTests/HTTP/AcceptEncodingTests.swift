import Testing

@testable import AsyncNet

/// Which values of `Accept-Encoding` accept no content coding (RFC 9110 §12.5.3).
@Suite("Accept-Encoding")
struct AcceptEncodingTests {
    @Test(
        "An Accept-Encoding that names no other coding, or only with q=0, accepts only identity",
        arguments: [
            ("identity", true), ("IDENTITY", true), (" identity ; q=1", true), ("identity;q=0.5, *;q=0", true),
            ("", true),
            ("gzip;q=0, br; Q=0.000", true), (",", true), ("gzip", false), ("identity, gzip", false), ("*", false),
            ("gzip;q=0.1", false), ("identity;q=0", false), ("identity;q=0, gzip", false),
        ])
    func identity(_ value: String, _ isOnly: Bool) {
        #expect(HTTPHeaders([HTTPHeader(name: "accept-encoding", value: value)]).acceptsOnlyIdentity == isOnly)
    }

    @Test("Headers without Accept-Encoding, or with .omitting(\"Accept-Encoding\"), accept every content coding")
    func absent() {
        #expect(!HTTPHeaders().acceptsOnlyIdentity)
        #expect(!HTTPHeaders([.omitting("Accept-Encoding")]).acceptsOnlyIdentity)
    }
}

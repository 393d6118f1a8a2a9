import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Redirects whose bodies are of no use. URLSession on Linux is left out: FoundationNetworking withholds their heads until
/// the body has come, whole and decoded.
@Suite("Redirects with bodies that fail", .timeLimit(.minutes(5)))
struct WithheldRedirectTests {
    private static let fields = [
        "Content-Length: 100\\r\\n\\r\\nshort", "Transfer-Encoding: chunked\\r\\n\\r\\n64\\r\\nshort",
        "Transfer-Encoding: chunked\\r\\n\\r\\nzz\\r\\n",
        "Content-Encoding: gzip\\r\\nContent-Length: 5\\r\\n\\r\\nplain",
        "Content-Encoding: br\\r\\nContent-Length: 25\\r\\n\\r\\nnot brotli at all........",
    ]

    /// The error of the body after these fields.
    private static func code(_ fields: String) -> AsyncNetError.Code {
        if fields.hasPrefix("Content-Encoding") { return .badContentEncoding }
        return fields.contains("zz") ? .badServerResponse : .bodyEndedEarly
    }

    private func server(_ fields: String) throws -> RawServer {
        try RawServer(
            """
            if b"/next" in head: return c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\n\\r\\nnext")
            c.sendall(b"HTTP/1.1 302 Found\\r\\nLocation: /next\\r\\nX-Of: redirect\\r\\n\(fields)")
            c.close()
            """)
    }

    @Test(
        "A redirect whose body is invalid or cut is followed", arguments: fields, TransportUnderTest.withoutURLSession)
    func followed(_ fields: String, _ transport: TransportUnderTest) async throws {
        let server = try server(fields)
        #expect(try await transport.session().request(server.url).serializing(String.self).value == "next")
    }

    @Test(
        "With .doNotFollow the response has the redirect's head, and the error of its invalid or cut body",
        arguments: fields,
        TransportUnderTest.withoutURLSession)
    func notFollowed(_ fields: String, _ transport: TransportUnderTest) async throws {
        let server = try server(fields)
        let request = try transport.session().request(server.url).redirects(.doNotFollow)
        let response = await request.serializing(String.self).response
        #expect(response.statusCode == 302)
        #expect(response.response?.value(forHTTPHeaderField: "X-Of") == "redirect")
        #expect(response.error?.code == Self.code(fields))
    }

    /// The connection stays open, and nothing more comes.
    @Test(
        "A redirect whose body never arrives is followed",
        arguments: [
            "\\r\\nbegin", "Content-Length: 10000000\\r\\n\\r\\nbegin", "Transfer-Encoding: chunked\\r\\n\\r\\n",
        ], TransportUnderTest.withoutURLSession)
    func stalled(_ fields: String, _ transport: TransportUnderTest) async throws {
        let server = try RawServer(
            """
            if b"/next" in head: return c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\n\\r\\nnext")
            c.sendall(b"HTTP/1.1 302 Found\\r\\nLocation: /next\\r\\n\(fields)")
            serve.kept = c
            """)
        #expect(try await transport.session().request(server.url).serializing(String.self).value == "next")
    }
}

import AsyncNet
import Foundation

extension RawServer {
    /// A site over TLS with the certificate of ``TestAuthority/site``. It responds once on each connection: with the
    /// name in the client's certificate, the server name that the client sent (SNI), the cipher suite and the version.
    ///
    /// - Parameters:
    ///   - requiresClient: Whether clients must have a certificate of ``TestAuthority/root``.
    ///   - chain: The certificates that the site sends.
    ///   - settings: Python that changes the `context`, an `SSLContext`.
    ///   - ignored: How many of the first connections get no answer to their handshake.
    static func site(
        requiresClient: Bool = false, chain: [String] = [TestAuthority.site, TestAuthority.intermediate],
        settings: String = "pass", ignored: Int = 0
    ) throws -> RawServer {
        let pem = (chain + [TestAuthority.siteKey]).joined(separator: "\n").replacing("\n", with: "\\n")
        let root = TestAuthority.root.replacing("\n", with: "\\n")
        return try RawServer(
            """
            import ssl, tempfile
            def make():
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                with tempfile.NamedTemporaryFile("w") as file:
                    file.write("\(pem)\\n")
                    file.flush()
                    context.load_cert_chain(file.name)
                context.load_verify_locations(cadata="\(root)")
                context.verify_mode = ssl.\(requiresClient ? "CERT_REQUIRED" : "CERT_OPTIONAL")
                context.sni_callback = lambda socket, name, context: setattr(socket, "told", name)
                \(settings.replacing("\n", with: "\n    "))
                return context
            def answer(c):
                try:
                    t = serve.context.wrap_socket(c, server_side=True)
                    head = b""
                    while b"\\r\\n\\r\\n" not in head:
                        piece = t.recv(65536)
                        if not piece: return
                        head += piece
                    names = dict(pair[0] for pair in (t.getpeercert() or {}).get("subject", ()))
                    told = [names.get("commonName"), getattr(t, "told", None), t.cipher()[0], t.version()]
                    body = ", ".join(str(text) for text in told).encode()
                    t.sendall(b"HTTP/1.1 200 OK\\r\\nConnection: close\\r\\nContent-Length: %d\\r\\n\\r\\n%s" % (len(body), body))
                    t.unwrap()
                except (OSError, ValueError): pass
            if not hasattr(serve, "context"): serve.context, serve.ignored = make(), []
            if len(serve.ignored) < \(ignored): serve.ignored.append(c)
            else: threading.Thread(target=answer, args=(c,), daemon=True).start()
            """, readsHead: false)
    }

    /// The site's response to a request with these settings; the URL's host is 127.0.0.1.
    func told(_ configuration: SocketTransport.Configuration) async -> DataResponse<String, AsyncNetError> {
        let session = Session(transport: SocketTransport(configuration))
        let response = await session.request("https://127.0.0.1:\(port)/").serializing(String.self).response
        await session.finish()
        return response
    }

    /// The site's response to a request with settings that trust the root, and that the closure changes.
    func told(change: (inout TLSConfiguration) -> Void) async -> DataResponse<String, AsyncNetError> {
        var tls = TLSConfiguration(trust: .anchors([TestAuthority.root]))
        change(&tls)
        return await told(.init(tls: tls))
    }
}

import AsyncNet

extension RawServer {
    /// A server that runs a script for each connection over TLS; the script has the TLS connection as `t`.
    ///
    /// - Parameter version: The newest version that it speaks, as Python names it.
    convenience init(tls script: String, version: String = "TLSv1_3") throws {
        let pem = "\(Self.certificate)\n\(Self.key)\n".replacing("\n", with: "\\n")
        try self.init(
            """
            import ssl, tempfile
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.maximum_version = ssl.TLSVersion.\(version)
            with tempfile.NamedTemporaryFile("w") as file:
                file.write("\(pem)")
                file.flush()
                context.load_cert_chain(file.name)
            t = context.wrap_socket(c, server_side=True, suppress_ragged_eofs=False)
            \(script)
            """, readsHead: false)
    }

    /// Settings that trust the server.
    static let trust = TLSConfiguration(trust: .anchors([certificate]), verifiesHostName: false)

    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBijCCATGgAwIBAgIUcvZQpNxvOlSSx0MI03/4BdQaGwYwCgYIKoZIzj0EAwIw
        GjEYMBYGA1UEAwwPQXN5bmNOZXQgY2xpZW50MCAXDTI2MTEyNTEzMzEyMFoYDzIx
        MjYxMTAxMTMzMTIwWjAaMRgwFgYDVQQDDA9Bc3luY05ldCBjbGllbnQwWTATBgcq
        hkjOPQIBBggqhkjOPQMBBwNCAASD8/175yOLo4Sfg43yP9w+BJFYGtis/xDZ/y6u
        4m4p5ieKYa4eaUQY9e26EcN8+enVM0fp09Lhpj1RteEpP3HSo1MwUTAdBgNVHQ4E
        FgQUj1CzeIGW8+33k37wx+ACPA76QPYwHwYDVR0jBBgwFoAUj1CzeIGW8+33k37w
        x+ACPA76QPYwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiBZB0Km
        QD6kcznwDdTVB9kR2ghxqY3AIl2/1GA/s48eKgIgCnvwfZ3ZnRWn2sxJC6rvhJQI
        sPPdjIap1hfD8iO9Dcg=
        -----END CERTIFICATE-----
        """

    /// The private key of the certificate.
    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJ10kN7uuX5H26Llx
        K0k6c0d96WKpp2VQ2xJxNN/HQtuhRANCAASD8/175yOLo4Sfg43yP9w+BJFYGtis
        /xDZ/y6u4m4p5ieKYa4eaUQY9e26EcN8+enVM0fp09Lhpj1RteEpP3HS
        -----END PRIVATE KEY-----
        """
}

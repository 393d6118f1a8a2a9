import Foundation

@testable import AsyncNet

/// A proxy of bytes for tests: makes connections to 127.0.0.1, whatever host it is asked for, and notes what it was told.
final class TestProxy: Sendable {
    private let server: RawServer
    private let folder: TemporaryFolder
    private let kind: ProxyServer.Kind
    var port: Int { server.port }

    /// - Parameters:
    ///   - credentials: User and password that it requires, which are `ada` and `pw`.
    ///   - digest: Whether an HTTP proxy requires Digest.
    ///   - stop: A phase in which it stops: `closes` or `waits`, and the number of its answer (0 for the first).
    init(_ kind: ProxyServer.Kind, credentials: Bool = false, digest: Bool = false, stop: (String, Int)? = nil) throws {
        self.kind = kind
        folder = try TemporaryFolder()
        let (identity, log) = (folder.url.appending(path: "identity"), folder.url.appending(path: "log"))
        try Data((Self.certificate + "\n" + Self.key).utf8).write(to: identity)
        try Data().write(to: log)
        let settings = """
            KIND, GUARDED, DIGEST = "\(kind)", \(credentials ? "True" : "False"), \(digest ? "True" : "False")
            STOP, PHASE = "\(stop?.0 ?? "")", \(stop?.1 ?? -1)
            LOG, IDENTITY = "\(log.path)", "\(identity.path)"

            """
        server = try RawServer(settings + Self.script, readsHead: false)
    }

    /// The settings for this proxy.
    func configuration(user: String? = nil, password: String? = nil) -> ProxyConfiguration {
        .url(
            "\(kind)://\(user.map { "\($0):\(password ?? "")@" } ?? "")127.0.0.1:\(port)",
            tls: TLSConfiguration(trust: .anchors([Self.certificate])))
    }

    func transport(user: String? = nil, password: String? = nil, trusting anchor: String? = nil) -> SocketTransport {
        SocketTransport(settings(configuration(user: user, password: password), trusting: anchor))
    }

    func settings(_ proxy: ProxyConfiguration, trusting anchor: String? = nil) -> SocketTransport.Configuration {
        var configuration = SocketTransport.Configuration(
            tls: anchor.map { .init(trust: .anchors([$0])) } ?? .init(), proxy: proxy)
        // On a busy machine more than the default's minute may pass between two requests of a test.
        configuration.idleTimeout = .seconds(600)
        return configuration
    }

    /// What it was asked for: `host:port` and what stood there as credentials, of each connection that got that far.
    var log: [String] {
        let text = (try? String(contentsOf: folder.url.appending(path: "log"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    private static let script = """
        import hashlib, ssl
        def exactly(c, n):
            data = b""
            while len(data) < n: data += c.recv(n - len(data)) or die()
            return data
        def die(): raise EOFError
        def note(text):
            with open(LOG, "a") as file: file.write(text + "\\n")
        def reply(c, bytes, phases):
            phases.append(0)
            if STOP and len(phases) > PHASE:
                if STOP == "waits": time.sleep(3600)
                die()
            c.sendall(bytes)
        def copy(source, target):
            try:
                while data := socket.socket.recv(source, 65536): target.sendall(data)
            except (OSError, ValueError): pass
            try: target.shutdown(socket.SHUT_RDWR)
            except OSError: pass
        def copy_tls(source, target):
            try:
                while data := source.recv(65536): target.sendall(data)
            except (OSError, ValueError, EOFError): pass
            try: target.shutdown(socket.SHUT_RDWR)
            except OSError: pass
        def tunnel(c, port):
            up = socket.create_connection(("127.0.0.1", port))
            move = copy_tls if KIND == "https" else copy
            threading.Thread(target=copy, args=(up, c), daemon=True).start()
            move(c, up)
        def five(c, phases):
            methods = exactly(c, exactly(c, 2)[1])
            if not (2 if GUARDED else 0) in methods: return reply(c, b"\\5\\xff", phases)
            reply(c, bytes([5, 2 if GUARDED else 0]), phases)
            if GUARDED:
                user = exactly(c, exactly(c, 2)[1])
                password = exactly(c, exactly(c, 1)[0])
                if (user, password) != (b"ada", b"pw"): return reply(c, b"\\1\\1", phases)
                reply(c, b"\\1\\0", phases)
            kind = exactly(c, 4)[3]
            if kind == 3: host = exactly(c, exactly(c, 1)[0]).decode()
            else: host = socket.inet_ntop(socket.AF_INET if kind == 1 else socket.AF_INET6, exactly(c, 4 if kind == 1 else 16))
            port = int.from_bytes(exactly(c, 2), "big")
            note(f"{host}:{port}")
            reply(c, b"\\5\\0\\0\\1" + bytes(6), phases)
            tunnel(c, port)
        def text(c):
            data = b""
            while not data.endswith(b"\\0"): data += exactly(c, 1)
            return data[:-1].decode()
        def four(c, phases):
            exactly(c, 2)
            port, ip, user = int.from_bytes(exactly(c, 2), "big"), exactly(c, 4), text(c)
            host = text(c) if ip == b"\\0\\0\\0\\1" else socket.inet_ntoa(ip)
            note(f"{host}:{port} {user}".strip())
            if GUARDED and user != "ada": return reply(c, b"\\0\\x5d" + bytes(6), phases)
            reply(c, b"\\0\\x5a" + bytes(6), phases)
            tunnel(c, port)
        def digested(fields, method, target):
            pick = lambda name: fields.split(name + '="')[1].split('"')[0]
            md5 = lambda text: hashlib.md5(text.encode()).hexdigest()
            nc = fields.split("nc=")[1].split(",")[0]
            key, subject = md5("ada:r:pw"), md5(f"{method}:{target}")
            return pick("response") == md5(f"{key}:{pick('nonce')}:{nc}:{pick('cnonce')}:auth:{subject}")
        def http(c, phases):
            while True:
                head = b""
                while b"\\r\\n\\r\\n" not in head: head += exactly(c, 1)
                lines = head.decode().split("\\r\\n")
                method, target = lines[0].split(" ")[:2]
                sent = ([line[21:] for line in lines if line.startswith("Proxy-Authorization: ")] + [""])[0]
                note(f"{method} {target} {sent[:6].strip()}".strip())
                right = sent == "Basic YWRhOnB3"
                if DIGEST: right = sent.startswith("Digest ") and digested(sent, method, target)
                if not GUARDED or right: break
                challenge = 'Digest realm="r", nonce="n", qop="auth"' if DIGEST else 'Basic realm="r"'
                reply(c, f"HTTP/1.1 407 No\\r\\nProxy-Authenticate: {challenge}\\r\\nContent-Length: 3\\r\\n\\r\\nno!".encode(), phases)
            if method != "CONNECT":
                return reply(c, b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok", phases)
            reply(c, b"HTTP/1.1 200 Open\\r\\nX-Proxy: 1\\r\\n\\r\\n", phases)
            tunnel(c, int(target.split(":")[-1]))
        def handle(c):
            phases = []
            try:
                if KIND == "https":
                    if STOP and PHASE == 0:
                        c.recv(65536)
                        reply(c, b"", phases)
                    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                    context.load_cert_chain(IDENTITY)
                    c = context.wrap_socket(socket.socket(fileno=c.detach()), server_side=True)
                    phases = [0] if STOP else []
                {"http": http, "https": http, "socks4": four, "socks4a": four}.get(KIND, five)(c, phases)
            except (EOFError, OSError, IndexError): pass
            c.close()
        threading.Thread(target=handle, args=(c,), daemon=True).start()
        """

    /// For 127.0.0.1 and localhost, to the year 2120, its own authority.
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBXzCCAQWgAwIBAgIBATAKBggqhkjOPQQDAjAQMQ4wDAYDVQQDDAVwcm94eTAg
        Fw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowEDEOMAwGA1UEAwwFcHJv
        eHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASa6x/av8XA2Noh1K0The0CLOcR
        rmpdiMUvfpXto5vpuN9KWUaYP6oLBeWHTNAkBAtFLuokoxvjcZ1hoLscqG7So04w
        TDAPBgNVHRMBAf8EBTADAQH/MBoGA1UdEQQTMBGHBH8AAAGCCWxvY2FsaG9zdDAd
        BgNVHQ4EFgQUNEj6J/XiJLzyfJLUoa7ghyqcFecwCgYIKoZIzj0EAwIDSAAwRQIh
        ANQ+MrMZwZKUs+SgQSPfmRox1yeIsmsXspT74StN8J93AiBb8P+OA890B/bYLuij
        2OkXVYkFfZmttV2OiA4iMAvXjQ==
        -----END CERTIFICATE-----
        """

    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgm+qlEzXAYlzGFLu0
        LkoEC3uDsVHLojdyCiDzIKeU/q+hRANCAASa6x/av8XA2Noh1K0The0CLOcRrmpd
        iMUvfpXto5vpuN9KWUaYP6oLBeWHTNAkBAtFLuokoxvjcZ1hoLscqG7S
        -----END PRIVATE KEY-----
        """
}

import ArgumentParser
import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A real nginx on loopback that serves files from a folder of its own; stopped by its process.
final class Nginx {
    /// How a server of this nginx is reached.
    enum Server: Int, CaseIterable {
        /// HTTP/1.1 without TLS.
        case plain
        /// HTTP/1.1 over TLS.
        case tls
        /// HTTP/2 over TLS.
        case http2
        /// HTTP/1.1 over TLS; each connection carries one request.
        case cold
    }

    private let ports: [Int]
    private let process = Process()
    private let hasEnded = DispatchSemaphore(value: 0)
    private let folder: URL

    /// - Parameter large: Files of so many MiB that take no room.
    init(files: [String: Data], large: [String: Int] = [:], in place: URL = FileManager.default.temporaryDirectory)
        throws
    {
        folder = place.appending(path: "asyncnet-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder.appending(path: "www"), withIntermediateDirectories: true)
        for (name, data) in files { try data.write(to: folder.appending(path: "www/\(name)")) }
        for (name, mebibytes) in large { Self.truncate(folder.appending(path: "www/\(name)").path, mebibytes) }
        ports = try Server.allCases.map { _ in try SocketPort().port }
        try Self.makeCertificate(in: folder)
        try Self.configuration(folder.path, ports).write(
            to: folder.appending(path: "nginx.conf"), atomically: true, encoding: .utf8)
        guard
            let program = ["/usr/sbin/nginx", "/usr/bin/nginx", "/opt/homebrew/bin/nginx"].first(
                where: FileManager.default.isExecutableFile)
        else { throw ValidationError("nginx is not installed: apt-get install nginx-light") }
        process.executableURL = URL(filePath: program)
        process.arguments = ["-c", folder.appending(path: "nginx.conf").path, "-p", folder.path]
        process.terminationHandler = { [hasEnded] _ in hasEnded.signal() }
        try process.run()
        try waitUntilItListens()
    }

    /// Serves a file from where it is.
    func link(_ file: URL, as name: String) throws {
        let link = folder.appending(path: "www/\(name)")
        try? FileManager.default.removeItem(at: link)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    }

    private static func truncate(_ path: String, _ mebibytes: Int) {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        try? FileHandle(forWritingTo: URL(filePath: path)).truncate(atOffset: UInt64(mebibytes) << 20)
    }

    func url(_ path: String, _ server: Server = .plain) -> URL {
        let scheme = server == .plain ? "http" : "https"
        return URL(string: "\(scheme)://127.0.0.1:\(ports[server.rawValue])/\(path)")!
    }

    /// The certificate of the servers with TLS, which signs itself.
    var certificate: URL { folder.appending(path: "certificate.pem") }

    static func makeCertificate(in folder: URL) throws {
        let arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
            folder.appending(path: "certificate.key").path, "-out", folder.appending(path: "certificate.pem").path,
        ]
        _ = try Measured("/usr/bin/openssl", arguments)
    }

    func stop() {
        // A child of a Dispatch thread inherits its signal mask, in which SIGTERM is blocked.
        kill(process.processIdentifier, SIGKILL)
        hasEnded.wait()
        try? FileManager.default.removeItem(at: folder)
    }

    /// `/sink` reads the request's body, as a proxy does, before it responds; `return` alone does not.
    private static func configuration(_ folder: String, _ ports: [Int]) -> String {
        func server(_ server: Server, _ options: String = "", _ directives: String = "") -> String {
            """
            server { listen 127.0.0.1:\(ports[server.rawValue])\(options); root \(folder)/www; client_max_body_size 0; \(directives)
                location /sink { proxy_pass http://none/none; proxy_set_body ""; proxy_http_version 1.1; proxy_set_header Connection ""; }
                location /none { return 204; }
                location /put/ { dav_methods PUT; create_full_put_path on; } }
            """
        }
        let certificate =
            "ssl_certificate \(folder)/certificate.pem; ssl_certificate_key \(folder)/certificate.key;"
        return """
            daemon off; master_process off; pid \(folder)/nginx.pid; error_log \(folder)/error.log;
            events { worker_connections 4096; }
            http {
                access_log off; keepalive_requests 1000000000; keepalive_timeout 300s; sendfile on; default_type application/json;
                client_body_temp_path \(folder)/body; proxy_temp_path \(folder)/proxy; fastcgi_temp_path \(folder)/fastcgi;
                uwsgi_temp_path \(folder)/uwsgi; scgi_temp_path \(folder)/scgi;
                upstream none { server 127.0.0.1:\(ports[Server.plain.rawValue]); keepalive 256; keepalive_requests 1000000000; }
                \(server(.plain))
                \(server(.tls, " ssl", certificate))
                \(server(.http2, " ssl http2", certificate))
                \(server(.cold, " ssl", certificate + " keepalive_requests 1;"))
            }
            """
    }

    private func waitUntilItListens() throws {
        for _ in 0..<100 {
            if let data = try? Data(contentsOf: url("document.json")), !data.isEmpty { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        throw ValidationError(
            "nginx does not answer: \((try? String(contentsOf: folder.appending(path: "error.log"), encoding: .utf8)) ?? "")"
        )
    }
}

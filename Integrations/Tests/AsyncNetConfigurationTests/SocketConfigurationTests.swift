import AsyncNet
import AsyncNetConfiguration
import AsyncNetTesting
import Configuration
import Foundation
import Synchronization
import Testing

@Suite("A transport's settings from a ConfigReader", .timeLimit(.minutes(1)))
struct SocketConfigurationTests {
    @Test("Without keys the settings are the defaults")
    func defaults() async throws {
        let (read, own) = (try await SocketTransport.Configuration(.environment([:])), SocketTransport.Configuration())
        #expect(read.tls == own.tls)
        #expect(read.connectTimeout == own.connectTimeout)
        #expect(read.idleTimeout == own.idleTimeout)
        #expect(read.maximumConnections == own.maximumConnections)
        #expect(read.maximumConnectionsPerOrigin == own.maximumConnectionsPerOrigin)
        #expect(read.maximumConnectionLifetime == own.maximumConnectionLifetime)
        #expect(read.httpVersion == .automatic)
    }

    @Test("Each key of the environment sets its setting")
    func environment() async throws {
        let pin = "sha256//\(Data(count: 32).base64EncodedString())"
        let read = try await SocketTransport.Configuration(
            .environment([
                "HTTP_CONNECT_TIMEOUT": "3", "HTTP_IDLE_TIMEOUT": "20", "HTTP_MAXIMUM_CONNECTIONS": "500",
                "HTTP_MAXIMUM_CONNECTIONS_PER_ORIGIN": "50", "HTTP_MAXIMUM_CONNECTION_LIFETIME": "600",
                "HTTP_HTTP_VERSION": "1.1", "HTTP_TLS_ANCHORS_FILE": "/etc/anchors.pem", "HTTP_TLS_PINS": pin,
                "HTTP_TLS_MINIMUM_VERSION": "1.3", "HTTP_TLS_MAXIMUM_VERSION": "1.3",
                "HTTP_TLS_CERTIFICATE_FILE": "/etc/client.pem", "HTTP_TLS_KEY_FILE": "/etc/client.key",
                "HTTP_TLS_KEY_PASSWORD": "secret",
            ]))
        #expect(read.connectTimeout == .seconds(3))
        #expect(read.idleTimeout == .seconds(20))
        #expect(read.maximumConnections == 500)
        #expect(read.maximumConnectionsPerOrigin == 50)
        #expect(read.maximumConnectionLifetime == .seconds(600))
        #expect(read.httpVersion == .http1)
        let identity = TLSConfiguration.ClientIdentity(
            certificateFile: URL(filePath: "/etc/client.pem"), keyFile: URL(filePath: "/etc/client.key"),
            password: "secret")
        let tls = TLSConfiguration(
            trust: .anchors(file: URL(filePath: "/etc/anchors.pem")), pins: [pin], clientIdentity: identity,
            minimumVersion: .tls13, maximumVersion: .tls13)
        #expect(read.tls == tls)
    }

    @Test("Requests go through the proxy with its password, except to the hosts that bypass it")
    func proxy() async throws {
        let (proxy, server) = (try await MockServer.start(), try await MockServer.start())
        await proxy.enqueue(.text("through the proxy"))
        await server.enqueue(.text("direct"))
        let configuration = try await SocketTransport.Configuration(
            .environment([
                "HTTP_PROXY_URL": "http://user:secret@127.0.0.1:\(proxy.port)",
                "HTTP_PROXY_BYPASSED_HOSTS": "127.0.0.1",
            ]))
        let session = Session(transport: .sockets(configuration))
        #expect(try await session.get("http://example.invalid/").serializing(String.self).value == "through the proxy")
        #expect(try await proxy.takeRequest().headers["Proxy-Authorization"] == "Basic dXNlcjpzZWNyZXQ=")
        #expect(try await session.get(server.url()).serializing(String.self).value == "direct")
        await session.finish()
        await proxy.stop()
        await server.stop()
    }

    @Test(
        "A wrong value is an error with key and expectation, without a secret",
        arguments: [
            (["HTTP_VERSION": "3"], "httpVersion must be automatic or 1.1 or 2"),
            (
                ["MAXIMUM_CONNECTION_LIFETIME": "3000000"],
                "maximumConnectionLifetime must be a number of seconds above 0 and"
            ),
            (["PROXY_URL": "ftp://user:secret@proxy"], "proxy.url must be environment, or a proxy's URL"),
            (["PROXY_URL": "secret"], "proxy.url must be environment, or a proxy's URL"),
            (["PROXY_BYPASSED_HOSTS": "a"], "proxy.url must be set, since proxy.bypassedHosts is"),
            (["TLS_PINS": "sha256//YQ=="], "tls.pins must be a list of pins"),
            (["TLS_MINIMUM_VERSION": "1.0"], "tls.minimumVersion must be 1.2 or 1.3"),
            (["TLS_CERTIFICATE_FILE": "a"], "tls.keyFile must be set, since tls.certificateFile is"),
            (["TLS_KEY_FILE": "a"], "tls.certificateFile must be set, since tls.keyFile is"),
            (["TLS_KEY_PASSWORD": "secret"], "tls.certificateFile must be set, since tls.keyPassword is"),
        ])
    func wrong(variables: [String: String], message: String) async throws {
        let config = ConfigReader.environment(
            Dictionary(uniqueKeysWithValues: variables.map { ("HTTP_\($0.key)", $0.value) }))
        let error = await #expect(throws: AsyncNetError.self) { try await SocketTransport.Configuration(config) }
        #expect(error?.code == .invalidConfiguration)
        let text = try #require(error?.message)
        #expect(text.hasPrefix(message))
        #expect(!"\(error as Any)".contains("secret"))
    }

    /// Notes which keys are read as secrets.
    private final class Secrets: AccessReporter {
        private let keys = Mutex<Set<String>>([])

        func report(_ event: AccessEvent) {
            guard case .success(let value?) = event.result, value.isSecret else { return }
            keys.withLock { _ = $0.insert("\(event.metadata.key)") }
        }
        var names: Set<String> { keys.withLock { $0 } }
    }

    @Test("The proxy's URL and the key's password are read as secrets, and nothing else")
    func secrets() async throws {
        let secrets = Secrets()
        let provider = EnvironmentVariablesProvider(environmentVariables: [
            "PROXY_URL": "http://user:secret@proxy:1", "TLS_KEY_PASSWORD": "secret", "TLS_CERTIFICATE_FILE": "a",
            "TLS_KEY_FILE": "b", "CONNECT_TIMEOUT": "1",
        ])
        _ = try await SocketTransport.Configuration(ConfigReader(provider: provider, accessReporter: secrets))
        #expect(secrets.names == ["proxy.url", "tls.keyPassword"])
    }
}

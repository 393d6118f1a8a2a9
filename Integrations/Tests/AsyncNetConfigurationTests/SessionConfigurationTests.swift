import AsyncNet
import AsyncNetConfiguration
import AsyncNetTesting
import Configuration
import Foundation
import SystemPackage
import Testing

@Suite("A session's settings from a ConfigReader")
struct SessionConfigurationTests {
    @Test("Without keys the settings are the defaults")
    func defaults() async throws {
        let configuration = try await SessionConfiguration(.environment([:]))
        #expect("\(configuration)" == "\(SessionConfiguration())")
        #expect(configuration.retryBudget == RetryBudget())
        #expect(configuration.interceptors.isEmpty)
        #expect(configuration.rateLimit == nil)
        #expect(configuration.circuitBreaker == nil)
    }

    @Test("Each key of the environment sets its setting")
    func environment() async throws {
        let configuration = try await SessionConfiguration(
            .environment([
                "HTTP_BASE_URL": "https://api.example.com/v1/", "HTTP_TIMEOUT": "2.5", "HTTP_DEADLINE": "30",
                "HTTP_MAXIMUM_REDIRECTS": "0", "HTTP_MAXIMUM_BODY_SIZE": "1048576", "HTTP_COALESCES_REQUESTS": "true",
                "HTTP_CONCURRENCY_LIMIT_PER_SESSION": "100", "HTTP_CONCURRENCY_LIMIT_PER_ORIGIN": "8",
                "HTTP_RATE_LIMIT_REQUESTS": "10", "HTTP_RATE_LIMIT_PERIOD": "60", "HTTP_RATE_LIMIT_BURST": "2",
                "HTTP_RATE_LIMIT_SCOPE": "session", "HTTP_RETRY_BUDGET_RATIO": "0.1",
                "HTTP_RETRY_BUDGET_MINIMUM_PER_SECOND": "5", "HTTP_RETRY_BUDGET_WINDOW": "20",
                "HTTP_ADDRESSES_BASE": "publicOnly", "HTTP_ADDRESSES_ALLOWED": "10.1.0.0/16, fd00::/8",
                "HTTP_ADDRESSES_DENIED": "10.1.2.3",
            ]))
        #expect(try configuration.baseURL?.asURL() == URL(string: "https://api.example.com/v1/"))
        #expect(configuration.timeout == .seconds(2.5))
        #expect(configuration.deadline == .seconds(30))
        #expect(configuration.maximumRedirects == 0)
        #expect(configuration.maximumBodySize == 1 << 20)
        #expect(configuration.coalescesRequests)
        #expect(configuration.concurrencyLimit == ConcurrencyLimit(perSession: 100, perOrigin: 8))
        #expect(configuration.rateLimit == RateLimit(requests: 10, per: .seconds(60), burst: 2, scope: .session))
        #expect(configuration.retryBudget == RetryBudget(ratio: 0.1, minimumPerSecond: 5, window: .seconds(20)))
        let addresses = AddressPolicy.publicOnly.allowing(["10.1.0.0/16", "fd00::/8"]).denying(["10.1.2.3"])
        #expect(configuration.addresses == addresses)
    }

    @Test("A retry policy and a circuit breaker are made of their keys")
    func policies() async throws {
        let configuration = try await SessionConfiguration(
            .environment([
                "HTTP_RETRY_LIMIT": "5", "HTTP_RETRY_DELAY": "0", "HTTP_RETRY_MAXIMUM_DELAY": "8",
                "HTTP_RETRY_MAXIMUM_RETRY_AFTER": "90", "HTTP_RETRY_ATTEMPT_TIMEOUT": "3",
                "HTTP_CIRCUIT_BREAKER_CONSECUTIVE_FAILURES": "7", "HTTP_CIRCUIT_BREAKER_FAILURE_RATE": "0.5",
                "HTTP_CIRCUIT_BREAKER_MINIMUM_REQUESTS": "50", "HTTP_CIRCUIT_BREAKER_WINDOW": "10",
                "HTTP_CIRCUIT_BREAKER_OPEN_DURATION": "15", "HTTP_CIRCUIT_BREAKER_PROBES": "3",
            ]))
        let policy = try #require(configuration.interceptors.first as? RetryPolicy)
        #expect(policy.limit == 5)
        #expect(policy.backoff == Backoff(scale: .zero, maximum: .seconds(8)))
        #expect(policy.maximumRetryAfter == .seconds(90))
        #expect(policy.attemptTimeout == .seconds(3))
        let breaker = CircuitBreaker(
            consecutiveFailures: 7, failureRate: 0.5, minimumRequests: 50, window: .seconds(10),
            openDuration: .seconds(15), probes: 3)
        #expect(configuration.circuitBreaker == breaker)
    }

    @Test("One key of a group is enough, the rest has its defaults")
    func groups() async throws {
        let configuration = try await SessionConfiguration(
            .environment(["HTTP_RETRY_DELAY": "1", "HTTP_CIRCUIT_BREAKER_PROBES": "2", "HTTP_RATE_LIMIT_REQUESTS": "4"])
        )
        #expect((configuration.interceptors.first as? RetryPolicy)?.limit == RetryPolicy().limit)
        #expect(configuration.circuitBreaker == CircuitBreaker(probes: 2))
        #expect(configuration.rateLimit == RateLimit(requests: 4, per: .seconds(1)))
    }

    @Test("A file of JSON has the same keys, and values of JSON's types")
    func file() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let json = #"{"http": {"timeout": 5, "retry": {"limit": 1}, "addresses": {"denied": ["10.0.0.0/8"]}}}"#
        try Data(json.utf8).write(to: file)
        let provider = try await FileProvider<JSONSnapshot>(filePath: FilePath(file.path))
        let configuration = try await SessionConfiguration(ConfigReader(provider: provider).scoped(to: "http"))
        #expect(configuration.timeout == .seconds(5))
        #expect((configuration.interceptors.first as? RetryPolicy)?.limit == 1)
        #expect(configuration.addresses == .denying(["10.0.0.0/8"]))
    }

    @Test("A whole number in memory is a number of seconds")
    func memory() async throws {
        let config = ConfigReader(provider: InMemoryProvider(values: ["timeout": 5, "deadline": 1.5]))
        let configuration = try await SessionConfiguration(config)
        #expect(configuration.timeout == .seconds(5))
        #expect(configuration.deadline == .seconds(1.5))
    }

    @Test(
        "A wrong value is an error with key and expectation",
        arguments: [
            ("TIMEOUT", "soon", "timeout must be a number of seconds above 0"),
            ("TIMEOUT", "0", "timeout must be a number of seconds above 0"),
            ("TIMEOUT", "inf", "timeout must be a number of seconds above 0"),
            ("DEADLINE", "1e300", "deadline must be a number of seconds above 0"),
            ("RETRY_DELAY", "nan", "retry.delay must be a number of seconds of at least 0"),
            ("MAXIMUM_REDIRECTS", "-1", "maximumRedirects must be a whole number of at least 0"),
            ("MAXIMUM_REDIRECTS", "1.5", "maximumRedirects must be a whole number of at least 0"),
            ("MAXIMUM_BODY_SIZE", "0", "maximumBodySize must be a number of bytes of at least 1"),
            ("COALESCES_REQUESTS", "perhaps", "coalescesRequests must be true or false"),
            ("BASE_URL", "api.example.com", "baseURL must be a URL with the scheme http or https"),
            ("BASE_URL", "ftp://example.com", "baseURL must be a URL with the scheme http or https"),
            ("RATE_LIMIT_SCOPE", "host", "rateLimit.scope must be session or origin"),
            ("RATE_LIMIT_PERIOD", "1", "rateLimit.requests must be set, since another key of rateLimit is"),
            ("CIRCUIT_BREAKER_FAILURE_RATE", "50", "circuitBreaker.failureRate must be a number from 0 to 1"),
            ("RETRY_BUDGET_RATIO", "-0.1", "retryBudget.ratio must be a number of at least 0"),
            ("ADDRESSES_BASE", "private", "addresses.base must be any or publicOnly"),
            ("ADDRESSES_ALLOWED", "10.0.0.0/33", "addresses.allowed must be a list of addresses and networks"),
            ("ADDRESSES_DENIED", "10.0.0.0/8,localhost", "addresses.denied must be a list of addresses and networks"),
            ("ADDRESSES_DENIED", "::1/+8", "addresses.denied must be a list of addresses and networks"),
        ])
    func wrong(key: String, value: String, message: String) async throws {
        let config = ConfigReader.environment(["HTTP_\(key)": value])
        let error = await #expect(throws: AsyncNetError.self) { try await SessionConfiguration(config) }
        #expect(error?.code == .invalidConfiguration)
        let text = try #require(error?.message)
        #expect(text.hasPrefix(message))
        #expect(text.contains("keyPrefix: http"))
    }

    @Test("Each network that the settings accept is one for the address policy, and the others are not")
    func networks() async throws {
        for text in ["10.0.0.0/8", "10.0.0.1", "::1", "fd00::/8", "0.0.0.0/0", "::/0", "::1/128"] {
            let configuration = try await SessionConfiguration(.environment(["HTTP_ADDRESSES_DENIED": text]))
            let session = Session(transport: .sockets(), configuration: configuration)
            let error = await session.get("http://127.0.0.1:1/").serializing(Data.self).response.error
            #expect(error?.code != .invalidConfiguration, "\(text)")
            await session.finish()
        }
    }
}

extension ConfigReader {
    /// The variables, of which those with the prefix `HTTP_` are the settings.
    static func environment(_ variables: [String: String]) -> ConfigReader {
        ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: variables)).scoped(to: "http")
    }
}

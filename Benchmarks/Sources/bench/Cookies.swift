import ArgumentParser
import AsyncNet
import Foundation

struct Cookies: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "The cost of a cookie jar when servers set as many cookies as they can: CPU, and the delay for other requests."
    )

    @Option(help: "Set-Cookie lines of the one large response.") var lines = 10_500
    @Option(help: "Domains in the jar.") var domains = 3000

    func run() async throws {
        let values = (0..<lines).map { "name\($0)=value; Path=/; Max-Age=1000" }
        let jar = CookieJar()
        let many = try url("https://many.example/")
        try await measure("a response with \(lines) lines", 1) { await jar.store(setCookie: values, from: many) }
        try await measure("the same, while another request asks", 1) { try await contend(values) }
        let full = try await filled { "host\($0).example" }
        try await measure("a cookie over http, \(domains) domains", 2000) {
            for index in 0..<2000 {
                await full.store(setCookie: ["a\(index % 10)=1"], from: try url("http://new.example/"))
            }
        }
        let site = try await filled { "host\($0).site.example" }
        try await measure("a cookie over http, \(domains) domains of one site", 2000) {
            for index in 0..<2000 {
                await site.store(setCookie: ["a\(index % 10)=1"], from: try url("http://new.site.example/"))
            }
        }
        let crowd = try await filled { "host\($0).example" }
        try await measure("a cookie of a new domain, the jar being full", 2000) {
            for index in 0..<2000 {
                await crowd.store(setCookie: ["a=1"], from: try url("https://x\(index).evil.example/"))
            }
        }
    }

    private func filled(_ name: (Int) -> String) async throws -> CookieJar {
        let jar = CookieJar()
        for index in 0..<domains {
            await jar.store(setCookie: ["a=1; Secure"], from: try url("https://\(name(index))/"))
        }
        return jar
    }

    /// The longest that another caller waits for the jar.
    private func contend(_ values: [String]) async throws {
        let (jar, other) = (CookieJar(), try url("https://other.example/"))
        async let stored = jar.store(setCookie: values, from: try url("https://many.example/"))
        var longest = Duration.zero
        for _ in 0..<1000 {
            let start = ContinuousClock.now
            _ = await jar.cookies(for: other)
            longest = max(longest, ContinuousClock.now - start)
        }
        _ = try await stored
        print("longest wait of another caller: \((longest / .milliseconds(1)).formatted(2)) ms")
    }

    private func url(_ text: String) throws -> URL { try text.asURL() }

    private func measure(_ name: String, _ times: Int, _ work: () async throws -> Void) async throws {
        let cpu = try await Measurement.of(work).cpuSeconds
        print("\(name): \((cpu * 1000).formatted(1)) ms of CPU, \((cpu / Double(times) * 1e6).formatted(1)) µs each")
    }
}

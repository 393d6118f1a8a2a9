import Foundation

/// The C program on the same libcurl, beside this one: the same requests, nothing decoded.
enum Floor {
    static let name = "libcurl in C, undecoded"

    private struct Report: Decodable {
        var requestsPerSecond: Double
        var microsecondsOfCPU: Double
        var failed: Int
    }

    /// `nil` where the program was not built.
    static func run(_ url: URL, _ concurrency: Int, _ requests: Int, certificate: URL?) throws -> Measurement? {
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "floor")
        guard FileManager.default.isExecutableFile(atPath: program.path) else { return nil }
        let count = requests / concurrency * concurrency
        let arguments =
            [url.absoluteString, "\(concurrency)", "\(count)", "poll"] + (certificate.map { [$0.path] } ?? [])
        let output = try Measured(program.path, arguments).output
        let report = try JSONDecoder().decode(Report.self, from: Data(output.utf8))
        guard report.failed == 0 else { return nil }
        return Measurement(
            seconds: Double(count) / report.requestsPerSecond,
            cpuSeconds: report.microsecondsOfCPU * Double(count) / 1e6)
    }
}

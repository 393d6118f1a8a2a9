import ArgumentParser
import Foundation
import TextTable

struct Transfer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "One large file each way against curl, a large form, and a consumer that sleeps: time, peak memory.",
        discussion: """
            Each transfer is a process of its own. Its throughput is that of the transfer, as curl's %{time_total} has it; "whole" compares all that the \
            processes took, their start included. curl's is `curl -o` and `curl -T`. Uploads are read and dropped.
            """)

    @Option(help: "Size in MiB.") var mebibytes = 1024
    @Option(help: "Rounds; the clients take turns in each.") var rounds = 5
    @Option(help: "Size in MiB of the body for the consumer that sleeps.") var sleepingMebibytes = 4096
    @Option(help: "Where the files are; a folder in memory leaves the disk out of the measurement.") var folder =
        "/dev/shm"

    enum Task: String {
        case download
        case downloadURLSession = "download-urlsession"
        case urlSession = "urlsession"
        case upload, stream, form, sleep
        case sleepURLSession = "sleep-urlsession"
    }

    /// The program beside this one that makes the transfers.
    private static let carrier = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
        path: "carrier"
    ).path

    struct Row {
        var transfer: String
        var client: String
        var mebibytesPerSecond: Double
        var ratio: Double
        var wholeRatio: Double
        var peakMiB: Double
    }

    func run() async throws {
        let place = URL(filePath: folder).appending(path: "asyncnet-transfer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let source = place.appending(path: "source")
        try Self.fill(source, mebibytes)
        let nginx = try Nginx(
            files: ["document.json": Data("{}".utf8)], large: ["large": mebibytes, "endless": sleepingMebibytes],
            in: place)
        defer { nginx.stop() }
        try nginx.link(source, as: "large")
        let down = try compare(
            "download", place,
            ["-s", "-w", "%{time_total}", "-o", place.appending(path: "curl").path, nginx.url("large").absoluteString],
            .download, nginx.url("large"))
        let put = ["-s", "-w", "%{time_total}", "-T", source.path, nginx.url("sink").absoluteString]
        let up = try compare("upload of a file", place, put, .upload, nginx.url("sink"), source)
        let streamed = try compare("upload of a stream", place, put, .stream, nginx.url("sink"), source)
        let foundation = try compareFoundation(place, nginx.url("large"))
        show(down + foundation + up + streamed)
        let form = try Measured(Self.carrier, arguments(.form, nginx.url("sink"), source))
        print("a form of four such files, \(4 * mebibytes) MiB: peak \(form.peakMiB.formatted(1)) MiB")
        for (name, task) in [("libcurl", Task.sleep), ("URLSession", .sleepURLSession)] {
            let child = try Measured(Self.carrier, arguments(task, nginx.url("endless"), source))
            print(
                "a consumer that sleeps while \(sleepingMebibytes) MiB are sent over \(name): peak \(child.peakMiB.formatted(1)) MiB, \(child.output)"
            )
        }
    }

    private func arguments(_ task: Task, _ url: URL, _ file: URL) -> [String] {
        [task.rawValue, url.absoluteString, file.path]
    }

    /// Bytes that no file system can leave out, quickly made.
    private static func fill(_ file: URL, _ mebibytes: Int) throws {
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        let handle = try FileHandle(forWritingTo: file)
        let piece = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 4) })
        for _ in 0..<mebibytes { try handle.write(contentsOf: piece) }
        try handle.close()
    }

    private func compare(_ name: String, _ place: URL, _ curl: [String], _ task: Task, _ url: URL, _ source: URL? = nil)
        throws -> [Row]
    {
        var runs: [String: [Measured]] = [:]
        let target = place.appending(path: "asyncnet")
        for _ in 0..<rounds {
            runs["curl", default: []].append(try Measured("/usr/bin/curl", curl))
            if source == nil { try remove(place.appending(path: "curl"), in: place) }
            runs["AsyncNet/libcurl", default: []].append(
                try Measured(Self.carrier, arguments(task, url, source ?? target)))
            if source == nil { try remove(target, in: place) }
        }
        let base = runs["curl"] ?? []
        return ["curl", "AsyncNet/libcurl"].map { client in
            return row(name, client, runs[client] ?? [], base)
        }
    }

    private func row(_ name: String, _ client: String, _ own: [Measured], _ base: [Measured]) -> Row {
        Row(
            transfer: name, client: client,
            mebibytesPerSecond: own.map { Double(mebibytes) / $0.transferSeconds }.median,
            ratio: zip(own, base).map { $1.transferSeconds / $0.transferSeconds }.median,
            wholeRatio: zip(own, base).map { $1.seconds / $0.seconds }.median,
            peakMiB: own.map(\.peakMiB).max() ?? 0)
    }

    /// Checks a download and makes room: each writes to memory that the one before has just let go. Memory that is used
    /// for the first time takes twice as long to write to, and curl would write over a file that is there, while the
    /// others write one beside it.
    private func remove(_ file: URL, in place: URL) throws {
        guard FileManager.default.contentsEqual(atPath: file.path, andPath: place.appending(path: "source").path) else {
            throw ValidationError("the download differs")
        }
        try FileManager.default.removeItem(at: file)
    }

    /// Downloads over URLSession against Foundation's own.
    private func compareFoundation(_ place: URL, _ url: URL) throws -> [Row] {
        let target = place.appending(path: "foundation")
        var runs: [Task: [Measured]] = [:]
        for _ in 0..<rounds {
            // Foundation's download is made in the temporary folder, and would be copied if that were elsewhere.
            for task in [Task.urlSession, .downloadURLSession] {
                runs[task, default: []].append(
                    try Measured(Self.carrier, arguments(task, url, target), temporaryFolder: place))
                try remove(target, in: place)
            }
        }
        let base = runs[.urlSession] ?? []
        return [Task.urlSession, .downloadURLSession].map { task in
            row("download", task == .urlSession ? "URLSession.download" : "AsyncNet/URLSession", runs[task] ?? [], base)
        }
    }

    private func show(_ rows: [Row]) {
        TextTable<Row> {
            [
                Column("transfer" <- $0.transfer), Column("client" <- $0.client),
                Column("MiB/s" <- $0.mebibytesPerSecond.formatted(0), align: .right),
                Column("× first" <- $0.ratio.formatted(2), align: .right),
                Column("whole" <- $0.wholeRatio.formatted(2), align: .right),
                Column("peak MiB" <- $0.peakMiB.formatted(0), align: .right),
            ]
        }.print(rows, style: Style.psql)
    }
}

/// A process that ran: how long, with how much memory.
struct Measured {
    let seconds: Double
    let peakMiB: Double
    let output: String
    /// Without the start of the process, if that is what it printed.
    var transferSeconds: Double { Double(output) ?? seconds }

    /// GNU time tells the peak, which for a shell's child nobody else does.
    init(_ program: String, _ arguments: [String], temporaryFolder: URL? = nil) throws {
        let process = Process()
        let hasEnded = DispatchSemaphore(value: 0)
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/time")
        process.arguments = ["-f", "%e %M", program] + arguments
        (process.standardOutput, process.standardError) = (output, errors)
        if let temporaryFolder {
            process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": temporaryFolder.path]) { $1 }
        }
        process.terminationHandler = { _ in hasEnded.signal() }
        let start = ContinuousClock.now
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let report = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        hasEnded.wait()
        seconds = (ContinuousClock.now - start) / .seconds(1)
        guard process.terminationStatus == 0, let last = report.split(separator: "\n").last?.split(separator: " "),
            last.count == 2,
            let kibibytes = Double(last[1])
        else { throw ValidationError("\(program) failed: \(report)") }
        peakMiB = kibibytes / 1024
        self.output = text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

import AsyncNet
import Foundation

/// Prints the network path, and a line for each change of it, until it is interrupted.
///
/// With `--get URL [SECONDS]` it makes five requests instead, which wait for the network if it is not there, each time
/// so many seconds at most.
@main
struct Netwatch {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3, arguments[1] == "--get" else {
            guard arguments.count == 1 else { return exit("netwatch | netwatch --get URL [SECONDS]", status: 2) }
            return await watch()
        }
        let seconds = arguments.count > 3 ? Int64(arguments[3]) : 30
        guard let seconds, arguments.count <= 4 else {
            return exit("netwatch | netwatch --get URL [SECONDS]", status: 2)
        }
        if await !Fetching(url: arguments[2], timeout: .seconds(seconds)).succeeds() { Foundation.exit(1) }
    }

    private static func watch() async {
        for await path in NetworkMonitor.shared.paths { write(line(path)) }
    }

    /// Not print, which keeps lines to itself where the output is no terminal.
    static func write(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    private static func exit(_ text: String, status: Int32) {
        write(text)
        Foundation.exit(status)
    }

    private static func line(_ path: NetworkPath) -> String {
        let routes = (path.hasIPv4 ? " IPv4" : "") + (path.hasIPv6 ? " IPv6" : "")
        let interfaces = path.interfaces.map {
            "\($0.name) (\($0.kind), \($0.isUp ? "up" : "down")) \($0.addresses.joined(separator: " "))"
        }
        return "\(path.status), default routes:\(routes.isEmpty ? " none" : routes); "
            + interfaces.joined(separator: "; ")
    }
}

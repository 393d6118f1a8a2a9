import AsyncNet
import Foundation

/// Prints the network path, and a line for each change of it, until it is interrupted.
@main
struct Netwatch {
    static func main() async {
        for await path in NetworkMonitor.shared.paths {
            // Not print, which keeps lines to itself where the output is no terminal.
            FileHandle.standardOutput.write(Data((line(path) + "\n").utf8))
        }
    }

    private static func line(_ path: NetworkPath) -> String {
        let routes = (path.hasIPv4 ? " IPv4" : "") + (path.hasIPv6 ? " IPv6" : "")
        let interfaces = path.interfaces.map { "\($0.name) (\($0.kind), \($0.isUp ? "up" : "down")) \($0.addresses.joined(separator: " "))" }
        return "\(path.status), default routes:\(routes.isEmpty ? " none" : routes); " + interfaces.joined(separator: "; ")
    }
}

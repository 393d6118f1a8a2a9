import ArgumentParser
import AsyncNet
import Foundation

/// Connections in both directions: standard input goes to the peer, what it sends to standard output.
struct DuplexOptions: ParsableArguments {
    @Flag(
        help:
            "Opens a WebSocket (ws, wss, http or https): each line of standard input is a text message, each message received a line."
    )
    var ws = false

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("With --ws: repeatable; a subprotocol, the preferred one first.", valueName: "NAME"))
    var subprotocol: [String] = []

    @Option(
        help: ArgumentHelp(
            "With --ws: sends a ping this often, ends after two without a pong; -v shows the round trip.",
            valueName: "SECONDS"))
    var ping: Double?

    @Flag(help: "With --ws: each piece of standard input is a binary message.")
    var binary = false

    @Option(
        help: ArgumentHelp(
            "Opens a connection without HTTP: standard input to it, its bytes to standard output.",
            valueName: "HOST:PORT"))
    var connect: HostAndPort?

    @Flag(help: "With --connect: TLS.")
    var tls = false

    @Option(
        help: ArgumentHelp(
            "How long nothing may arrive after the end of standard input before the connection is closed; by default 1, and 0 for --connect without TLS, which then ends one direction only.",
            valueName: "SECONDS"))
    var linger: Double?

    func validate() throws {
        if ws, connect != nil { throw ValidationError("--ws and --connect exclude each other") }
        for (name, isGiven) in [("--subprotocol", !subprotocol.isEmpty), ("--ping", ping != nil), ("--binary", binary)]
        where isGiven && !ws {
            throw ValidationError("\(name) needs --ws")
        }
        if tls, connect == nil { throw ValidationError("--tls needs --connect") }
        if linger != nil, !isGiven { throw ValidationError("--linger needs --ws or --connect") }
        if let ping, !(ping > 0 && ping <= 1e9) { throw ValidationError("--ping needs seconds above 0") }
        if let linger, !(linger >= 0 && linger <= 1e9) { throw ValidationError("--linger needs seconds from 0") }
    }

    var isGiven: Bool { ws || connect != nil }

    /// How long nothing may arrive after the end of standard input.
    var quiet: Duration { .seconds(linger ?? 1) }

    /// - Throws: an error for options that mean nothing for a connection without a response.
    func check(_ options: [(String, Bool)], _ transport: TransportChoice) throws {
        guard isGiven else { return }
        let name = ws ? "--ws" : "--connect"
        if transport == .urlsession || transport == .libcurl {
            throw ValidationError("\(name) needs the transport sockets")
        }
        guard let other = options.first(where: \.1)?.0 else { return }
        throw ValidationError("\(name) and \(other) exclude each other")
    }
}

/// `host:port`, an IPv6 address in brackets.
struct HostAndPort: ExpressibleByArgument {
    let host: String
    let port: Int

    init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":"), let port = UInt16(argument[argument.index(after: colon)...]),
            port > 0
        else { return nil }
        let name = argument[..<colon]
        let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
        guard !name.isEmpty, isBracketed || !name.contains(":") else { return nil }
        host = isBracketed ? String(name.dropFirst().dropLast()) : String(name)
        self.port = Int(port)
    }
}

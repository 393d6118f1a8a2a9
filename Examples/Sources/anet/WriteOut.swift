import AsyncNet
import Foundation

/// `--write-out`: a text with curl's variables.
struct WriteOut: Sendable {
    private enum Piece {
        case text(String)
        case variable(String)
        /// `%header{name}`
        case header(String)
    }

    private let pieces: [Piece]

    init(_ format: String) {
        var pieces: [Piece] = []
        var rest = format[...]
        while !rest.isEmpty { pieces.append(Self.take(&rest)) }
        self.pieces = pieces
    }

    /// A variable that anet does not know.
    var unknown: String? {
        pieces.lazy.compactMap { if case .variable(let name) = $0 { name } else { nil } }
            .first { !Self.orders.contains($0) && Self.values[$0] == nil }
    }

    private static let orders: Set<String> = ["stdout", "stderr", "onerror"]

    private static func take(_ rest: inout Substring) -> Piece {
        if rest.hasPrefix("%%") {
            rest = rest.dropFirst(2)
            return .text("%")
        }
        if let name = braced(&rest, after: "%{") { return .variable(name) }
        if let name = braced(&rest, after: "%header{") { return .header(name) }
        if rest.first == "\\", let escape = rest.dropFirst().first,
            let text = ["n": "\n", "r": "\r", "t": "\t"][escape]
        {
            rest = rest.dropFirst(2)
            return .text(text)
        }
        let text = rest.prefix(1) + rest.dropFirst().prefix { $0 != "%" && $0 != "\\" }
        rest = rest.dropFirst(text.count)
        return .text(String(text))
    }

    private static func braced(_ rest: inout Substring, after opening: String) -> String? {
        guard rest.hasPrefix(opening), let end = rest.firstIndex(of: "}") else { return nil }
        defer { rest = rest[rest.index(after: end)...] }
        return String(rest[..<end].dropFirst(opening.count))
    }

    /// What goes to standard output and to standard error.
    func texts(of outcome: Outcome) -> (output: String, error: String) {
        var texts = (output: "", error: "")
        var isError = false
        for piece in pieces {
            if case .variable("onerror") = piece, outcome.failure == nil { break }
            if case .variable(let name) = piece, name.hasPrefix("std") { isError = name == "stderr" }
            let text = Self.text(piece, outcome)
            if isError { texts.error += text } else { texts.output += text }
        }
        return texts
    }

    private static func text(_ piece: Piece, _ outcome: Outcome) -> String {
        switch piece {
        case .text(let text): text
        case .variable(let name): values[name]?(outcome) ?? ""
        case .header(let name): outcome.head?.headers.values(for: name).first ?? ""
        }
    }

    // MARK: Variables

    private static let values: [String: @Sendable (Outcome) -> String] = [
        "http_code": status, "response_code": status,
        "url": { $0.call.text }, "url_effective": { effectiveURL($0) }, "urlnum": { "\($0.call.number)" },
        "method": { $0.method }, "scheme": { effectiveURL($0).prefix { $0 != ":" }.uppercased() },
        "http_version": { $0.metrics.httpVersion.map { String($0.dropFirst(5)) } ?? "0" },
        "content_type": { $0.head?.value(for: "Content-Type") ?? "" },
        "redirect_url": { redirectURL($0) },
        "num_redirects": { "\($0.metrics.redirects.count)" },
        "num_connects": { "\(hops($0).count { $0.isConnectionReused == false })" },
        "num_headers": { "\($0.head?.headers.count ?? 0)" },
        "remote_ip": { $0.metrics.remoteAddress ?? "" },
        "filename_effective": { $0.file ?? "" },
        "exitcode": { "\($0.failure?.status ?? 0)" }, "errormsg": { $0.failure?.reason ?? "" },
        "header_json": { headers($0) },
        "size_download": { "\(downloaded($0))" }, "size_upload": { "\(uploaded($0))" },
        "size_header": { "\($0.heads.reduce(0) { $0 + $1.lines.utf8.count })" },
        "size_request": { "\(hops($0).reduce(0) { $0 + ($1.wireBytes?.sentHead ?? 0) })" },
        "speed_download": { rate(downloaded($0), $0) }, "speed_upload": { rate(uploaded($0), $0) },
        "time_total": { seconds($0.metrics.total) },
        "time_namelookup": { seconds(sum($0, \.nameLookup)) },
        "time_connect": { seconds(sum($0, \.connect)) },
        "time_appconnect": { seconds(sum($0, \.tlsHandshake)) },
        "time_pretransfer": { seconds(sum($0) { max($0.connect, $0.tlsHandshake) }) },
        "time_starttransfer": { seconds(sum($0, \.firstByte)) },
        "time_redirect": { seconds(redirecting($0)) },
    ]

    @Sendable private static func status(_ outcome: Outcome) -> String {
        String(format: "%03d", outcome.head?.statusCode ?? 0)
    }

    private static func effectiveURL(_ outcome: Outcome) -> String {
        let text =
            outcome.head?.url.absoluteString ?? outcome.metrics.redirects.last?.absoluteString ?? outcome.call.text
        guard let authority = text.range(of: "://")?.upperBound,
            !text[authority...].contains(where: { "/?#".contains($0) })
        else { return text }
        return "\(text)/"
    }

    private static func redirectURL(_ outcome: Outcome) -> String {
        guard let head = outcome.head, 300..<400 ~= head.statusCode, let location = head.value(for: "Location")
        else { return "" }
        return URL(string: location, relativeTo: head.url)?.absoluteString ?? location
    }

    private static func headers(_ outcome: Outcome) -> String {
        guard let head = outcome.head else { return "{}" }
        var names: [String] = []
        for name in head.headers.map({ $0.name.lowercased() }) where !names.contains(name) { names.append(name) }
        let lines = names.map { "\(JSON($0)):\(JSON(head.headers.values(for: $0).map { JSON($0) }))" }
        return "{\(lines.joined(separator: ",\n"))\n}"
    }

    private static func downloaded(_ outcome: Outcome) -> Int64 {
        outcome.metrics.wireBytes?.receivedBody ?? outcome.metrics.receivedBytes
    }

    private static func uploaded(_ outcome: Outcome) -> Int64 {
        outcome.metrics.wireBytes?.sentBody ?? outcome.metrics.sentBytes
    }

    private static func rate(_ bytes: Int64, _ outcome: Outcome) -> String {
        let seconds = outcome.metrics.total / .seconds(1)
        return seconds > 0 ? String(format: "%.0f", Double(bytes) / seconds) : "0"
    }

    /// All but the last hop.
    private static func redirecting(_ outcome: Outcome) -> Duration {
        guard !outcome.metrics.redirects.isEmpty, let last = outcome.metrics.timings?.total else { return .zero }
        return max(.zero, outcome.metrics.total - last)
    }

    /// The hops of the last attempt, whose numbers are added together, as curl does.
    private static func hops(_ outcome: Outcome) -> [TransportMetrics] {
        let hops = outcome.metrics.hops
        return hops.filter { $0.attempt == hops.last?.attempt }.map(\.transport)
    }

    private static func sum(_ outcome: Outcome, _ part: (TransferTimings) -> Duration) -> Duration {
        hops(outcome).compactMap(\.timings).reduce(.zero) { $0 + part($1) }
    }

    private static func seconds(_ duration: Duration) -> String { String(format: "%.6f", duration / .seconds(1)) }
}

import AsyncNet
import Foundation

/// One request as the client sends it: drawn from the sequence's seed and its own number.
struct Plan: Sendable {
    enum Reading {
        case data
        case chunks(breakingAfter: Int?)
        case events(reconnects: Bool)
        case download(segments: Int)
    }
    enum Body {
        case none
        case small(Int)
        case large(Int)
        case stream(Int)
    }
    enum Route: Hashable { case direct, priorKnowledge, proxy, tunnel, socks }

    let id: StepID
    let route: Route
    let url: String
    let method: HTTPMethod
    let body: Body
    let reading: Reading
    let headers: HTTPHeaders
    let retries: Bool
    let authenticates: Bool
    /// Nothing is cancelled if `nil`.
    let cancelledAfter: Duration?

    init(_ sequence: UInt64, _ number: Int, _ kinds: [Kind], _ world: World) {
        // Apart from the replies', which are drawn from the same numbers.
        var random = Randomness(seed: sequence ^ 0xC11E_47, number)
        let kind = random.pick(kinds.flatMap { kind in Array(repeating: kind, count: kind.weight) })
        id = StepID(sequence: sequence, number: number, kind: kind)
        (route, url) = Self.address(id, world, &random)
        reading = Self.reading(kind, &random)
        (method, body) = Self.content(
            &random, isDownload: { if case .download = $0 { true } else { false } }(reading))
        headers = Self.headers(id, &random)
        retries = random.chance(0.08)
        authenticates = kind == .challenges && random.chance(0.6)
        cancelledAfter = random.chance(0.08) ? .microseconds(random.size(upTo: 20_000)) : nil
    }

    private static func address(_ id: StepID, _ world: World, _ random: inout Randomness) -> (Route, String) {
        let host = "http://127.0.0.1:"
        switch id.kind {
        case .http2: return (.priorKnowledge, "\(host)\(world.http2Port)\(id.path)")
        case .handshakes: return (.direct, "https://127.0.0.1:\(world.handshakePort)\(id.path)")
        case .https: return (.direct, "https://127.0.0.1:\(world.secure?.port ?? 1)\(id.path)")
        case .flips: return (.direct, "https://127.0.0.1:\(world.flipPort)\(id.path)")
        case .tunnels:
            if random.chance(0.3) { return (.tunnel, "\(host)\(world.plain.port)\(id.path)") }
            let name = random.chance(0.7) ? "n\(id.number)-s\(id.sequence)" : "shared"
            return (.proxy, "https://\(name).fuzz.test\(id.path)")
        case .proxied: return (.proxy, "\(host)\(world.plain.port)\(id.path)")
        case .socks:
            let name =
                random.chance(0.2) ? String(repeating: "a", count: random.size(upTo: 2000)) + "x.test" : "a.fuzz.test"
            return (.socks, "http://\(name)\(id.path)")
        default: return (.direct, "\(host)\(world.plain.port)\(id.path)")
        }
    }

    private static func reading(_ kind: Kind, _ random: inout Randomness) -> Reading {
        if kind == .events || random.chance(0.03) { return .events(reconnects: random.chance(0.15)) }
        if kind == .ranges, random.chance(0.8) { return .download(segments: random.pick([1, 1, 1, 3])) }
        switch random.number(0...9) {
        case 0: return .download(segments: 1)
        case 1, 2: return .chunks(breakingAfter: random.chance(0.4) ? random.number(0...3) : nil)
        default: return .data
        }
    }

    private static func content(_ random: inout Randomness, isDownload: Bool) -> (HTTPMethod, Body) {
        guard !isDownload else { return (.get, .none) }
        switch random.number(0...11) {
        case 0: return (.head, .none)
        case 1: return (.post, .small(random.size(upTo: 2000)))
        case 2: return (.put, .large(20_000 + random.size(upTo: 200_000)))
        case 3: return (.post, .stream(random.size(upTo: 100_000)))
        case 4: return (random.pick([.delete, .patch, .options, .put, .post]), .none)
        default: return (.get, .none)
        }
    }

    private static func headers(_ id: StepID, _ random: inout Randomness) -> HTTPHeaders {
        var headers: HTTPHeaders = id.kind == .http2 ? ["x-step": id.letters] : [:]
        if random.chance(0.03) { headers["Expect"] = "100-continue" }
        if random.chance(0.05) { headers["Range"] = "bytes=5-" }
        if random.chance(0.05) { headers["X-Long"] = random.word(random.size(upTo: 10_000)) }
        return headers
    }
}

import AsyncNet

/// The origins that offer HTTP/3 by `Alt-Svc` (RFC 7838), and whether their offers work.
///
/// A struct without I/O: the caller passes the time.
///
/// An offer is tried with one request; meanwhile all other requests use HTTP/2 or HTTP/1.1. Once a response over HTTP/3
/// has arrived, all requests use HTTP/3. An offer that fails is put aside: for five minutes, twice as long after each
/// further failure, at most for a day.
///
/// Only the origin's own host counts, on any port: a server could otherwise make its clients send packets to any host.
struct AlternativeServices {
    typealias Instant = ContinuousClock.Instant

    /// The host and port of an `https` URL.
    struct Origin: Hashable {
        /// In lower case; an IPv6 address without brackets.
        let host: String
        let port: Int
    }

    /// How a request reaches its origin.
    enum Route: Equatable {
        /// Over HTTP/2 or HTTP/1.1: the origin has no valid offer, its offer is put aside, or another request is trying
        /// it.
        case origin
        /// On a new connection, over HTTP/3 or HTTP/2, whichever connects first: the trial of an offer on the origin's
        /// own port.
        case race
        /// Over HTTP/3 only, to this port.
        case http3(port: Int, isTrial: Bool)
    }

    private struct Offer {
        var port: Int
        var expiry: Instant
        var trial = Trial.untried
        /// How many trials have failed in a row.
        var failures = 0
        var asideUntil: Instant?
        /// The number of responses over HTTP/3.
        var responses = 0
    }

    private enum Trial { case untried, running, passed }

    static let firstPause = Duration.seconds(300)
    static let longestPause = Duration.seconds(86_400)
    /// How many origins are remembered at most.
    static let capacity = 1000
    private var offers: [Origin: Offer] = [:]

    var count: Int { offers.count }

    /// The route of the next request to an origin.
    ///
    /// - Parameter mayTry: Whether this request may try an offer.
    mutating func route(to origin: Origin, at now: Instant, mayTry: Bool = true) -> Route {
        guard let offer = offers[origin] else { return .origin }
        guard now < offer.expiry else {
            offers[origin] = nil
            return .origin
        }
        if let end = offer.asideUntil, now < end { return .origin }
        switch offer.trial {
        case .passed: return .http3(port: offer.port, isTrial: false)
        case .running: return .origin
        case .untried:
            guard mayTry else { return .origin }
            offers[origin]?.trial = .running
            return offer.port == origin.port ? .race : .http3(port: offer.port, isTrial: true)
        }
    }

    /// Stores the offers of a response from the origin over TLS, which replace earlier offers (RFC 7838 §3.1).
    ///
    /// - Parameter age: The response's age in seconds, which counts against the lifetime.
    mutating func receive(_ field: AltSvc, from origin: Origin, age: Int64 = 0, at now: Instant) {
        guard case .services(let services) = field, let service = services.first(where: { Self.is($0, for: origin) }),
            service.maximumAge > max(0, age)
        else { return offers[origin] = nil }
        let expiry = now + .seconds(service.maximumAge - max(0, age))
        if offers[origin]?.port == service.port {
            offers[origin]?.expiry = expiry
        } else {
            makeRoom(at: now)
            offers[origin] = Offer(port: service.port, expiry: expiry)
        }
    }

    private static func `is`(_ service: AltSvc.Service, for origin: Origin) -> Bool {
        guard service.protocolID == "h3" else { return false }
        return service.host.isEmpty || CookieMatching.canonicalHost(service.host).hasSameBytes(as: origin.host)
    }

    /// Stores that a response has arrived over HTTP/3.
    mutating func succeeded(_ origin: Origin) {
        offers[origin]?.trial = .passed
        offers[origin]?.failures = 0
        offers[origin]?.asideUntil = nil
        offers[origin]?.responses += 1
    }

    /// Puts the origin's offer aside: its server could not be connected to, or does not respond (RFC 7838 §2.4).
    mutating func failed(_ origin: Origin, at now: Instant) {
        guard let offer = offers[origin] else { return }
        // Several requests that failed together are one failure.
        guard offer.asideUntil.map({ $0 <= now }) ?? true else { return }
        let pause = min(Self.firstPause * (1 << min(offer.failures, 20)), Self.longestPause)
        offers[origin]?.asideUntil = now + pause
        offers[origin]?.failures += 1
        offers[origin]?.trial = .untried
    }

    /// Stores that a trial ended without a result, so that another request tries the offer.
    mutating func abandonedTrial(_ origin: Origin) {
        if offers[origin]?.trial == .running { offers[origin]?.trial = .untried }
    }

    /// Forgets the origin's offer, such as after a 421 (RFC 7838 §6), or only an offer on another port than its own.
    mutating func remove(_ origin: Origin, unlessOnOwnPort isSelective: Bool = false) {
        if !isSelective || offers[origin]?.port != origin.port { offers[origin] = nil }
    }

    /// The number of responses over HTTP/3 so far: if it grows while a request waits, the request's response is only
    /// slow.
    func responses(from origin: Origin) -> Int { offers[origin]?.responses ?? 0 }

    /// Removes the offers that have expired and, if that is not enough, the one that expires first.
    private mutating func makeRoom(at now: Instant) {
        guard offers.count >= Self.capacity else { return }
        offers = offers.filter { now < $0.value.expiry }
        guard offers.count >= Self.capacity else { return }
        if let first = offers.min(by: { $0.value.expiry < $1.value.expiry }) { offers[first.key] = nil }
    }
}

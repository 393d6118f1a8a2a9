import AsyncNet
import Foundation

/// What a transport remembers of the `Alt-Svc` fields that it received, shared by its loops.
final class HTTP3Offers: Sendable {
    private let services = Locked(AlternativeServices())
    private let hasAddresses: Bool

    /// Fails if the transport cannot use offers: for HTTP versions other than `.automatic`, without HTTP/3 in libcurl,
    /// through a proxy and through a unix socket.
    init?(_ configuration: LibcurlTransport.Configuration, _ version: Libcurl.Version) {
        guard configuration.httpVersion == .automatic, version.hasHTTP3, !configuration.isIndirect else { return nil }
        hasAddresses = !configuration.addresses.isEmpty
    }

    /// The offer that a request to an `https` URL uses; `nil` if it uses none.
    ///
    /// - Parameter mayTry: Whether the request may try an offer that has not been tried.
    func use(for url: URL, mayTry: Bool) -> HTTP3Use? {
        services.withLock { services in
            guard services.count > 0, let origin = AlternativeServices.Origin(url) else { return nil }
            let route = services.route(to: origin, at: .now, mayTry: mayTry)
            guard route != .origin else { return nil }
            return HTTP3Use(origin: origin, route: route, responses: services.responses(from: origin))
        }
    }

    /// Stores the `Alt-Svc` of a response from an `https` URL.
    func receive(_ head: HTTPResponseHead, from url: URL) {
        let values = head.headers.values(for: "Alt-Svc")
        guard !values.isEmpty, head.statusCode != 421, let origin = AlternativeServices.Origin(url) else { return }
        let age = head.headers["Age"].flatMap(AltSvc.seconds) ?? 0
        services.withLock { services in
            services.receive(AltSvc(values), from: origin, age: age, at: .now)
            // A configured address is for one host and port: an offer on another port would bypass the address.
            if hasAddresses { services.remove(origin, unlessOnOwnPort: true) }
        }
    }

    /// Stores over which HTTP version the response to a request that used an offer arrived.
    func responded(_ use: HTTP3Use, _ head: HTTPResponseHead) {
        services.withLock { services in
            if head.httpVersion != "HTTP/3" {
                services.failed(use.origin, at: .now)
            } else if head.statusCode == 421 {
                services.remove(use.origin)
            } else {
                services.succeeded(use.origin)
            }
        }
    }

    func failed(_ use: HTTP3Use) { services.withLock { $0.failed(use.origin, at: .now) } }

    /// Stores that a request ended without a response. If the request waited for `silence`, and no other response over
    /// HTTP/3 has arrived meanwhile, the offer counts as failed: packets are lost on the way.
    func ended(_ use: HTTP3Use) {
        services.withLock { services in
            let isSilent = use.start.duration(to: .now) >= HTTP3Use.silence
            if isSilent, services.responses(from: use.origin) == use.responses {
                services.failed(use.origin, at: .now)
            } else if use.isTrial {
                services.abandonedTrial(use.origin)
            }
        }
    }
}

/// The use of an HTTP/3 offer by one transfer.
struct HTTP3Use {
    let origin: AlternativeServices.Origin
    let route: AlternativeServices.Route
    /// How many responses over HTTP/3 had arrived from the origin before this transfer began.
    let responses: Int
    let start = ContinuousClock.now
    /// Whether the request was sent.
    var isSent = false

    /// How long connecting to the offer may take before the transfer starts again without it: enough for a handshake of
    /// one round trip, with one packet lost.
    static let connectTimeout = Duration.seconds(2)
    /// How long a request must have waited for a response so that its end counts against the offer.
    static let silence = Duration.seconds(1)

    var isTrial: Bool {
        switch route {
        case .origin: false
        case .race: true
        case .http3(_, let isTrial): isTrial
        }
    }

    /// The host and port that the request is sent to (RFC 7838 §5); `nil` in a race, whose winner is not known.
    var alternative: String? {
        guard case .http3(let port, _) = route else { return nil }
        let host = origin.host.utf8.contains(0x3A) ? "[\(origin.host.withoutZone)]" : origin.host
        return port == 443 ? host : "\(host):\(port)"
    }

    /// The port, if the offer is on another port than the origin's.
    var otherPort: Int? {
        if case .http3(let port, _) = route, port != origin.port { port } else { nil }
    }
}

extension AlternativeServices.Origin {
    /// `nil` if the URL has no host.
    init?(_ url: URL) {
        guard let host = url.host(percentEncoded: true), !host.isEmpty else { return nil }
        self.init(host: CookieMatching.canonicalHost(host), port: url.port ?? 443)
    }
}

extension LibcurlTransport.Configuration {
    /// Whether connections are made to a proxy or a unix socket, which HTTP/3 cannot be sent through.
    fileprivate var isIndirect: Bool {
        unixSocket != nil || proxy.mayBeUsed(isTLS: true)
    }
}

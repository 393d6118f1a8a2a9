/// How slow a network is, for a ``ShapedTransport`` and a ``MockServer``.
///
///     let transport = ShapedTransport(.slow3G, over: stub)
///     let server = try await MockServer.start(profile: NetworkProfile(latency: .milliseconds(200)))
///
/// All transfers of one transport, or one server, share its bandwidth. Two runs that send the same requests in the same
/// order get the same latencies and the same losses; another ``seed`` gives others.
public struct NetworkProfile: Hashable, Sendable {
    /// The time from the end of the request to the response's head, in addition to the server's own. Below 0 is 0.
    ///
    /// Name lookup, connecting and TLS take no time of their own: this latency includes them, as in a browser's
    /// developer tools.
    public var latency: Duration
    /// Each request's latency is longer by a random time of at most this. Below 0 counts as 0.
    public var jitter: Duration
    /// The bytes of responses' bodies per second; `nil` means no limit. Below 1 counts as 1.
    public var download: Int?
    /// The bytes of requests' bodies per second; `nil` means no limit. Below 1 counts as 1.
    public var upload: Int?
    /// The share of requests, from 0 to 1, whose connection is reset in place of the response.
    public var loss: Double
    /// Whether there is no network: each request ends with `.cannotConnect`.
    public var isOffline: Bool
    /// The seed of the random numbers for jitter and loss.
    public var seed: UInt64

    /// Creates a profile; without arguments, of a network that delays and limits nothing.
    ///
    /// - Parameters:
    ///   - latency: The time from the end of the request to the response's head.
    ///   - jitter: The most that is added to the latency.
    ///   - download: Bytes of responses' bodies per second; `nil` means no limit.
    ///   - upload: Bytes of requests' bodies per second; `nil` means no limit.
    ///   - loss: The share of requests, from 0 to 1, whose connection is reset.
    ///   - seed: The seed of the random numbers for jitter and loss.
    public init(
        latency: Duration = .zero, jitter: Duration = .zero, download: Int? = nil, upload: Int? = nil,
        loss: Double = 0, seed: UInt64 = 0
    ) {
        (self.latency, self.jitter, self.loss, self.seed) = (latency, jitter, loss, seed)
        (self.download, self.upload, isOffline) = (download, upload, false)
    }

    /// The time of one exchange that has the network to itself, without jitter and without the server's time.
    ///
    /// - Parameters:
    ///   - sending: The bytes of the request's body.
    ///   - receiving: The bytes of the response's body.
    public func duration(sending: Int = 0, receiving: Int = 0) -> Duration {
        max(.zero, latency) + LinkSchedule.duration(of: sending, at: upload)
            + LinkSchedule.duration(of: receiving, at: download)
    }
}

extension NetworkProfile {
    /// 50,000 bytes per second each way, 2 seconds of latency: Chrome's "Slow 3G", now "3G".
    ///
    /// The figures of `Slow3GConditions` in `front_end/core/sdk/NetworkManager.ts` of Chrome's developer tools: 80 % of
    /// 500 kbit/s, five round trips of 400 ms.
    public static let slow3G = NetworkProfile(latency: .seconds(2), download: 50_000, upload: 50_000)

    /// 180,000 bytes per second down, 84,375 up, 562.5 milliseconds of latency: Chrome's "Fast 3G", now "Slow 4G".
    ///
    /// The figures of `Slow4GConditions` in the same file as those of ``slow3G``: 90 % of 1.6 Mbit/s and 750 kbit/s,
    /// 3.75 round trips of 150 ms.
    public static let fast3G = NetworkProfile(latency: .microseconds(562_500), download: 180_000, upload: 84_375)

    /// 1,012,500 bytes per second down, 168,750 up, 165 milliseconds of latency: Chrome's "Fast 4G".
    ///
    /// The figures of `Fast4GConditions` in the same file as those of ``slow3G``: 90 % of 9 Mbit/s and 1.5 Mbit/s, 2.75
    /// round trips of 60 ms.
    public static let fast4G = NetworkProfile(latency: .milliseconds(165), download: 1_012_500, upload: 168_750)

    /// 500,000 bytes per second down, 375,000 up, 20 milliseconds of latency: Firefox's "Regular 4G / LTE".
    ///
    /// From the throttling profiles of Firefox's developer tools: 4 Mbit/s and 3 Mbit/s.
    public static let regular4G = NetworkProfile(latency: .milliseconds(20), download: 500_000, upload: 375_000)

    /// 250,000 bytes per second down, 125,000 up, 5 milliseconds of latency: Firefox's "DSL".
    ///
    /// From the throttling profiles of Firefox's developer tools: 2 Mbit/s and 1 Mbit/s.
    public static let dsl = NetworkProfile(latency: .milliseconds(5), download: 250_000, upload: 125_000)

    /// No network: each request ends with `.cannotConnect`, and a server refuses every connection.
    public static let offline: NetworkProfile = {
        var profile = NetworkProfile()
        profile.isOffline = true
        return profile
    }()
}

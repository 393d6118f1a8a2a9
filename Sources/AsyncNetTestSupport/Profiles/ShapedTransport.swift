public import AsyncNet

/// A transport whose transfers are as slow as a network: latency, bandwidth both ways, and connections that are lost.
///
///     let clock = TestClock()
///     let transport = ShapedTransport(.slow3G, over: StubTransport { _ in .data(Data(count: 100_000)) })
///     let session = Session(transport: transport, configuration: .init(clock: clock))
///     let data = try await clock.run { try await session.request(url).serializing(Data.self).value }
///     #expect(clock.now.offset == NetworkProfile.slow3G.duration(receiving: 100_000))
///
/// It wraps any transport: a ``StubTransport``, a replay, or one with sockets, whose own time is added. All transfers
/// share the bandwidth in turns of 50 milliseconds. The bytes of bodies count after the wrapped transport has decoded
/// their content coding; heads and trailers do not count. A response body is taken no faster than it is read.
///
/// A request body that the profile limits is sent as a stream of the same length. A transfer that is lost ends with
/// `.connectionLost` after its latency; the server may have received its request.
public final class ShapedTransport: Transport {
    private struct State {
        var count = 0
        /// The links by their session's ``TestClock``; `nil` is the key of the link that uses another clock.
        var links: [ObjectIdentifier?: ShapedLink] = [:]
    }

    private let profile: NetworkProfile
    private let base: any Transport
    private let clock: (any Clock<Duration>)?
    private let state = Locked(State())

    /// Creates a transport that slows another one down.
    ///
    /// - Parameters:
    ///   - profile: How slow the network is.
    ///   - transport: Carries the transfers.
    ///   - clock: The clock of all delays. With `nil`, the default, that is the session's clock if it is a
    ///     ``TestClock``, else real time.
    public init(
        _ profile: NetworkProfile, over transport: any Transport = .automatic, clock: (any Clock<Duration>)? = nil
    ) {
        (self.profile, base, self.clock) = (profile, transport, clock)
    }

    /// How the slowed transport makes sure of the server.
    public func trust(for request: HTTPRequestHead) -> ResponseTrust { base.trust(for: request) }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        if profile.isOffline { throw AsyncNetError(.cannotConnect, "The network profile is offline") }
        let chance = ExchangeChance(profile, number: nextNumber())
        let shaper = Shaper(link: link(for: request.supervision), supervision: request.supervision, clock: clock)
        var response = try await sendToBase(shaped(request, shaper))
        try await shaper.sleep(chance.latency)
        if chance.isLost { throw AsyncNetError(.connectionLost, "The network profile lost the connection") }
        if profile.download != nil { response.body = TransportBody(ShapedChunks(response.body, shaper, .download)) }
        return response
    }

    public func shutdown() async { await base.shutdown() }

    /// Whether the slowed transport connects only to addresses that the request allows.
    public var judgesAddresses: Bool { base.judgesAddresses }
    /// Names the slowed transport.
    public var transportDescription: String { base.transportDescription + " at the speed of a profile" }

    private func nextNumber() -> Int {
        state.withLock { state in
            state.count += 1
            return state.count
        }
    }

    private func link(for supervision: SupervisedTransfer?) -> ShapedLink {
        let testClock = clock == nil ? supervision.map(\.clock) as? TestClock : nil
        return state.withLock { state in
            let key = testClock.map { ObjectIdentifier($0) }
            if let link = state.links[key] { return link }
            let used: any Clock<Duration> = testClock ?? clock ?? ContinuousClock()
            let link = makeLink(used)
            state.links[key] = link
            return link
        }
    }

    private func makeLink(_ clock: some Clock<Duration>) -> ShapedLink { ShapedLink(profile, clock) }

    private func shaped(_ request: TransportRequest, _ shaper: Shaper) -> TransportRequest {
        var request = request
        // The head must come before the whole body, which the profile then delays.
        request.delivery = .asItArrives
        guard profile.upload != nil, !request.body.isNone else { return request }
        let (body, length) = (request.body, request.body.length)
        switch body.replay {
        case .once: request.body = .stream(ShapedChunks(body.chunks, shaper, .upload), length: length)
        case .repeatable:
            request.body = .stream(length: length) { ShapedChunks(body.chunks, shaper, .upload) }
        }
        return request
    }

    private func sendToBase(_ request: TransportRequest) async throws -> TransportResponse {
        do {
            return try await base.send(request)
        } catch let error as AsyncNetError where error.code == .bodyStreamFailed {
            // The body was made a stream only here: its own error, such as that of a file, is the right one.
            throw error.underlyingError as? AsyncNetError ?? error
        }
    }
}

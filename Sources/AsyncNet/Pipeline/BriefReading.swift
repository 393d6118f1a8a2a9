import Foundation

/// Reads at most the first 64 KiB, for at most one second, of the bodies of redirects, of challenges, and of responses
/// whose head a validator rejects. Such a body may break off or never end.
extension Attempt {
    private static let briefLength = 64 * 1024
    private static let briefTime = Duration.seconds(1)

    struct BriefReading: Sendable {
        var data = Data()
        var isWhole = false
        var error: (any Error)?
    }

    /// Reads a short body to its end, so that its connection can be used again; a connection with unread bytes is
    /// closed.
    func drain(_ response: TransportResponse, to method: HTTPMethod) async {
        let head = response.head
        let isShort = head.isBodyless(answering: method) || head.contentLength.map { $0 <= Self.briefLength } == true
        guard isShort, !response.body.isOver else { return }
        // Errors of this body are ignored: the next hop does not depend on it. A cancel is noticed before the next hop.
        _ = await readBriefly(response, isWaitingForFirst: false)
        run.watch.read()
    }

    /// - Parameter isWaitingForFirst: Whether the time limit begins with the first byte; until then the request's own
    ///   timeouts apply.
    func readBriefly(_ response: TransportResponse, isWaitingForFirst: Bool) async -> BriefReading {
        let (timers, limited, time) = (run.environment.timers, AttemptTask(), briefTime)
        defer { limited.end(timers) }
        let begin: @Sendable () -> Void = { [run] in
            run.watch.pause()
            limited.beginTime { limited in
                timers.schedule(at: timers.time.now + time) {
                    limited.fail(AsyncNetError(.timedOut))
                    return nil
                }
            }
        }
        if !isWaitingForFirst { begin() }
        let reading = try? await limited.run(on: timers.time.executor) { [self] in
            await read(response, onFirst: isWaitingForFirst ? begin : nil)
        }
        return reading ?? BriefReading()
    }

    private func read(_ response: TransportResponse, onFirst: (@Sendable () -> Void)?) async -> BriefReading {
        var reading = BriefReading()
        do {
            for try await chunk in response.body {
                if reading.data.isEmpty { onFirst?() }
                run.watch.tap(chunk)
                reading.data.append(chunk.prefix(Self.briefLength - reading.data.count))
                run.watch.received(ReceivedBytes(count: Int64(reading.data.count)), of: response.head)
                if reading.data.count == Self.briefLength {
                    reading.isWhole = response.head.contentLength == Int64(Self.briefLength)
                    return reading
                }
            }
            reading.isWhole = true
        } catch {
            reading.error = error
        }
        return reading
    }

    /// Shorter than the attempt's timeout and the deadline, whose errors would replace the validator's error.
    private var briefTime: Duration {
        min(
            Self.briefTime, run.policies.attemptTimeout.map { $0 / 4 } ?? .longestWait,
            run.remainingTime.map { $0 / 2 } ?? .longestWait)
    }
}

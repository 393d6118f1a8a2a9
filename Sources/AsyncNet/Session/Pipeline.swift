import Foundation
import Synchronization

/// What happens to a request between its start and its outcome: the list, in order.
///
///     assemble   URL, headers, body, from what the caller gave
///     redirect   follow 3xx responses, each hop a transfer of its own
///     transfer   over the transport, watched by the idle timer
///     validate   the request's validators, first refusal wins
///
/// One pipeline value lives for one request; it runs in the task that the request owns, on no actor.
struct Pipeline {
    private let session: Session
    private let request: DataRequest
    private let watch: TransferWatch

    init(session: Session, request: DataRequest) {
        self.session = session
        self.request = request
        watch = TransferWatch(request, time: session.timers.time)
    }

    func run() async -> TransferOutcome {
        var progress = Exchange()
        let error: AsyncNetError?
        do {
            progress.request = try assemble()
            try await transfer(&progress)
            error = nil
        } catch let caught {
            error = AsyncNetError(wrapping: caught, as: .transportFailed)
        }
        watch.end(&progress.metrics)
        let outcome = TransferOutcome(
            request: progress.request, head: progress.head, data: progress.data, metrics: progress.metrics)
        if let error { return outcome.failing(with: error) }
        return await validate(outcome)
    }

    /// What is known so far; kept when the transfer fails, so that the error can tell.
    private struct Exchange {
        var request: TransportRequest?
        var head: HTTPResponseHead?
        var data: Data?
        var metrics = RequestMetrics()
    }

    private func assemble() throws -> TransportRequest {
        do {
            return try request.blueprint.make()
        } catch {
            throw AsyncNetError(wrapping: error, as: .encodingFailed)
        }
    }

    private func transfer(_ exchange: inout Exchange) async throws {
        guard var next = exchange.request else { return }
        await request.holdBackIfSuspended()
        guard let attempt = await request.beginAttempt(next) else { throw AsyncNetError(.cancelled) }
        exchange.metrics.attempts = attempt
        let idle = IdleTimer(session.timers, timeout: request.blueprint.timeout ?? session.configuration.timeout) {
            timeOut()
            return
        }
        watch.idle.withLock { $0 = idle }
        defer { idle.stop() }
        let redirects = RedirectPolicy(limit: session.configuration.maximumRedirects)
        while true {
            let response = try await send(next)
            idle.touch()
            exchange.head = response.head
            guard let target = try redirects.next(
                after: response.head, to: next, followed: exchange.metrics.redirects.count)
            else {
                exchange.metrics.timeToResponse = watch.elapsed
                request.eventLog.send(.response(response.head))
                exchange.data = try await collect(response, idle)
                return
            }
            await drain(response.body)
            request.eventLog.send(.redirected(response.head, to: target.head))
            exchange.metrics.redirects.append(target.head.url)
            exchange.request = target
            exchange.head = nil
            next = target
        }
    }

    /// Only the copy that is sent knows the watch, which knows the request: what is kept must not.
    private func send(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        request.onEvent = watch.receive
        request.delivery = .whole
        return try await session.transport.send(request)
    }

    private func timeOut() {
        let timeout = request.blueprint.timeout ?? session.configuration.timeout
        let error = AsyncNetError(.timedOut, "The request timed out: nothing was sent or received for \(timeout)")
        session.mailbox.post { [request] in await request.fail(error) }
    }

    /// The whole body. One chunk, as small bodies are, is not copied.
    private func collect(_ response: TransportResponse, _ idle: IdleTimer) async throws -> Data {
        let total = watch.expectedBytes(response.head)
        var data = Data()
        for try await chunk in response.body {
            idle.touch()
            if data.isEmpty { data = chunk } else { data.append(chunk) }
            watch.didReceive(data.count, of: total)
            if request.isHeldBack.load(ordering: .relaxed) {
                idle.pause()
                await request.holdBackIfSuspended()
                idle.touch()
            }
        }
        return data
    }

    /// A redirect's body is of no interest; reading a short one keeps the connection usable.
    private func drain(_ body: TransportBody) async {
        var rest = 64 * 1024
        do {
            for try await chunk in body {
                rest -= chunk.count
                if rest < 0 { return }
            }
        } catch {
            // The redirect's head is all that counts; a body that breaks off changes nothing.
        }
    }

    private func validate(_ outcome: TransferOutcome) async -> TransferOutcome {
        let validators = await request.takeValidators()
        guard !validators.isEmpty, let response = outcome.rawResponse else { return outcome }
        do {
            for validator in validators { try validator(response) }
            return outcome
        } catch {
            return outcome.failing(with: AsyncNetError(wrapping: error, as: .validationFailed))
        }
    }
}

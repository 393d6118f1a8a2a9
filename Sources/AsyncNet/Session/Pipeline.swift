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
        let exchange = Exchange()
        do {
            try assemble(exchange)
            try await transfer(exchange)
        } catch {
            return outcome(exchange, AsyncNetError(wrapping: error, as: .transportFailed))
        }
        return validated(outcome(exchange, nil), by: await request.takeValidators())
    }

    /// What is known so far; kept when the transfer fails, so that the error can tell.
    ///
    /// An object, and what uses it in functions that do not suspend: an async function's locals live in its frame, and
    /// with them as values, or inlined, ten thousand waiting requests took 16 KiB each.
    private final class Exchange {
        var request: TransportRequest?
        var head: HTTPResponseHead?
        var data: Data?
        var metrics = RequestMetrics()
    }

    @inline(never)
    private func outcome(_ exchange: Exchange, _ error: AsyncNetError?) -> TransferOutcome {
        watch.end(&exchange.metrics)
        let outcome = TransferOutcome(
            request: exchange.request, head: exchange.head, data: exchange.data, metrics: exchange.metrics)
        return error.map(outcome.failing) ?? outcome
    }

    @inline(never)
    private func assemble(_ exchange: Exchange) throws {
        do {
            exchange.request = try request.blueprint.make()
        } catch {
            throw AsyncNetError(wrapping: error, as: .encodingFailed)
        }
    }

    // MARK: Transfer

    private func transfer(_ exchange: Exchange) async throws {
        await request.holdBackIfSuspended()
        guard let attempt = await request.beginAttempt(exchange.request) else { throw AsyncNetError(.cancelled) }
        exchange.metrics.attempts = attempt
        let idle = watchSilence()
        defer { idle.stop() }
        while let body = try await send(exchange) {
            idle.touch()
            guard try redirects(exchange) else {
                try await collect(body, exchange, idle)
                return
            }
            await drain(body)
        }
    }

    /// Sends the exchange's request and keeps the response's head; the body is returned.
    ///
    /// Only the copy that is sent knows the watch, which knows the request: what is kept must not.
    @inline(never)
    private func send(_ exchange: Exchange) async throws -> TransportBody? {
        guard let outgoing = outgoing(exchange) else { return nil }
        return keep(try await session.transport.send(outgoing), exchange)
    }

    @inline(never)
    private func outgoing(_ exchange: Exchange) -> TransportRequest? {
        var request = exchange.request
        request?.onEvent = watch.receive
        request?.delivery = .whole
        return request
    }

    @inline(never)
    private func keep(_ response: TransportResponse, _ exchange: Exchange) -> TransportBody {
        exchange.head = response.head
        return response.body
    }

    /// Whether the response is a redirect to follow; the exchange's request is then the next one.
    @inline(never)
    private func redirects(_ exchange: Exchange) throws -> Bool {
        guard let head = exchange.head, let sent = exchange.request else { return false }
        let policy = RedirectPolicy(limit: session.configuration.maximumRedirects)
        guard let next = try policy.next(after: head, to: sent, followed: exchange.metrics.redirects.count) else {
            exchange.metrics.timeToResponse = watch.elapsed
            request.eventLog.send(.response(head))
            return false
        }
        request.eventLog.send(.redirected(head, to: next.head))
        exchange.metrics.redirects.append(next.head.url)
        exchange.request = next
        exchange.head = nil
        return true
    }

    @inline(never)
    private func watchSilence() -> IdleTimer {
        let idle = IdleTimer(session.timers, timeout: timeout, onSilence: timeOut)
        watch.idle.withLock { $0 = idle }
        return idle
    }

    private var timeout: Duration { request.blueprint.timeout ?? session.configuration.timeout }

    private func timeOut() {
        let error = AsyncNetError(.timedOut, "The request timed out: nothing was sent or received for \(timeout)")
        session.mailbox.post { [request] in await request.fail(error) }
    }

    /// The whole body. One chunk, as small bodies are, is not copied.
    @inline(never)
    private func collect(_ body: TransportBody, _ exchange: Exchange, _ idle: IdleTimer) async throws {
        let total = exchange.head.flatMap(watch.expectedBytes)
        var data = Data()
        for try await chunk in body {
            idle.touch()
            if data.isEmpty { data = chunk } else { data.append(chunk) }
            watch.didReceive(data.count, of: total)
            if request.isHeldBack.load(ordering: .relaxed) {
                idle.pause()
                await request.holdBackIfSuspended()
                idle.touch()
            }
        }
        exchange.data = data
    }

    /// A redirect's body is of no interest; reading a short one keeps the connection usable.
    @inline(never)
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

    // MARK: Validation

    @inline(never)
    private func validated(_ outcome: TransferOutcome, by validators: [Validator]) -> TransferOutcome {
        guard !validators.isEmpty, let response = outcome.rawResponse else { return outcome }
        do throws(AsyncNetError) {
            for validator in validators { try validator(response) }
            return outcome
        } catch {
            return outcome.failing(with: error)
        }
    }
}

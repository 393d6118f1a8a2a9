import AsyncNet
import Foundation

/// Sends what was planned, and says how it ended: in a value or in which error.
struct Client: Sendable {
    let sessions: Sessions
    let folder: URL

    func outcome(of plan: Plan) async -> Outcome {
        let session = await sessions.session(for: plan.route)
        let task = Task { await run(plan, session) }
        guard let delay = plan.cancelledAfter else { return await task.value }
        try? await Task.sleep(for: delay)
        task.cancel()
        return await task.value
    }

    private func run(_ plan: Plan, _ session: Session) async -> Outcome {
        switch plan.reading {
        case .data: await data(plan, session)
        case .chunks(let count): await chunks(plan, session, breakingAfter: count)
        case .events(let reconnects): await events(plan, session, reconnects)
        case .download(let segments): await download(plan, session, segments)
        }
    }

    private func data(_ plan: Plan, _ session: Session) async -> Outcome {
        let request = request(plan, session)
        if plan.retries {
            request.interceptor(RetryPolicy(limit: 1, backoff: Backoff(scale: .milliseconds(1))))
        }
        if plan.authenticates { request.authenticate(username: "user", password: "secret") }
        return Outcome(await request.serializing(Data.self).result)
    }

    private func request(_ plan: Plan, _ session: Session) -> DataRequest {
        switch plan.body {
        case .none: session.request(plan.url, method: plan.method, headers: plan.headers)
        case .small(let count), .large(let count):
            session.upload(.data(Data(count: count)), to: plan.url, method: plan.method, headers: plan.headers)
        case .stream(let count):
            session.upload(.stream(Self.stream(count)), to: plan.url, method: plan.method, headers: plan.headers)
        }
    }

    private static func stream(_ count: Int) -> AsyncStream<Data> {
        AsyncStream { input in
            for start in stride(from: 0, to: count, by: 7000) { input.yield(Data(count: min(7000, count - start))) }
            input.finish()
        }
    }

    private func chunks(_ plan: Plan, _ session: Session, breakingAfter limit: Int?) async -> Outcome {
        var count = 0
        do {
            for try await _ in session.stream(plan.url, method: plan.method, headers: plan.headers).chunks {
                count += 1
                if count == limit { break }
            }
            return .value
        } catch {
            return Outcome(error)
        }
    }

    private func events(_ plan: Plan, _ session: Session, _ reconnects: Bool) async -> Outcome {
        var count = 0
        do {
            let stream = session.stream(plan.url, headers: plan.headers)
            for try await _ in stream.serverSentEvents(reconnection: reconnects ? .ifResumable() : .never) {
                count += 1
                if count == 100 { break }
            }
            return .value
        } catch {
            return Outcome(error)
        }
    }

    private func download(_ plan: Plan, _ session: Session, _ segments: Int) async -> Outcome {
        let target = folder.appending(path: "\(plan.id.number)")
        defer { try? FileManager.default.removeItem(at: target) }
        let download = session.download(
            plan.url, to: .file(target, options: .removePreviousFile), headers: plan.headers, segments: segments)
        let result = await download.result
        guard case .failure = result, !Task.isCancelled, let rest = await download.resumeData else {
            return Outcome(result)
        }
        let second = session.download(
            resumingWith: rest, to: .file(target, options: .removePreviousFile), segments: segments)
        let outcome = Outcome(await second.result)
        await second.resumeData?.discard()
        return outcome
    }
}

/// How a request ended.
enum Outcome: Sendable {
    case value
    case error(AsyncNetError)
    /// What no request may end in.
    case foreign(String)

    init<Value>(_ result: Result<Value, AsyncNetError>) {
        switch result {
        case .success: self = .value
        case .failure(let error): self = .error(error)
        }
    }

    init(_ error: any Error) {
        self =
            if let error = error as? AsyncNetError { .error(error) } else if error is CancellationError {
                .value
            } else { .foreign("\(error)") }
    }

    var name: String {
        switch self {
        case .value: "value"
        case .error(let error): error.code.rawValue
        case .foreign: "FOREIGN"
        }
    }
}

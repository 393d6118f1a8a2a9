import Foundation

/// Keeps the credentials of a provider until shortly before they expire, and asks it once for all requests that wait.
actor CredentialCache {
    typealias Provider = @Sendable () async throws -> AWSCredentials

    private typealias Waiter = AsyncThrowingStream<AWSCredentials, any Error>.Continuation

    /// How long before their expiration credentials are replaced, in seconds.
    static let margin: TimeInterval = 300

    private let provider: Provider
    private var current: AWSCredentials?
    /// Asks the provider; cancelled when the cache is released.
    private var fetch: Task<Void, Never>?
    private var waiters: [Waiter] = []

    init(_ provider: @escaping Provider) { self.provider = provider }

    deinit { fetch?.cancel() }

    /// The credentials to use now. If the provider fails, those that are still valid are used.
    ///
    /// - Throws: The provider's error; `CancellationError` if the task is cancelled while it waits.
    func credentials(at date: Date) async throws -> AWSCredentials {
        if let current, current.isValid(at: date.addingTimeInterval(Self.margin)) { return current }
        let (credentials, waiter) = AsyncThrowingStream.makeStream(of: AWSCredentials.self)
        waiters.append(waiter)
        if fetch == nil { beginFetch(date) }
        for try await credentials in credentials { return credentials }
        throw CancellationError()
    }

    private func beginFetch(_ date: Date) {
        fetch = Task { [provider, weak self] in
            let result = await Self.result(of: provider)
            await self?.endFetch(result, date)
        }
    }

    /// Not on the actor, since a provider may block its thread.
    @concurrent
    private static func result(of provider: Provider) async -> Result<AWSCredentials, any Error> {
        do { return .success(try await provider()) } catch { return .failure(error) }
    }

    private func endFetch(_ result: Result<AWSCredentials, any Error>, _ date: Date) {
        var result = result
        if case .failure = result, let current, current.isValid(at: date) { result = .success(current) }
        if case .success(let credentials) = result { current = credentials }
        fetch = nil
        for waiter in waiters {
            waiter.yield(with: result)
            waiter.finish()
        }
        waiters = []
    }
}

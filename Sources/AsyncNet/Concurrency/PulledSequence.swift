/// What a function returns, call by call, to its first `nil`.
struct PulledSequence<Element: Sendable>: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let pull: @Sendable () async throws(AsyncNetError) -> Element?

    func makeAsyncIterator() -> Self { self }

    func next() async throws(AsyncNetError) -> Element? { try await pull() }
    func next(isolation actor: isolated (any Actor)?) async throws(AsyncNetError) -> Element? { try await pull() }
}

/// A sequence of the values that a function returns, call by call, until it returns `nil`.
struct PulledSequence<Element: Sendable>: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let pull: @Sendable () async throws(AsyncNetError) -> Element?

    func makeAsyncIterator() -> Self { self }

    func next() async throws(AsyncNetError) -> Element? { try await pull() }
    func next(isolation actor: isolated (any Actor)?) async throws(AsyncNetError) -> Element? { try await pull() }
}

@testable import AsyncNet

/// A resolver whose answers a closure makes, and which keeps the names that it was asked for.
final class TestResolver: Resolver {
    private let asked = AwaitedState<[String]>([])
    private let answer: @Sendable (String) async throws -> [ResolvedAddress]

    init(_ answer: @escaping @Sendable (String) async throws -> [ResolvedAddress]) { self.answer = answer }

    var names: [String] { asked.read { $0 } }

    func lookups(atLeast count: Int) async { await asked.wait { $0.count >= count } }

    func addresses(of name: String) async throws -> [ResolvedAddress] {
        asked.change { $0.append(name) }
        return try await answer(name)
    }
}

import AsyncNetTesting
import Foundation
import Synchronization
import Testing

@testable import AsyncNetCrypto

@Suite("Credentials of a provider", .timeLimit(.minutes(1)))
struct CredentialCacheTests {
    private struct Failure: Error {}

    /// Makes credentials that are valid for an hour, numbered, or throws.
    private final class Provider: Sendable {
        let calls = Mutex(0)
        let fails = Mutex(false)

        func credentials() throws -> AWSCredentials {
            let number = calls.withLock {
                $0 += 1
                return $0
            }
            if fails.withLock({ $0 }) { throw Failure() }
            return AWSCredentials(
                accessKeyID: "\(number)", secretAccessKey: "",
                expiration: .example.addingTimeInterval(Double(number) * 3600))
        }
    }

    @Test("The provider is asked again when five minutes are left")
    func expiry() async throws {
        let provider = Provider()
        let cache = CredentialCache { try provider.credentials() }
        for (seconds, number) in [(0.0, "1"), (3299, "1"), (3300, "2"), (3601, "2"), (6900, "3")] {
            #expect(try await cache.credentials(at: .example.addingTimeInterval(seconds)).accessKeyID == number)
        }
    }

    @Test("If the provider fails, credentials are used until they expire, and the next request asks again")
    func failure() async throws {
        let provider = Provider()
        let cache = CredentialCache { try provider.credentials() }
        _ = try await cache.credentials(at: .example)
        provider.fails.withLock { $0 = true }
        #expect(try await cache.credentials(at: .example.addingTimeInterval(3599)).accessKeyID == "1")
        await #expect(throws: Failure.self) { try await cache.credentials(at: .example.addingTimeInterval(3600)) }
        provider.fails.withLock { $0 = false }
        #expect(try await cache.credentials(at: .example.addingTimeInterval(3600)).accessKeyID == "4")
    }

    @Test("The provider is asked once for all that wait; who is cancelled leaves at once")
    func singleFlight() async throws {
        let provider = Provider()
        let begun = Signal(), end = Signal()
        let cache = CredentialCache {
            begun.send()
            await end.wait()
            return try provider.credentials()
        }
        let impatient = Task { try await cache.credentials(at: .example) }
        await begun.wait()
        impatient.cancel()
        await #expect(throws: CancellationError.self) { try await impatient.value }
        let waiting = (0..<50).map { _ in Task { try await cache.credentials(at: .example) } }
        end.send()
        for task in waiting { #expect(try await task.value.accessKeyID == "1") }
        #expect(provider.calls.withLock { $0 } == 1)
    }

    @Test("Releasing the cache cancels the provider")
    func release() async throws {
        let begun = Signal(), cancelled = Signal()
        do {
            let cache = CredentialCache {
                begun.send()
                let never = AsyncStream<Never> { _ in }
                for await _ in never {}
                cancelled.send()
                throw Failure()
            }
            let impatient = Task { try await cache.credentials(at: .example) }
            await begun.wait()
            impatient.cancel()
            await #expect(throws: CancellationError.self) { try await impatient.value }
        }
        await cancelled.wait()
    }
}

/// Something that happens once, and that a task can wait for.
final class Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func send() { continuation.finish() }
    func wait() async { for await _ in stream {} }
}

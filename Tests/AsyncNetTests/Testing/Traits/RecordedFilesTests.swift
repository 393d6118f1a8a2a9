import Foundation
import Testing

@testable import AsyncNetTesting

@Suite("RecordedFiles", .timeLimit(.minutes(5)))
struct RecordedFilesTests {
    private let files = RecordedFiles()
    private let file = URL(filePath: "/users.har")

    @Test("A test has a recording's file to itself; the next test learns who wrote the file")
    func turns() async throws {
        #expect(try await files.begin(file) == nil)
        let next = Task { try await files.begin(file) }
        #expect(try await files.begin(URL(filePath: "/other.har")) == nil)
        files.end(file, writer: "a")
        #expect(try await next.value == "a")
        files.end(file, writer: nil)
        #expect(try await files.begin(file) == "a")
    }

    @Test("Cancelling a test ends its wait for a recording's file")
    func cancel() async throws {
        #expect(try await files.begin(file) == nil)
        let next = Task { try await files.begin(file) }
        next.cancel()
        await #expect(throws: CancellationError.self) { try await next.value }
        files.end(file, writer: nil)
        #expect(try await files.begin(file) == nil)
    }
}

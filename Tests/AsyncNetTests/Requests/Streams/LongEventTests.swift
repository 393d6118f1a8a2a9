import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// Events and JSON texts that are as long as their limit, and the memory and copies that they cost.
@Suite("Long events and JSON texts", .timeLimit(.minutes(5)))
struct LongEventTests {
    private static func event(_ count: Int) -> String { "data: \(String(repeating: "a", count: count))\n\n" }

    private func session(_ body: String, _ type: String) -> Session {
        Session(transport: StubTransport { _ in .chunked([body], headers: ["Content-Type": type]) })
    }

    private func lengths(of events: some AsyncSequence<ServerSentEvent, any Error>) async throws -> [Int] {
        var found: [Int] = []
        for try await event in events { found.append(event.data.utf8.count) }
        return found
    }

    @Test(
        "An event, a comment or an id of 3 MiB is received by default",
        arguments: [("data", 3 << 20), ("", 1), ("id", 1)])
    func defaultLimit(_ field: String, _ length: Int) async throws {
        let long = "\(field): \(String(repeating: "a", count: 3 << 20))\n"
        let body = field == "data" ? long + "\n" : long + "data: 1\n\n"
        let stream = session(body, "text/event-stream").stream("http://a/")
        #expect(try await lengths(of: stream.serverSentEvents(reconnection: .never)) == [length])
    }

    @Test("An event above maximumLength throws lineTooLong, which names the setting", arguments: [99, 100, 101])
    func eventLimit(_ length: Int) async throws {
        let stream = session(Self.event(length), "text/event-stream").stream("http://a/")
        do {
            // The limit counts the line with its name.
            let found = try await lengths(of: stream.serverSentEvents(maximumLength: 106))
            #expect(found == [length] && length <= 100)
        } catch let error as AsyncNetError {
            #expect(error.code == .lineTooLong && length == 101)
            #expect("\(error)".contains("serverSentEvents") && "\(error)".contains("maximumLength"))
        }
    }

    @Test(
        "A JSON text above maximumLength is an error; 3 MiB pass by default",
        arguments: [(2 << 20, 16 << 20), (100, 102)])
    func textLimit(_ length: Int, _ limit: Int) async throws {
        for type in ["application/x-ndjson", "application/json-seq"] {
            let mark = type.hasSuffix("seq") ? "\u{1E}" : ""
            for count in [length, limit - 2, limit - 1] where count <= length || limit == 102 {
                let body = "\(mark)\"\(String(repeating: "a", count: count))\"\n"
                let stream = session(body, type).stream("http://a/")
                var found: [Int] = []
                do {
                    for try await text in stream.decoding(String.self, maximumLength: limit) {
                        found.append(text.utf8.count)
                    }
                    #expect(found == [count] && count <= limit - 2)
                } catch let error as AsyncNetError {
                    #expect(error.code == .lineTooLong && count == limit - 1)
                }
            }
        }
        let stream = session("\"\(String(repeating: "a", count: 3 << 20))\"", "application/x-ndjson").stream(
            "http://a/")
        for try await text in stream.decoding(String.self) { #expect(text.utf8.count == 3 << 20) }
    }

    // MARK: Memory

    /// The chunks of one long event; before each of them, `watch` is called.
    private struct Chunks: AsyncSequence, Sendable {
        let count: Int
        let watch: @Sendable () -> Void

        func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

        struct Iterator: AsyncIteratorProtocol {
            let chunks: Chunks
            var given = 0

            mutating func next() async -> Data? {
                chunks.watch()
                given += 1
                if given == 1 { return Data("data: ".utf8) }
                guard given <= chunks.count else { return given == chunks.count + 1 ? Data("\n\n".utf8) : nil }
                return Data(repeating: 0x61, count: 1024)
            }
        }
    }

    /// Counts how often a buffer was found at another address or with another capacity.
    private final class Moves: Sendable {
        private let state = Locked<(last: Int, count: Int)>((0, 0))

        func note(_ buffer: borrowing [UInt8]) {
            let place = buffer.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
            state.withLock { state in
                if state.last != place { state.count += 1 }
                state.last = place
            }
        }

        var count: Int { state.withLock { $0.count } }
    }

    @Test("The buffer of an unfinished event is copied only when it grows, not for each chunk")
    func sinkCopies() async throws {
        let (sink, moves, chunks) = (StreamSink(), Moves(), 4096)
        let url = try #require(URL(string: "http://a/"))
        _ = sink.beginReading(as: .events(EventConnection(.never)))
        let body = TransportBody(
            Chunks(count: chunks) {
                sink.state.withLock { state in
                    if let connection = state.connection { moves.note(connection.parser.splitter.pending) }
                }
            })
        let attempt = Task {
            let head = HTTPResponseHead(statusCode: 200, url: url, headers: ["Content-Type": "text/event-stream"])
            return try await sink.receive(body, of: head)
        }
        let events = try await sink.events.next()
        _ = try await attempt.value
        #expect(events?.first?.data.utf8.count == (chunks - 1) * 1024)
        // Doubling needs 22 steps to 4 MiB; a copy for each chunk, some thousands.
        #expect(moves.count < 64)
    }

    /// A parser that notices when another copy of it shares its storage while it is called.
    private struct SharingParser: StreamParser {
        private final class Storage: Sendable {}
        private var storage = Storage()

        mutating func receive(_ chunk: Data) -> [Bool] { [isKnownUniquelyReferenced(&storage)] }
        mutating func finish() -> [Bool] { [] }
    }

    @Test("The parser of a stream of lines or JSON texts is uniquely referenced when it is called")
    func parserIsNotShared() async throws {
        let session = Session(transport: StubTransport { _ in .chunked(["a", "b", "c"]) })
        let parsed = ParsedStream(
            chunks: StreamChunks(request: session.stream("http://a/"), isCancelling: true)
        ) { _ in SharingParser() }
        var found: [Bool] = []
        for try await isAlone in parsed { found.append(isAlone) }
        #expect(!found.isEmpty && !found.contains(false))
    }

    @Test("No memory is reserved for the length limit, and the memory of a long event is released")
    func memory() throws {
        var events = ServerSentEventParser(limit: 1 << 40)
        var texts = JSONSequenceParser(limit: 1 << 40)
        #expect(events.splitter.pending.capacity == 0 && events.assembler.data.capacity == 0)
        #expect(texts.lines.pending.capacity == 0 && texts.texts.pending.capacity == 0)
        for piece in ["data: ", String(repeating: "a", count: 4 << 20), "\n\n", "data: 1\n\n"] {
            _ = try events.receive(Data(piece.utf8))
        }
        #expect(events.splitter.pending.capacity <= 64 << 10 && events.assembler.data.capacity <= 64 << 10)
        for piece in ["\u{1E}\"", String(repeating: "a", count: 4 << 20), "\"\n"] {
            _ = try texts.receive(Data(piece.utf8))
        }
        #expect(texts.texts.pending.capacity <= 64 << 10)
        var lines = JSONSequenceParser()
        for piece in ["\"", String(repeating: "a", count: 4 << 20), "\"\n"] { _ = try lines.receive(Data(piece.utf8)) }
        #expect(lines.lines.pending.capacity <= 64 << 10)
    }
}

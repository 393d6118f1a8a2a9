import Foundation

/// Parses a `text/event-stream` (WHATWG HTML §9.2.5, §9.2.6).
///
/// An event that the end of the stream cuts off is dropped with its ID, so that a reconnection requests it again.
struct ServerSentEventParser: StreamParser {
    private(set) var splitter: LineSplitter
    private(set) var assembler: EventAssembler
    private let limit: Int

    /// The value of `Last-Event-ID` for a reconnection: the ID of the last complete event, with or without data; `nil`
    /// to send none.
    var lastEventID: String? { assembler.lastEventID }

    /// The ID that the stream has set last, which is empty if it has reset it; `nil` if it has set none.
    var setID: String? { assembler.setID }

    /// The delay before a reconnection; `nil` if the stream has not set one.
    var retry: Duration? { assembler.retry }

    /// - Parameters:
    ///   - setID: The ID that the previous connection has set, for events without an ID of their own.
    ///   - retry: The delay of the previous connection.
    ///   - limit: How many bytes an event's data may have, and a line. More bytes are the error `.lineTooLong`.
    init(setID: String? = nil, retry: Duration? = nil, limit: Int = StreamLimit.item) {
        self.limit = limit
        splitter = LineSplitter(limit: limit)
        assembler = EventAssembler(setID: setID, retry: retry, limit: limit)
    }

    mutating func receive(_ chunk: Data) throws(AsyncNetError) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        assembler.receive(chunk, from: &splitter, into: &events)
        return try assembler.failure.returning(events)
    }

    mutating func finish() throws(AsyncNetError) -> [ServerSentEvent] {
        try assembler.failure.returning([])
    }
}

/// The buffers of the algorithm in WHATWG HTML §9.2.6.
struct EventAssembler {
    private(set) var retry: Duration?
    private(set) var failure = PendingFailure()
    private let limit: Int
    private(set) var data: [UInt8] = []
    private var hasData = false
    private var eventType = ""
    private var idBuffer: String?
    private(set) var setID: String?

    var lastEventID: String? { setID.flatMap { $0.isEmpty ? nil : $0 } }

    init(setID: String?, retry: Duration?, limit: Int) {
        (self.setID, self.retry, self.limit) = (setID, retry, limit)
        idBuffer = setID
    }

    mutating func receive(_ chunk: Data, from splitter: inout LineSplitter, into events: inout [ServerSentEvent]) {
        guard failure.error == nil else { return }
        splitter.receive(chunk) { line in
            guard failure.error == nil else { return }
            if line.isEmpty { dispatch(into: &events) } else { receive(line) }
        }
        if splitter.isTooLong { failure.fail("A line of an event", limit: limit) }
    }

    private mutating func receive(_ line: StreamBytes) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            return setField(line, StreamBytes(rebasing: line[line.count...]))
        }
        let start = colon + 1 < line.count && line[colon + 1] == UInt8(ascii: " ") ? colon + 2 : colon + 1
        setField(StreamBytes(rebasing: line[..<colon]), StreamBytes(rebasing: line[start...]))
    }

    /// A comment is a field with an empty name, which is ignored like other unknown fields.
    private mutating func setField(_ name: StreamBytes, _ value: StreamBytes) {
        if name.elementsEqual("data".utf8) {
            addData(value)
        } else if name.elementsEqual("event".utf8) {
            eventType = String(decoding: value, as: UTF8.self)
        } else if name.elementsEqual("id".utf8) {
            if !value.contains(0) { idBuffer = String(decoding: value, as: UTF8.self) }
        } else if name.elementsEqual("retry".utf8) {
            retry = Self.milliseconds(value) ?? retry
        }
    }

    private mutating func addData(_ value: StreamBytes) {
        guard data.count + value.count < limit || data.count + value.count == limit && !hasData else {
            return failure.fail("The data of an event", limit: limit)
        }
        if hasData { data.append(UInt8(ascii: "\n")) }
        data.append(contentsOf: value)
        hasData = true
    }

    private mutating func dispatch(into events: inout [ServerSentEvent]) {
        setID = idBuffer
        if hasData {
            let type = eventType.isEmpty ? "message" : eventType
            events.append(
                ServerSentEvent(id: lastEventID, event: type, data: String(decoding: data, as: UTF8.self), retry: retry)
            )
        }
        data.reuse()
        hasData = false
        eventType = ""
    }

    /// The delay of a `retry` with digits only; at most the maximum of Int32.
    private static func milliseconds(_ digits: StreamBytes) -> Duration? {
        guard !digits.isEmpty, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        let limit = Int64(Int32.max)
        return .milliseconds(digits.reduce(Int64(0)) { min($0 * 10 + Int64($1 - 0x30), limit) })
    }
}

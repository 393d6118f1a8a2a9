import AsyncNet
import Foundation

/// The server's side of an HTTP/2 connection (RFC 9113), without I/O: it parses the client's bytes, and writes frames
/// to `output`, which the caller sends. A violation of the RFC by the client ends the stream or the connection, and is
/// kept in `violations`.
struct HTTP2ServerMachine {
    typealias Input = UnsafeRawBufferPointer

    enum Event {
        /// A request without its body.
        case head(UInt32, HTTP2RequestHead, isComplete: Bool)
        /// A part of a request's body; empty if trailers have ended the request.
        case body(UInt32, Data, isComplete: Bool)
        /// The number of a stream that was reset, by the client or after its violation.
        case reset(UInt32)
    }

    struct Stream {
        var sendWindow: Int
        var receiveWindow: Int
        /// The bytes received since the last WINDOW_UPDATE.
        var received = 0
        /// How many bytes of the body must follow; `nil` without Content-Length.
        var bytesLeft: Int?
        var isRequestComplete = false
    }

    /// The bytes that the caller is to send.
    var output: [UInt8] = []
    var settings: MockServer.HTTP2
    /// The initial window in force, then those of the SETTINGS that the client has not acknowledged.
    var initialWindows = [65_535]
    /// The client's SETTINGS.
    var peer = HTTP2Settings()
    var streams: [UInt32: Stream] = [:]
    /// The highest number of a stream that the client has opened.
    var lastStream: UInt32 = 0
    /// After GOAWAY, the highest stream that is still answered; new streams above it are ignored.
    var lastServed: UInt32 = .max
    var sendWindow = 65_535
    var receiveWindow = Self.connectionWindow
    var headerWriter = HTTP2HeaderWriter()
    private var headerReader = HTTP2HeaderReader(listBytes: 1024 * 1024, fields: 10_000)
    private var input: [UInt8] = []
    private var hasPreface = false
    private var hasSettings = false
    private(set) var violations: [HTTP2Violation] = []
    /// Whether a violation has ended the connection.
    private(set) var isBroken = false

    static let connectionWindow = 16 * 1024 * 1024

    init(_ settings: MockServer.HTTP2) {
        self.settings = settings
        update(settings)
        output.append(frame: .windowUpdate, numbers: UInt32(Self.connectionWindow - 65_535))
    }

    /// - Returns: The events of the bytes, up to a violation that ends the connection.
    mutating func receive(_ bytes: Data) -> [Event] {
        var events: [Event] = []
        input.append(contentsOf: bytes)
        do throws(HTTP2Violation) {
            try readPreface()
            var position = 0
            while !isBroken, let (header, payload) = try nextFrame(&position) {
                let event = try payload.withUnsafeBytes { payload in
                    Result { () throws(HTTP2Violation) in try receive(header, payload) }
                }.get()
                if let event { events.append(event) }
            }
            input.removeFirst(position)
        } catch {
            end(error)
        }
        allowMore()
        return events
    }

    // MARK: Frames

    private mutating func readPreface() throws(HTTP2Violation) {
        guard !hasPreface else { return }
        try require(
            HTTP2Frame.preface.starts(with: input.prefix(HTTP2Frame.preface.count)), else: .protocolError, "no preface",
            "3.4")
        guard input.count >= HTTP2Frame.preface.count else { return }
        input.removeFirst(HTTP2Frame.preface.count)
        hasPreface = true
    }

    private func nextFrame(_ position: inout Int) throws(HTTP2Violation) -> (HTTP2Frame.Header, [UInt8])? {
        guard hasPreface, input.count - position >= HTTP2Frame.Header.size else { return nil }
        let header = input.withUnsafeBytes { HTTP2Frame.Header(Input(rebasing: $0[position...])) }
        try header.check(hasSettings: hasSettings, openBlock: headerReader.openStream)
        let start = position + HTTP2Frame.Header.size
        guard input.count >= start + header.length else { return nil }
        position = start + header.length
        return (header, Array(input[start..<position]))
    }

    private mutating func receive(_ header: HTTP2Frame.Header, _ payload: Input) throws(HTTP2Violation) -> Event? {
        switch header.kind {
        case .data: return try receiveData(header, payload)
        case .headers: return try receive(headerReader.begin(header, payload))
        case .continuation: return try receive(headerReader.goOn(header, payload))
        case .pushPromise: throw HTTP2Violation(.protocolError, "a PUSH_PROMISE frame", "8.4")
        case .settings:
            hasSettings = true
            try receiveSettings(header, payload)
            return nil
        default: return try receiveControl(header, payload)
        }
    }

    /// Ends the connection by GOAWAY, whose debug data names the violation.
    private mutating func end(_ violation: HTTP2Violation) {
        violations.append(violation)
        isBroken = true
        goAway(violation.code.rawValue, lastStream: lastStream, text: violation.text)
    }

    mutating func fail(_ stream: UInt32, _ violation: HTTP2Violation) -> Event {
        violations.append(violation)
        reset(stream, violation.code.rawValue)
        return .reset(stream)
    }
}

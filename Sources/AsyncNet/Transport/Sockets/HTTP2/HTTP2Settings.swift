/// What the peer allows by its SETTINGS (RFC 9113 §6.5.2).
package struct HTTP2Settings: Equatable {
    package var tableSize: UInt32 = 4096
    /// The limit of open streams; `nil` before the peer has set one.
    var concurrentStreams: UInt32?
    package var initialWindow = 65_535
    package var frameSize = HTTP2Frame.payloadSize

    private enum Name: UInt16 {
        case tableSize = 1
        case enablePush = 2
        case concurrentStreams = 3
        case initialWindow = 4
        case frameSize = 5
        case headerListSize = 6
    }

    /// The most entries in a SETTINGS frame: many more than there are settings are a flood (CVE-2019-9515).
    private static let mostEntries = 32
    package static let largestWindow = 0x7FFF_FFFF
    /// From this size on, the increment of a WINDOW_UPDATE frame for an upload does not count as one without effect.
    static let usefulIncrement = 256

    package init() {}

    package mutating func apply(_ payload: UnsafeRawBufferPointer) throws(HTTP2Violation) {
        try require(payload.count % 6 == 0, else: .frameSizeError, "a SETTINGS frame of \(payload.count) bytes", "6.5")
        try require(
            payload.count / 6 <= Self.mostEntries, else: .enhanceYourCalm,
            "a SETTINGS frame with \(payload.count / 6) entries", "10.5")
        for start in stride(from: 0, to: payload.count, by: 6) {
            let name = UInt16(payload[start]) << 8 | UInt16(payload[start + 1])
            try apply(Name(rawValue: name), payload.number(at: start + 2))
        }
    }

    private mutating func apply(_ name: Name?, _ value: UInt32) throws(HTTP2Violation) {
        switch name {
        case .tableSize: tableSize = value
        case .enablePush:
            try require(value == 0, else: .protocolError, "SETTINGS with ENABLE_PUSH \(value)", "6.5.2")
        case .concurrentStreams: concurrentStreams = value
        case .initialWindow:
            try require(
                value <= Self.largestWindow, else: .flowControlError, "SETTINGS with INITIAL_WINDOW_SIZE \(value)",
                "6.5.2")
            initialWindow = Int(value)
        case .frameSize:
            try require(
                HTTP2Frame.payloadSize..<(1 << 24) ~= Int(value), else: .protocolError,
                "SETTINGS with MAX_FRAME_SIZE \(value)", "6.5.2")
            frameSize = Int(value)
        case .headerListSize, nil: break
        }
    }

    /// The preface, this side's SETTINGS, and the connection's window.
    static func opening(_ limits: HTTP2Limits) -> [UInt8] {
        var bytes = HTTP2Frame.preface
        let settings: [(Name, Int)] = [
            (.enablePush, 0), (.initialWindow, limits.streamWindow), (.headerListSize, limits.head.headBytes),
        ]
        bytes.append(frame: .settings, length: settings.count * 6)
        for (name, value) in settings {
            bytes.append(contentsOf: [0, UInt8(name.rawValue)])
            bytes.append(number: UInt32(clamping: value))
        }
        bytes.append(frame: .windowUpdate, numbers: UInt32(limits.advertisedWindow - 65_535))
        return bytes
    }
}

/// What the peer allows: by its SETTINGS, and by refusing streams.
struct HTTP2Peer {
    private(set) var settings = HTTP2Settings()
    private(set) var hasSettings = false
    /// The error code of the peer's GOAWAY.
    var goAwayCode: UInt32?
    /// The limit of open streams since the peer refused a stream. Each complete response raises the limit by one.
    var refusedAbove: Int?
    /// The limit of open streams until the peer's SETTINGS arrive.
    let assumedStreams: Int
    private static let unlimitedStreams = 1000

    var streamLimit: Int {
        let unset = hasSettings ? Self.unlimitedStreams : assumedStreams
        return min(settings.concurrentStreams.map(Int.init) ?? unset, refusedAbove ?? .max)
    }

    mutating func apply(_ payload: UnsafeRawBufferPointer) throws(HTTP2Violation) {
        (hasSettings, refusedAbove) = (true, nil)
        try settings.apply(payload)
    }
}

/// The limits for what a server may send over HTTP/2.
struct HTTP2Limits: Sendable {
    /// As over HTTP/1.1. The size of a head is that of all fields, each with 32 bytes more (RFC 9113 §6.5.2).
    var head = HTTP1Limits()
    /// How much of a body may be on the way, or unread, at first.
    var streamWindow = 1024 * 1024
    /// The largest size to which a stream's window grows on a long path.
    var largestStreamWindow = 16 * 1024 * 1024
    /// How much of all bodies may be on the way, or unread. Streams are opened only while their windows fit, and all
    /// windows together grow to half of this: so bodies that nobody reads do not stop other bodies.
    var connectionWindow = 256 * 1024 * 1024

    /// How much is read before the server is allowed to send as much again, on all streams together.
    var connectionStep: Int { min(connectionWindow / 4, 1024 * 1024) }
    /// The window that the server is allowed: larger than `connectionWindow`, so that bytes which were read and not yet
    /// allowed again take nothing from other streams.
    var advertisedWindow: Int { connectionWindow + 2 * connectionStep }
}

/// How many frames a server may send that bring no transfer on: PING, SETTINGS, PRIORITY, frames for streams that have
/// ended (CVE-2019-9512 and others). A thousand at once, a hundred a second from then on, and what answers this side's
/// frames.
struct FrameBudget {
    private var left = Self.burst
    private var refilled: ContinuousClock.Instant?
    /// How many DATA frames without bytes have followed one another.
    private var emptyFrames = 0
    /// How many bytes may still arrive on streams that this side has reset.
    private var lateBytes = 0
    private static let burst = 1000.0
    private static let perSecond = 100.0
    /// The most DATA frames without bytes that follow one another (CVE-2019-9518).
    private static let mostEmptyFrames = 100

    mutating func spend(_ frame: String, _ now: ContinuousClock.Instant) throws(HTTP2Violation) {
        if let refilled {
            left = max(left, min(Self.burst, left + (now - refilled) / .seconds(1) * Self.perSecond))
        }
        refilled = now
        try require(left >= 1, else: .enhanceYourCalm, "too many frames (\(frame)) without effect", "10.5")
        left -= 1
    }

    /// Called when this side has sent something that the peer may answer with this many frames, whenever it does.
    mutating func refund(_ frames: Double) { left += frames }

    mutating func count(emptyFrame isEmpty: Bool) throws(HTTP2Violation) {
        emptyFrames = isEmpty ? emptyFrames + 1 : 0
        try require(
            emptyFrames <= Self.mostEmptyFrames, else: .enhanceYourCalm,
            "more than \(Self.mostEmptyFrames) DATA frames without bytes", "10.5")
    }

    /// Called when this side ends a stream on which this many bytes may still arrive.
    mutating func allowLate(_ count: Int) { lateBytes = max(0, lateBytes) + max(0, count) }

    mutating func spend(late count: Int, _ now: ContinuousClock.Instant) throws(HTTP2Violation) {
        lateBytes -= count
        if lateBytes < 0 || count == 0 { try spend("DATA of ended streams", now) }
    }
}

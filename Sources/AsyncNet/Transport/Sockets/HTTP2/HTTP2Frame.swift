/// The frames of HTTP/2 (RFC 9113 §4, §6).
package enum HTTP2Frame {
    /// The kinds of frames, numbered from 0 as in RFC 9113 §6.
    package enum Kind: UInt8 {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation

        private static let names = [
            "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE",
            "CONTINUATION",
        ]

        fileprivate var name: String { Self.names[Int(rawValue)] }

        /// The size of each frame of the kind, if all have the same.
        fileprivate var size: Int? {
            switch self {
            case .priority: 5
            case .reset, .windowUpdate: 4
            case .ping: 8
            default: nil
            }
        }
    }

    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let endStream = Flags(rawValue: 0x1)
        package static let acknowledges = Flags(rawValue: 0x1)
        package static let endHeaders = Flags(rawValue: 0x4)
        package static let padded = Flags(rawValue: 0x8)
        package static let priority = Flags(rawValue: 0x20)
    }

    /// The bytes before each frame's payload (RFC 9113 §4.1).
    package struct Header {
        package var length: Int
        /// `nil` for a kind that RFC 9113 does not know.
        package var kind: Kind?
        package var flags: Flags
        package var stream: UInt32

        package static let size = 9

        package init(_ bytes: UnsafeRawBufferPointer) {
            length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
            kind = Kind(rawValue: bytes[3])
            flags = Flags(rawValue: bytes[4])
            stream = bytes.number(at: 5) & 0x7FFF_FFFF
        }

        package var name: String { kind?.name ?? "of an unknown kind" }

        /// Checks what both sides check before they know a frame's payload.
        ///
        /// - Parameter openBlock: The stream whose header block is not complete.
        package func check(hasSettings: Bool, openBlock: UInt32?) throws(HTTP2Violation) {
            try require(
                hasSettings || kind == .settings && !flags.contains(.acknowledges), else: .protocolError,
                "bytes that do not begin with the SETTINGS of HTTP/2", "3.4")
            try require(
                openBlock == nil || kind == .continuation && stream == openBlock, else: .protocolError,
                "a frame (\(name)) inside a block of HEADERS", "6.10")
            try require(
                length <= HTTP2Frame.payloadSize && length == kind?.size ?? length, else: .frameSizeError,
                "a frame (\(name)) of \(length) bytes", "4.2")
            switch kind {
            case .data, .headers, .priority, .reset, .continuation:
                try require(stream != 0, else: .protocolError, "a frame (\(name)) on stream 0", "6")
            case .settings, .ping, .goAway:
                try require(stream == 0, else: .protocolError, "a frame (\(name)) on a stream other than 0", "6")
            default: break
            }
        }

        /// How many bytes of the payload are padding, with its first byte, which is the length of the rest.
        func padding(first: UInt8?) throws(HTTP2Violation) -> Int {
            guard flags.contains(.padded) else { return 0 }
            guard length > 0, let padding = first.map(Int.init), padding < length else {
                throw HTTP2Violation(.protocolError, "a frame (\(name)) whose padding is longer than it", "6.1")
            }
            return padding + 1
        }

        /// The payload of HEADERS or DATA without its padding.
        package func unpadded(_ payload: UnsafeRawBufferPointer) throws(HTTP2Violation) -> UnsafeRawBufferPointer {
            let padding = try padding(first: payload.first)
            guard padding > 0 else { return payload }
            return UnsafeRawBufferPointer(rebasing: payload[1...].dropLast(padding - 1))
        }

        /// Checks that the stream has been opened. A client opens all streams, with odd numbers (RFC 9113 §5.1.1).
        package func checkOpened(below next: UInt32) throws(HTTP2Violation) {
            try require(
                stream < next && stream % 2 == 1, else: .protocolError,
                "a frame (\(name)) on a stream that was not opened", "5.1")
        }
    }

    /// The largest payload that every receiver must take (RFC 9113 §4.2), and the largest that this side takes.
    package static let payloadSize = 16_384
    package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
}

/// Why a connection or a stream ends, numbered from 0 as in RFC 9113 §7.
package enum HTTP2ErrorCode: UInt32 {
    case noError, protocolError, internalError, flowControlError, settingsTimeout, streamClosed, frameSizeError
    case refusedStream, cancel, compressionError, connectError, enhanceYourCalm, inadequateSecurity, http11Required

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    static func name(_ code: UInt32) -> String {
        Int(code) < names.count ? names[Int(code)] : "error code \(code)"
    }
}

/// What a server sent against RFC 9113, which ends a stream or the connection.
package struct HTTP2Violation: Error, Equatable {
    package let code: HTTP2ErrorCode
    /// The rest of a sentence after "The server sent", with the frame's name.
    package let text: String
    package let section: String

    package init(_ code: HTTP2ErrorCode, _ text: String, _ section: String) {
        self.code = code
        self.text = text
        self.section = section
    }

    /// A field block that cannot be decoded ends the connection: the dynamic table's state is lost.
    ///
    /// - Parameter reason: What the block has, with the section that forbids it.
    static func undecodable(_ reason: String) -> HTTP2Violation {
        HTTP2Violation(.compressionError, "HEADERS that cannot be decoded (\(reason))", "4.3")
    }

    var error: AsyncNetError {
        AsyncNetError(.badServerResponse, "The server sent \(text) (RFC 9113 §\(section))")
    }
}

/// Checks what RFC 9113 requires of the other side.
package func require(
    _ condition: Bool, else code: HTTP2ErrorCode, _ text: @autoclosure () -> String, _ section: String
) throws(HTTP2Violation) {
    if !condition { throw HTTP2Violation(code, text(), section) }
}

extension UnsafeRawBufferPointer {
    package func number(at offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}

extension [UInt8] {
    package mutating func append(number: UInt32) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    package mutating func append(
        frame kind: HTTP2Frame.Kind, _ flags: HTTP2Frame.Flags = [], on stream: UInt32 = 0, length: Int
    ) {
        append(number: UInt32(length) << 8 | UInt32(kind.rawValue))
        append(flags.rawValue)
        append(number: stream)
    }

    package mutating func append(
        frame kind: HTTP2Frame.Kind, _ flags: HTTP2Frame.Flags = [], on stream: UInt32 = 0, numbers: UInt32...
    ) {
        append(frame: kind, flags, on: stream, length: numbers.count * 4)
        for number in numbers { append(number: number) }
    }
}

import Foundation

/// Writes the head of a request over HTTP/1.1 (RFC 9112 §3, §5), with the headers that frame it.
enum HTTP1RequestHead {
    enum Body: Equatable {
        case none
        case length(Int64)
        case chunked
    }

    /// - Parameters:
    ///   - target: The request target, in the form that the receiver needs (RFC 9112 §3.2).
    ///   - authority: The value of `Host`, unless the request has a `Host` header.
    ///   - isForwarded: Whether a proxy receives the head: no other server gets `Proxy-Authorization`.
    static func bytes(
        _ head: HTTPRequestHead, target: String, authority: String, isForwarded: Bool = false, _ body: Body
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        bytes.append(head.method.rawValue)
        bytes.append(0x20)
        bytes.append(target)
        bytes.append(" HTTP/1.1\r\n")
        append("Host", head.host ?? authority, to: &bytes)
        var own = Own(isForwarded: isForwarded)
        for header in head.headers where !isOfTransport(header, &own) && !header.isOmission {
            append(header.name, header.value, to: &bytes)
        }
        if !own.hasAccept { append("Accept", "*/*", to: &bytes) }
        if !own.hasAcceptEncoding {
            bytes.append(contentsOf: UnsafeBufferPointer(start: coding.utf8Start, count: coding.utf8CodeUnitCount))
            bytes.append("\r\n")
        }
        switch body {
        case .none where head.method.expectsBody: append("Content-Length", "0", to: &bytes)
        case .none: break
        case .length(let length): append("Content-Length", String(length), to: &bytes)
        case .chunked: append("Transfer-Encoding", "chunked", to: &bytes)
        }
        bytes.append("\r\n")
        return bytes
    }

    /// The end of a chunked body, with its trailers (RFC 9112 §7.1.2).
    static func end(trailers: HTTPHeaders) -> [UInt8] {
        var bytes = Array("0\r\n".utf8)
        for trailer in trailers { append(trailer.name, trailer.value, to: &bytes) }
        bytes.append("\r\n")
        return bytes
    }

    private static var coding: StaticString { ContentDecoding.acceptEncoding }

    private struct Own {
        let isForwarded: Bool
        var hasAccept = false
        var hasAcceptEncoding = false
    }

    /// Whether the transport writes the header itself. Notes in `own` which of the transport's headers the request
    /// replaces.
    private static func isOfTransport(_ header: HTTPHeader, _ own: inout Own) -> Bool {
        switch header.name.utf8.count {
        case 4: return header.hasName("Host")
        case 6 where header.hasName("Accept"): own.hasAccept = true
        case 14: return header.hasName("Content-Length")
        case 15 where header.hasName("Accept-Encoding"): own.hasAcceptEncoding = true
        case 17: return header.hasName("Transfer-Encoding")
        case 19: return header.hasName("Proxy-Authorization") && !own.isForwarded
        default: break
        }
        return false
    }

    private static func append(_ name: String, _ value: String, to bytes: inout [UInt8]) {
        bytes.append(name)
        bytes.append(value.isEmpty ? ":" : ": ")
        bytes.append(value)
        bytes.append("\r\n")
    }
}

extension HTTPRequestHead {
    /// The value of its `Host` header. One that is to be omitted counts as none, since HTTP requires it (RFC 9112
    /// §3.2).
    var host: String? { headers["Host"].flatMap { HTTPHeader(name: "Host", value: $0).isOmission ? nil : $0 } }
}

extension [UInt8] {
    /// Appends the bytes of a text. A sequence of them would refer to the text's memory, which is counted.
    fileprivate mutating func append(_ text: String) {
        let isAppended: Void? = text.utf8.withContiguousStorageIfAvailable { append(contentsOf: $0) }
        if isAppended == nil { append(contentsOf: text.utf8) }
    }
}

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
        for header in head.headers where !header.isOmission && !ofTransport.contains(where: header.hasName) {
            guard isForwarded || !header.hasName("Proxy-Authorization") else { continue }
            append(header.name, header.value, to: &bytes)
        }
        if !head.headers.contains(name: "Accept") { append("Accept", "*/*", to: &bytes) }
        if !head.headers.contains(name: "Accept-Encoding") {
            append("Accept-Encoding", ContentDecoding.acceptEncoding, to: &bytes)
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

    /// The headers that the transport writes itself.
    private static let ofTransport = ["Host", "Content-Length", "Transfer-Encoding"]

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
    /// Appends the bytes of a text, without a view of the text where possible: a view retains the text's memory.
    fileprivate mutating func append(_ text: String) {
        let isAppended: Void? = text.utf8.withContiguousStorageIfAvailable { append(contentsOf: $0) }
        if isAppended == nil { append(contentsOf: text.utf8) }
    }
}

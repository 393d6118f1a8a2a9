import Foundation

/// Remembers the numbers of endpoints by the texts of URLs, since a `URL` takes a microsecond to give its parts.
struct EndpointMemo: Sendable {
    fileprivate struct Entry: Sendable {
        /// The URL's text up to its path, in the spelling of the request.
        var origin: [UInt8]
        var method: HTTPMethod
        var template: String?
        var index: EndpointTable.Index
    }

    private static let size = 256
    /// Enough for a name of 255 bytes (RFC 1035 §2.3.4) with scheme and port.
    private static let longestOrigin = 300
    private var entries: [Entry?] = Array(repeating: nil, count: size)

    init() {}

    /// `nil` if the endpoint is not remembered.
    func index(of head: HTTPRequestHead, _ template: String?) -> EndpointTable.Index? {
        var text = head.url.absoluteString
        return text.withUTF8 { text in
            let origin = text.prefix(Self.originLength(text))
            return entries[Self.slot(origin, head.method, template)]?.index(of: origin, head.method, template)
        }
    }

    mutating func keep(_ index: EndpointTable.Index, of head: HTTPRequestHead, _ template: String?) {
        var text = head.url.absoluteString
        text.withUTF8 { text in
            let origin = text.prefix(Self.originLength(text))
            // A redirect may have an origin of any length. Userinfo is a secret, which is not to be kept.
            guard origin.count <= Self.longestOrigin, !origin.contains(UInt8(ascii: "@")) else { return }
            entries[Self.slot(origin, head.method, template)] = Entry(
                origin: Array(origin), method: head.method, template: template, index: index)
        }
    }

    /// The number of bytes before the path, query or fragment that follow `//` and the authority.
    private static func originLength(_ url: UnsafeBufferPointer<UInt8>) -> Int {
        var (position, slashes) = (0, 0)
        while position < url.count {
            let byte = url[position]
            if byte == UInt8(ascii: "/") { slashes += 1 }
            if slashes == 3 || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
            position += 1
        }
        return position
    }

    /// Of the origin's end, where host names and ports differ most, and its length: a collision costs time only.
    private static func slot(_ origin: Slice<UnsafeBufferPointer<UInt8>>, _ method: HTTPMethod, _ template: String?)
        -> Int
    {
        // FNV-1a.
        var hash: UInt32 = 2_166_136_261
        func add(_ byte: UInt8) { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        add(UInt8(truncatingIfNeeded: origin.count))
        for byte in origin.suffix(8) { add(byte) }
        add(method.rawValue.utf8.first ?? 0)
        if let template { for byte in template.utf8.suffix(8) { add(byte) } }
        return Int(hash >> 16 ^ hash) & (size - 1)
    }
}

extension EndpointMemo.Entry {
    /// `nil` if the entry is that of another endpoint.
    fileprivate func index(
        of origin: Slice<UnsafeBufferPointer<UInt8>>, _ method: HTTPMethod, _ template: String?
    ) -> EndpointTable.Index? {
        guard self.origin.count == origin.count, self.method == method, self.template == template,
            let bytes = origin.base.baseAddress,
            self.origin.withUnsafeBytes({ $0.baseAddress.map { memcmp($0, bytes, origin.count) == 0 } ?? true })
        else { return nil }
        return index
    }
}

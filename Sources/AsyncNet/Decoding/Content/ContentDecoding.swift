import CCompression

/// The content codings that can be decoded (RFC 9110 §8.4.1), if their library is installed; it is loaded on first use.
enum ContentDecoding: String, CaseIterable, Sendable {
    case gzip, deflate
    case brotli = "br"
    case zstd

    /// The coding with this name in `Content-Encoding`; `nil` for an unknown name.
    init?(name: String) {
        switch name {
        case "x-gzip": self = .gzip
        default: self.init(rawValue: name)
        }
    }

    private static let hasZlib = (try? Zlib.check()) != nil
    private static let hasBrotli = lz_load_brotli(Platform.brotliName) != 0
    private static let hasZstd = lz_load_zstd(Platform.zstdName) != 0

    var isAvailable: Bool {
        switch self {
        case .gzip, .deflate: Self.hasZlib
        case .brotli: Self.hasBrotli
        case .zstd: Self.hasZstd
        }
    }

    /// The header line with the codings that can be decoded.
    static let acceptEncoding: StaticString =
        switch (hasZlib, hasBrotli, hasZstd) {
        case (true, true, true): "Accept-Encoding: gzip, deflate, br, zstd"
        case (true, true, false): "Accept-Encoding: gzip, deflate, br"
        case (true, false, true): "Accept-Encoding: gzip, deflate, zstd"
        case (true, false, false): "Accept-Encoding: gzip, deflate"
        default: "Accept-Encoding: identity"
        }

    /// The limit of codings, each of which multiplies the work that a few bytes can cause.
    private static let mostCodings = 5

    /// The codings of a body, in the order in which they were applied; empty without `Content-Encoding` and for
    /// `identity`.
    ///
    /// - Throws: ``AsyncNetError`` with code `.badContentEncoding` for a coding that cannot be decoded.
    static func codings(in fields: [String]) throws(AsyncNetError) -> [ContentDecoding] {
        var codings: [ContentDecoding] = []
        for name in fields.flatMap({ $0.split(separator: ",") }).map({ String($0).trimmedHTTPSpace.lowercased() })
        where !name.isEmpty && name != "identity" {
            guard let coding = ContentDecoding(name: name), coding.isAvailable else { throw unknown(name) }
            codings.append(coding)
        }
        guard codings.count <= mostCodings else {
            throw AsyncNetError(.badContentEncoding, "The response's body has more than \(mostCodings) content codings")
        }
        return codings
    }

    private static func unknown(_ name: String) -> AsyncNetError {
        let shown =
            name.unicodeScalars.prefix(40).allSatisfy { $0.value > 0x20 && $0.value < 0x7F }
            ? "\"\(name.prefix(40))\" " : ""
        return AsyncNetError(
            .badContentEncoding,
            "The content coding \(shown)of the response's body is unknown, or its library was not found")
    }
}

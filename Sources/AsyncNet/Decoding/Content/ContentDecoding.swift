import CAsyncNetCompression

/// The content codings that can be decoded (RFC 9110 §8.4.1), if their library is installed; it is loaded on first use.
package enum ContentDecoding: String, CaseIterable, Sendable {
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

    /// The first bytes of a further stream, an array for each kind; empty for a coding with only one stream.
    var magic: [[UInt8]] {
        switch self {
        case .gzip: [[0x1F, 0x8B]]
        case .deflate, .brotli: []
        case .zstd: [[0x28, 0xB5, 0x2F, 0xFD]] + (0x50...0x5F).map { [$0, 0x2A, 0x4D, 0x18] }
        }
    }

    /// The codings in IANA's registry that this library does not decode.
    private static let foreign: Set<String> = [
        "aes128gcm", "compress", "dcb", "dcz", "exi", "pack200-gzip", "x-compress",
    ]

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

    /// The value of `Accept-Encoding` with the codings that can be decoded.
    package static let acceptEncoding =
        switch (hasZlib, hasBrotli, hasZstd) {
        case (true, true, true): "gzip, deflate, br, zstd"
        case (true, true, false): "gzip, deflate, br"
        case (true, false, true): "gzip, deflate, zstd"
        case (true, false, false): "gzip, deflate"
        default: "identity"
        }

    /// The limit of a body's codings: each coding multiplies the work that a few bytes can cause.
    private static let mostCodings = 5

    /// The names in these headers except `identity`, in lower case.
    static func names(in fields: [String]) -> [String] {
        fields.flatMap { $0.split(separator: ",") }.map { String($0).trimmedHTTPSpace.lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
    }

    /// The codings of a body, in the order in which they were applied; empty without `Content-Encoding`, for
    /// `identity`, and if a registered coding cannot be decoded here: the body then stays as it was sent (Fetch,
    /// "handle content codings").
    ///
    /// Some servers send names that are no codings: `aws-chunked`, `UTF-8`, `binary`, `none`. A name that is not in
    /// IANA's registry is ignored, as Firefox and urllib3 do.
    ///
    /// - Throws: ``AsyncNetError`` with code `.badContentEncoding` for a coding whose library was not found, and for
    ///   too many codings.
    static func codings(in fields: [String]) throws(AsyncNetError) -> [ContentDecoding] {
        var codings: [ContentDecoding] = []
        let names = names(in: fields)
        guard foreign.isDisjoint(with: names) else { return [] }
        for coding in names.compactMap(ContentDecoding.init(name:)) {
            guard coding.isAvailable else {
                throw AsyncNetError(
                    .badContentEncoding,
                    "The response's body has the content coding \"\(coding.rawValue)\", whose library was not found")
            }
            codings.append(coding)
        }
        guard codings.count <= mostCodings else {
            throw AsyncNetError(.badContentEncoding, "The response's body has more than \(mostCodings) content codings")
        }
        return codings
    }
}

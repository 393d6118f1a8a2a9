import Foundation

/// Decodes the body as text.
///
/// The encoding is the given one, else the `charset` of the Content-Type if it is known, else UTF-8. A byte order mark
/// is removed. Bytes that are invalid in that encoding are an error, `.decodingFailed`, never replacement characters.
/// An empty body is an empty string.
struct StringSerializer: ResponseSerializer, PlacedSerializer {
    var encoding: String.Encoding?
    var preprocessor: any DataPreprocessor = .passthrough
    var emptyBodies = EmptyBodies.all
    var place: SerializerPlace { preprocessor.isOwn ? .hereIfSmall : .apart }

    func serialize(_ response: RawResponse) async throws -> String {
        try emptyBodies.check(response)
        let data = try preprocessor.preprocess(response.data)
        let charset = response.head.mediaType?.charset
        let encoding = encoding ?? charset.flatMap { String.Encoding(charset: $0) } ?? .utf8
        guard let text = Self.decode(data, as: encoding) else {
            let name = charset.map { "charset \"\($0)\"" } ?? "UTF-8"
            throw AsyncNetError(.decodingFailed, "The body is not text in \(self.encoding.map { "\($0)" } ?? name)")
        }
        return text
    }

    static func decode(_ data: Data, as encoding: String.Encoding) -> String? {
        if encoding == .utf8 {
            let bom: [UInt8] = [0xEF, 0xBB, 0xBF]
            return String(validating: data.starts(with: bom) ? data.dropFirst(3) : data, as: UTF8.self)
        }
        if encoding == .macOSRoman {
            let scalars = data.lazy.map {
                $0 < 0x80 ? Unicode.Scalar($0) : String.Encoding.macRomanUpperHalf[Int($0) - 0x80]
            }
            return String(String.UnicodeScalarView(scalars))
        }
        // Foundation would drop the bytes of an incomplete code unit at the end.
        guard data.count % encoding.unitSize == 0, let text = String(data: data, encoding: encoding) else { return nil }
        return text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }
}

extension String.Encoding {
    fileprivate var unitSize: Int {
        switch self {
        case .utf16, .utf16BigEndian, .utf16LittleEndian: 2
        case .utf32, .utf32BigEndian, .utf32LittleEndian: 4
        default: 1
        }
    }
}

import Foundation

/// One request of a sequence, and which hop of its redirects: what the server draws its reply from.
///
/// It is in the request's path, and for HTTP/2 in a header of letters that HPACK's Huffman code makes no shorter, so
/// that a server that does not decode HPACK finds them as they are.
struct StepID: Equatable {
    var sequence: UInt64
    var number: Int
    var hop = 0
    var kind: Kind

    var path: String { "/\(kind.rawValue)/\(sequence)/\(number)/\(hop)" }

    init(sequence: UInt64, number: Int, hop: Int = 0, kind: Kind) {
        (self.sequence, self.number, self.hop, self.kind) = (sequence, number, hop, kind)
    }

    init?(target: String) {
        let parts = target.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").suffix(4).map(String.init)
        guard parts.count == 4, let kind = Kind(rawValue: parts[0]), let sequence = UInt64(parts[1]),
            let number = Int(parts[2]),
            let hop = Int(parts[3])
        else { return nil }
        self.init(sequence: sequence, number: number, hop: hop, kind: kind)
    }

    /// A generator for this reply alone.
    var random: Randomness { Randomness(seed: sequence, number, hop) }

    // MARK: In letters

    private static let letters = Array("XZ&*".utf8)
    private static let mark = Array("*&*&*&".utf8)

    var letters: String {
        let digits = [sequence, UInt64(number)].flatMap { value in
            (0..<32).map { Self.letters[Int(value >> (2 * UInt64($0)) & 3)] }
        }
        return String(decoding: Self.mark + digits, as: UTF8.self)
    }

    /// The first that is in these bytes, as one of HTTP/2.
    init?(letters bytes: Data) {
        guard let mark = bytes.firstRange(of: Data(Self.mark)), bytes.endIndex - mark.upperBound >= 64 else {
            return nil
        }
        let digits = bytes[mark.upperBound...].prefix(64).map { Self.letters.firstIndex(of: $0) }
        guard !digits.contains(nil) else { return nil }
        let values = [0, 32].map { start in
            (0..<32).reduce(UInt64(0)) { $0 | UInt64(digits[start + $1] ?? 0) << (2 * UInt64($1)) }
        }
        self.init(sequence: values[0], number: Int(truncatingIfNeeded: values[1]), kind: .http2)
    }
}

import Foundation

/// What a form looks like on the wire.
extension MultipartForm {
    /// The delimiter and head before a part.
    ///
    /// - Throws: ``AsyncNetError`` with code `.encodingFailed` for a header that would break out of the head.
    func opening(_ part: Part) throws(AsyncNetError) -> Data {
        var text = "--\(boundary)\r\n"
        for header in part.headers {
            guard HTTPSyntax.isToken(header.name) else {
                throw AsyncNetError(.encodingFailed, "The name of a part's header is not a token")
            }
            guard HTTPSyntax.isFieldValue(header.value) else {
                let what = header.hasName("Content-Disposition") ? "name or file name" : "header \(header.name)"
                let reason = "A part's \(what) holds a control character, which no header can have"
                throw AsyncNetError(.encodingFailed, reason)
            }
            text += "\(header.name): \(header.value)\r\n"
        }
        return Data("\(text)\r\n".utf8)
    }

    /// What ends the form; a form without parts is nothing else.
    var closing: Data { Data("--\(boundary)--\r\n".utf8) }

    /// What browsers escape in names and file names, and nothing else.
    static func escaped(_ name: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": escaped += "%22"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// With CR LF for every line break, as browsers have it in names, though not in file names.
    static func normalized(_ name: String) -> String {
        guard name.unicodeScalars.contains(where: { $0 == "\r" || $0 == "\n" }) else { return name }
        var (normalized, last) = ("", Unicode.Scalar(0))
        for scalar in name.unicodeScalars {
            if scalar == "\n", last == "\r" {
                // Went with the CR before it.
            } else if scalar == "\r" || scalar == "\n" {
                normalized += "\r\n"
            } else {
                normalized.unicodeScalars.append(scalar)
            }
            last = scalar
        }
        return normalized
    }

    /// 128 random bits: files and streams, which are not looked into, hold it by chance never.
    static func randomBoundary() -> String {
        var generator = SystemRandomNumberGenerator()
        func word() -> String {
            let hex = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - hex.count) + hex
        }
        return "AsyncNet-\(word())\(word())"
    }

    /// RFC 2046 §5.1.1.
    static func isBoundary(_ text: String) -> Bool {
        1...70 ~= text.utf8.count && text.last != " "
            && text.utf8.allSatisfy {
                $0.asciiLowercased &- 0x61 < 26 || $0 &- 0x30 < 10 || "'()+_,-./:=? ".utf8.contains($0)
            }
    }

    /// Quoted where it is no token (RFC 9110 §5.6.6).
    static func quotedIfNeeded(_ boundary: String) -> String {
        HTTPSyntax.isToken(boundary) ? boundary : "\"\(boundary)\""
    }
}

/// Looks for bytes among others.
enum ByteSearch {
    /// Each step looks at the place where the needle would end and leaps as far as the byte there allows (Horspool), so
    /// that most bytes of a large part are never looked at.
    static func contains(_ needle: Data, in haystack: Data) -> Bool {
        guard !needle.isEmpty, needle.count <= haystack.count else { return false }
        return haystack.withUnsafeBytes { haystack in
            needle.withUnsafeBytes { needle in find(needle, haystack) }
        }
    }

    private static func find(_ needle: UnsafeRawBufferPointer, _ haystack: UnsafeRawBufferPointer) -> Bool {
        let last = needle.count - 1
        var leaps = [Int](repeating: needle.count, count: 256)
        for index in 0..<last { leaps[Int(needle[index])] = last - index }
        var end = last
        while end < haystack.count {
            var offset = 0
            while offset <= last, haystack[end - offset] == needle[last - offset] { offset += 1 }
            if offset > last { return true }
            end += leaps[Int(haystack[end])]
        }
        return false
    }
}

public import AsyncNet
public import HTTPTypes

extension HTTPFields {
    /// AsyncNet's headers as fields, in their order and with their repetitions.
    ///
    /// A `Cookie` header becomes a field for each cookie, as swift-http-types has it (RFC 9113 §8.2.3). Headers of
    /// `HTTPHeader.omitting(_:)` are left out.
    ///
    /// - Throws: `.invalidRequest` if a name is not a token, or a value contains a control character (RFC 9110 §5.1,
    ///   §5.5).
    public init(_ headers: HTTPHeaders) throws(AsyncNetError) {
        try self.init(headers, otherwise: .invalidRequest)
    }

    init(_ headers: HTTPHeaders, otherwise code: AsyncNetError.Code) throws(AsyncNetError) {
        self.init()
        reserveCapacity(headers.count)
        for header in headers where !header.isOmitted {
            guard let name = HTTPField.Name(header.name) else {
                throw AsyncNetError(code, "A header's name is not a token")
            }
            for value in header.fieldValues(of: name) {
                guard HTTPField.isValidValue(value) else {
                    throw AsyncNetError(code, "The value of header \(header.name) contains a control character")
                }
                append(HTTPField(name: name, value: value))
            }
        }
    }
}

extension HTTPHeaders {
    /// The fields as AsyncNet's headers, in their order and with their repetitions.
    ///
    /// Several `Cookie` fields become one header in the place of the first, since HTTP/1.1 allows only one (RFC 6265
    /// §5.4).
    ///
    /// - Throws: `.invalidRequest` if the bytes of a value are not UTF-8.
    public init(_ fields: HTTPFields) throws(AsyncNetError) {
        self.init()
        var hasCookie = false
        for field in fields {
            guard field.name == .cookie else {
                add(name: field.name.rawName, value: try field.text)
                continue
            }
            if !hasCookie { add(name: field.name.rawName, value: try Self.cookie(in: fields)) }
            hasCookie = true
        }
    }

    private static func cookie(in fields: HTTPFields) throws(AsyncNetError) -> String {
        var pairs: [String] = []
        for field in fields[fields: .cookie] { pairs.append(try field.text) }
        return pairs.joined(separator: "; ")
    }
}

extension HTTPHeader {
    /// Whether this is the mark that `HTTPHeader.omitting` makes, which is no header.
    fileprivate var isOmitted: Bool { self == .omitting(name) }

    /// The values of the fields that this header becomes; more than one for `Cookie` only.
    fileprivate func fieldValues(of name: HTTPField.Name) -> [String] {
        guard name == .cookie else { return [value.trimmed] }
        return value.split(separator: ";").map { String($0).trimmed }
    }
}

extension HTTPField {
    /// The value without spaces around it, which would have another meaning in a header of AsyncNet.
    fileprivate var text: String {
        get throws(AsyncNetError) {
            guard let text = withUnsafeBytesOfValue({ String(validating: $0, as: UTF8.self) }) else {
                throw AsyncNetError(.invalidRequest, "The value of field \(name) is not UTF-8")
            }
            return text.trimmed
        }
    }
}

extension String {
    /// The text without spaces and tabs at its ends (RFC 9110 §5.5).
    fileprivate var trimmed: String {
        func isSpace(_ character: Unicode.Scalar) -> Bool { character == " " || character == "\t" }
        let start = unicodeScalars.firstIndex { !isSpace($0) } ?? unicodeScalars.endIndex
        guard let last = unicodeScalars.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(unicodeScalars[start...last])
    }
}

extension AsyncNetError {
    init(bodyLargerThan limit: Int64) {
        self.init(.bodyTooLarge, "The response's body is larger than the limit of \(limit) bytes")
    }

    /// An error of a decoder, with a message that names the invalid value and its path.
    ///
    /// - Parameter known: The reason, if the caller knows it better than the error says.
    init(
        decoding type: any Any.Type, _ error: any Error, in subject: String = "The body", because known: String? = nil
    ) {
        if error is AsyncNetError || error is CancellationError {
            self.init(wrapping: error, as: .decodingFailed)
        } else {
            let reason = known ?? (error as? DecodingError).map(Self.reason) ?? "The decoder failed"
            self.init(.decodingFailed, "\(subject) could not be decoded as \(type). \(reason)", underlyingError: error)
        }
    }

    private static func reason(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "\(path(context.codingPath + [key])) is missing"
        case .valueNotFound(let type, let context): "\(path(context.codingPath)) is null or missing, not \(type)"
        case .typeMismatch(let type, let context): "\(path(context.codingPath)) is not \(type)"
        case .dataCorrupted(let context):
            context.codingPath.isEmpty
                ? "It is not well-formed, or a number in it does not fit its type"
                : "\(path(context.codingPath)) is corrupt"
        @unknown default: "The decoder failed"
        }
    }

    /// The path as text. Names are shortened and escaped, since a hostile server may choose them, as in a dictionary.
    static func path(_ keys: [any CodingKey]) -> String {
        guard !keys.isEmpty else { return "The document" }
        return keys.prefix(20).reduce(into: "") { path, key in
            path += key.intValue.map { "[\($0)]" } ?? "\(path.isEmpty ? "" : ".")\(key.stringValue.shownInMessage)"
        }
    }
}

extension String {
    /// The text for a message: its first 100 scalars, with those that are not printable escaped.
    var shownInMessage: String {
        unicodeScalars.prefix(100).map { $0.isPrintable ? String($0) : $0.escaped(asASCII: true) }.joined()
    }
}

extension Unicode.Scalar {
    fileprivate var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}

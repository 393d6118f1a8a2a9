import Foundation

extension AsyncNetError {
    /// A body that went on after what was allowed.
    package init(bodyLargerThan limit: Int64) {
        self.init(.bodyTooLarge, "The response's body is larger than the \(limit) bytes that are allowed")
    }

    /// What a decoder threw, told in one sentence: which value is wrong, and where.
    package init(decoding type: any Any.Type, _ error: any Error) {
        if error is AsyncNetError || error is CancellationError {
            self.init(wrapping: error, as: .decodingFailed)
        } else {
            let reason = (error as? DecodingError).map(Self.reason) ?? "The decoder refused it"
            self.init(.decodingFailed, "The body could not be decoded as \(type). \(reason)", underlyingError: error)
        }
    }

    private static func reason(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "\(path(context.codingPath + [key])) is missing"
        case .valueNotFound(let type, let context): "\(path(context.codingPath)) is null or missing, not \(type)"
        case .typeMismatch(let type, let context): "\(path(context.codingPath)) is not \(type)"
        case .dataCorrupted(let context):
            context.codingPath.isEmpty ? "It is not well-formed" : "\(path(context.codingPath)) is corrupt"
        @unknown default: "The decoder refused it"
        }
    }

    static func path(_ keys: [any CodingKey]) -> String {
        guard !keys.isEmpty else { return "The document" }
        return keys.reduce(into: "") { path, key in
            path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? key.stringValue : ".\(key.stringValue)")
        }
    }
}

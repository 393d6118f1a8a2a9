extension AsyncNetError {
    /// An error of an encoder, with a message that names the path of the value, not the value.
    init(encoding error: any Error) {
        guard case EncodingError.invalidValue(_, let context) = error else {
            self.init(wrapping: error, as: .encodingFailed)
            return
        }
        let what =
            context.codingPath.isEmpty
            ? "The parameters cannot be encoded. \(context.debugDescription)"
            : "The parameters' \(Self.path(context.codingPath)) cannot be encoded"
        self.init(.encodingFailed, what, underlyingError: error)
    }
}

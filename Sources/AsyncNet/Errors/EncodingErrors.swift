extension AsyncNetError {
    /// An error of an encoder. The message names the path of the value, not the value; for the value at the top it is
    /// the encoder's own description.
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

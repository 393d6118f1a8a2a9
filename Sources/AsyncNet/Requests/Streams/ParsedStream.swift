/// The elements that a parser makes of a stream's chunks.
struct ParsedStream<Parser: StreamParser>: AsyncSequence, Sendable where Parser.Element: Sendable {
    let chunks: StreamChunks
    /// Makes the parser when the response's head has arrived.
    let makeParser: @Sendable (HTTPResponseHead) -> Parser

    func makeAsyncIterator() -> Iterator { Iterator(sequence: self, chunks: chunks.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        let sequence: ParsedStream
        var chunks: StreamChunks.Iterator
        private var parser: Parser?
        private var found: ArraySlice<Parser.Element> = []
        private var isOver = false

        init(sequence: ParsedStream, chunks: StreamChunks.Iterator) {
            self.sequence = sequence
            self.chunks = chunks
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(AsyncNetError) -> Parser.Element? {
            while true {
                if let element = found.popFirst() { return element }
                if isOver { return nil }
                try await parseMore(isolation: actor)
            }
        }

        /// An error of the parser ends the stream, with the request's context added to the error.
        private mutating func parseMore(isolation actor: isolated (any Actor)?) async throws(AsyncNetError) {
            let request = sequence.chunks.request
            do {
                let chunk = try await chunks.next(isolation: actor)
                // Taken out: a second copy would make the parser copy its buffer for each chunk.
                var parser =
                    if let parser = self.parser.take() { parser } else { sequence.makeParser(try await request.head) }
                defer { self.parser = parser }
                found = try (chunk.map { try parser.receive($0) } ?? parser.finish())[...]
                isOver = chunk == nil
            } catch {
                isOver = true
                throw AsyncNetError(wrapping: error, as: .decodingFailed).with(
                    request.engine.record.outcome(nil).errorContext)
            }
        }
    }
}

extension StreamRequest {
    /// The body line by line, in UTF-8; a line ends with LF, CR LF or CR, which are not included.
    ///
    /// A line of more than a mebibyte ends the stream with `.lineTooLong`; see
    /// ``lines(maximumLength:automaticallyCancelling:)``.
    public var lines: some AsyncSequence<String, any Error> & Sendable {
        lines(maximumLength: StreamLimit.line)
    }

    /// The body line by line; a line of more than `maximumLength` bytes, by default a mebibyte, ends the stream with
    /// `.lineTooLong`. `automaticallyCancelling` is as for ``chunks(automaticallyCancelling:)``.
    public func lines(
        maximumLength: Int = 1 << 20, automaticallyCancelling: Bool = true
    ) -> some AsyncSequence<String, any Error> & Sendable {
        ParsedStream(chunks: StreamChunks(request: self, isCancelling: automaticallyCancelling)) { _ in
            LineParser(limit: maximumLength)
        }.map { line throws in line }
    }

    /// The body as JSON texts, either a text per line (JSON Lines) or each after a record separator (RFC 7464), decoded
    /// as they arrive.
    ///
    /// Blank lines are skipped. A text that cannot be decoded, by default by the session's
    /// ``SessionConfiguration/decoder``, ends the stream with `.decodingFailed`, and one of more than `maximumLength`
    /// bytes, by default 16 MiB, with `.lineTooLong`; memory is used for the text that arrives, not for the limit.
    /// `automaticallyCancelling` is as for ``chunks(automaticallyCancelling:)``.
    public func decoding<Value: Decodable & Sendable>(
        _ type: Value.Type, decoder: (any DataDecoder)? = nil, maximumLength: Int = 16 << 20,
        automaticallyCancelling: Bool = true
    ) -> some AsyncSequence<Value, any Error> & Sendable {
        let decoding = StreamDecoding(engine, decoder)
        return jsonTexts(maximumLength, automaticallyCancelling).map { item throws in
            try await decoding.value(type, in: "The body", item.get)
        }
    }

    /// The body as JSON texts, decoded on the actor of the loop, for a `Decodable` conformance isolated to it.
    @_disfavoredOverload
    public func decoding<Value: Decodable>(
        _ type: Value.Type, decoder: (any DataDecoder)? = nil, maximumLength: Int = 16 << 20
    ) -> ActorBoundValues<Value> {
        let decoding = StreamDecoding(engine, decoder)
        return ActorBoundValues {
            var texts = jsonTexts(maximumLength).makeAsyncIterator()
            return {
                try await texts.next(isolation: #isolation).map {
                    ActorBoundValues.Piece(decoding: decoding, subject: "The body", data: $0.get)
                }
            }
        }
    }

    private func jsonTexts(
        _ maximumLength: Int, _ automaticallyCancelling: Bool = true
    ) -> ParsedStream<JSONSequenceParser> {
        ParsedStream(chunks: StreamChunks(request: self, isCancelling: automaticallyCancelling)) {
            JSONSequenceParser(mediaType: $0.mediaType, limit: maximumLength)
        }
    }
}

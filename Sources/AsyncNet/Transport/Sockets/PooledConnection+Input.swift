extension PooledConnection {
    /// A parser takes whole lines or frames, as many as a turn may, and returns how many bytes it has taken.
    typealias Parser = (UnsafeRawBufferPointer) throws(AsyncNetError) -> Int

    /// Parses what was received, after what is left from before, and keeps the rest.
    func take(_ received: UnsafeRawBufferPointer, _ parse: Parser) throws(AsyncNetError) {
        guard rest.isEmpty else {
            rest.append(contentsOf: received)
            _ = try takeRest(parse)
            return
        }
        let taken = try parse(received)
        if taken < received.count { rest = Array(received[taken...]) }
    }

    /// Parses what is left from before; returns how many bytes were taken.
    func takeRest(_ parse: Parser) throws(AsyncNetError) -> Int {
        var input = rest
        (rest, hasWaitingParts) = ([], false)
        let taken = try input.withBytes(parse)
        guard taken < input.count else { return taken }
        input.removeFirst(taken)
        rest = input
        return taken
    }
}

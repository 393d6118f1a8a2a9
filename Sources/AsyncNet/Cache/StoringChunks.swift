import Foundation

extension TransportBody {
    /// The body, with a closure that gets each chunk, and a closure that is called once at the body's end, with the
    /// error if the body breaks off. If the reader stops before the end, `onEnd` is not called.
    fileprivate func watched(
        onChunk: (@Sendable (Data) async -> Void)? = nil, onEnd: (@Sendable ((any Error)?) async -> Void)? = nil
    ) -> TransportBody {
        TransportBody(reading: {
            var (chunks, onEnd) = (makeAsyncIterator(), onEnd)
            return {
                do {
                    let chunk = try await chunks.next()
                    if let chunk { await onChunk?(chunk) } else { await onEnd.take()?(nil) }
                    return chunk
                } catch {
                    await onEnd.take()?(error)
                    throw error
                }
            }
        })
    }
}

extension TransportResponse {
    /// The response with a body that is stored as it is read. The response is stored once the body has been read to its
    /// end and decoded; a body in memory without a content coding is stored at once.
    func storing(in writer: CheckedWriter) async -> TransportResponse {
        if let data = body.data, !isCoded {
            await writer.append(data)
            await writer.commit()
            return self
        }
        var copy = self
        copy.body = body.watched(onChunk: { await writer.append($0) })
        copy = copy.decoded
        copy.body = copy.body.watched(onEnd: { if $0 == nil { await writer.commit() } })
        return copy
    }

    /// The response with a decoded body. Calls the closure if the body cannot be decoded.
    func decoded(otherwise remove: @escaping @Sendable () async -> Void) -> TransportResponse {
        guard isCoded else { return self }
        var copy = decoded
        copy.body = copy.body.watched(onEnd: {
            if ($0 as? AsyncNetError)?.code == .badContentEncoding { await remove() }
        })
        return copy
    }

    private var isCoded: Bool { !isContentDecoded && decoded.isContentDecoded }
}

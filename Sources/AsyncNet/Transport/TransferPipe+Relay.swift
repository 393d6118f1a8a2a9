import Foundation

/// The relay: a reader that only writes the body somewhere gets each chunk on the transport's thread. This saves the
/// change of threads for each chunk, and the file.
extension TransferPipe {
    /// Called with a chunk on the transport's thread; `false` ends the relay, and the pipe stores the chunks after it.
    typealias Relay = @Sendable (Data) -> Bool

    /// Calls `relay` with the chunks that arrive until it returns `false` or the transfer ends.
    ///
    /// The reader suspends until the relay has ended, also after an abort, so no call outlives this function.
    ///
    /// - Returns: `false` if the pipe does not relay: the transport can pause, or bytes wait to be read first.
    func relay(_ relay: @escaping Relay) async -> Bool {
        let isRelayed = state.withLock { state in
            guard state.machine.beginRelay() else { return false }
            (state.file, state.relay) = (nil, relay)
            return true
        }
        if isRelayed { await wait(for: .endOfRelay) }
        return isRelayed
    }

    func deliver(_ chunk: Data, to relay: Relay?) {
        let wantsMore = relay?(chunk) == true
        state.withLock { $0.relayReturned(wantsMore: wantsMore) }?.resume()
    }
}

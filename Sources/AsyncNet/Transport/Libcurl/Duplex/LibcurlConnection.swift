import Foundation

/// A duplex connection over libcurl: the tasks' side of it.
final class LibcurlConnection: DuplexConnection {
    let info: ConnectionInfo
    private let opening: DuplexLoop.Opening
    private let loop: DuplexLoop

    private init(_ opening: DuplexLoop.Opening, _ info: ConnectionInfo, _ loop: DuplexLoop) {
        (self.opening, self.info, self.loop) = (opening, info, loop)
    }

    deinit { loop.post(.abort(opening.id, nil)) }

    /// Opens a connection on the loop's thread; a cancelled task stops that at once.
    static func open(_ request: DuplexRequest, _ loop: DuplexLoop) async throws(AsyncNetError) -> LibcurlConnection {
        let opening = try loop.open(request)
        do throws(AsyncNetError) {
            let info = try await opening.opened.value()
            return LibcurlConnection(opening, info, loop)
        } catch {
            loop.post(.abort(opening.id, error))
            throw error
        }
    }

    func receive() async throws -> Data? { try await opening.pipe.receive() }

    func send(_ data: Data) throws { try opening.pipe.send(data) }

    func sendingRoom() async throws { try await opening.pipe.sendingRoom() }

    func finishSending() throws {
        guard !opening.isEncrypted else {
            throw AsyncNetError(
                .unsupportedByTransport,
                "libcurl cannot end one direction of a connection with TLS, or through an HTTPS proxy: use close()")
        }
        try opening.pipe.finishSending()
    }

    func close() async {
        await opening.pipe.close()
        if Task.isCancelled { loop.post(.abort(opening.id, nil)) }
    }

    func abort(_ error: AsyncNetError?) {
        loop.post(.abort(opening.id, error ?? AsyncNetError(.connectionLost, "The connection was aborted")))
    }
}

// The jobs by which other threads use the engine of a loop, through the loop's inbox.

extension SocketTransport {
    func start(_ request: TransportRequest) throws(AsyncNetError) -> TransferPipe {
        let setup = try setup.get()
        let url = request.head.urlText
        let loop = loops[setup.distribution.loop(for: url.originKey) { loops[$0].load }]
        let transfer = try SocketTransfer(request, to: url, setup, loop)
        // Closures that refer to one object allocate nothing. The pipe releases these at its end, which breaks the
        // retain cycle.
        transfer.pipe.connect(onAbort: { transfer.cancel() }, onDemand: { transfer.resume() })
        do throws(AsyncNetError) {
            try loop.submit { SocketEngine.on($0, transfer.setup).start(transfer) }
        } catch {
            transfer.pipe.finish(.failure(error))
        }
        return transfer.pipe
    }

    func close() {
        for loop in loops {
            loop.close()
            loop.post { SocketEngine.of($0)?.closeStreams() }
        }
    }
}

extension SocketTransfer {
    fileprivate func cancel() { loop.post { SocketEngine.of($0)?.cancel(self) } }

    func resume() { loop.post { _ in self.carrier?.resume(self) } }

    /// A source that reads the body. When bytes follow a pause of the source, the loop's engine resumes the transfer.
    var source: BodySource? { body.map { BodySource($0, tasks) { self.resume() } } }
}

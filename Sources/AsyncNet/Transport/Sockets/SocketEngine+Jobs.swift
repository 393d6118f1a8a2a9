// The jobs by which other threads use the engine of a loop, through the loop's inbox.

extension SocketTransport {
    func start(_ request: TransportRequest) throws(AsyncNetError) -> TransferPipe {
        let setup = try setup.get()
        let transfer = try SocketTransfer(request, setup.proxies)
        try setup.hosts.check(request.head.urlText)
        if transfer.route.endpoint.isTLS { _ = try setup.hosts.tls(for: transfer.route.endpoint) }
        let loop = loops[setup.distribution.loop(for: request.head.url.originKey) { loops[$0].load }]
        // The pipe releases these closures at its end, which breaks the retain cycle.
        transfer.pipe.connect(
            onAbort: { loop.post { SocketEngine.of($0)?.cancel(transfer) } },
            onDemand: { loop.post { SocketEngine.of($0)?.resume(transfer) } })
        do throws(AsyncNetError) {
            try loop.submit { SocketEngine.on($0, setup).start(transfer) }
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
    /// A source that reads the body. When a body that had no bytes has some, the loop's engine resumes the transfer.
    func source(on loop: SocketLoop) -> BodySource? {
        body.map { BodySource($0, tasks) { loop.post { SocketEngine.of($0)?.resume(self) } } }
    }
}

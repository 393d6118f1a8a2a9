extension RequestEngine {
    /// The request as the caller holds it.
    nonisolated var handle: any Request {
        switch target {
        case .memory: DataRequest(self)
        case .file(let sink): DownloadRequest(self, sink)
        case .stream(let sink): StreamRequest(self, sink)
        }
    }
}

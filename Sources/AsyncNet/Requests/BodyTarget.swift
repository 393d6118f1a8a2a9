/// Where the body of a request's response goes.
enum BodyTarget: Sendable {
    case memory
    case file(DownloadSink)
    case stream(StreamSink)

    var sink: any ResponseSink {
        switch self {
        case .memory: MemorySink()
        case .file(let sink): sink
        case .stream(let sink): sink
        }
    }
}

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

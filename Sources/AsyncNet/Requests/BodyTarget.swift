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

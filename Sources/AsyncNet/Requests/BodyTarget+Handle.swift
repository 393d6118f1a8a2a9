extension BodyTarget {
    func handle(of engine: RequestEngine) -> any Request {
        switch self {
        case .memory: DataRequest(engine)
        case .file(let sink): DownloadRequest(engine, sink)
        case .stream(let sink): StreamRequest(engine, sink)
        }
    }
}

extension DataRequest: CustomReflectable {
    /// What `dump` shows: which request it is. What it sends holds secrets.
    public nonisolated var customMirror: Mirror { Mirror(self, children: ["id": id, "kind": kind]) }
}

extension DownloadRequest: CustomReflectable {
    /// What `dump` shows: which request it is. What it sends holds secrets.
    public nonisolated var customMirror: Mirror { Mirror(self, children: ["id": id, "kind": kind]) }
}

extension StreamRequest: CustomReflectable {
    /// What `dump` shows: which request it is. What it sends holds secrets.
    public nonisolated var customMirror: Mirror { Mirror(self, children: ["id": id, "kind": kind]) }
}

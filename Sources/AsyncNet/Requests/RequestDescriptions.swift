import Synchronization

extension Request where Self: CustomReflectable {
    /// What `dump` shows: id and kind, since the rest may contain secrets.
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "kind": kind]) }
}

extension Request where Self: CustomStringConvertible {
    /// Method, URL without secrets, state, and the response's status: `GET https://example.com/a (finished, 200)`.
    /// Before its start a request shows no URL if code of the user's makes it, such as a router.
    public var description: String {
        let line = shownRequest.map { "\($0.head.method.rawValue) \($0.head.url.withoutSecrets)" }
        let status = engine.record.head.map { ", \($0.statusCode)" } ?? ""
        return "\(line ?? "A \(kind) request") (\(engine.shown.load(ordering: .relaxed))\(status))"
    }
}

extension Request where Self: CustomStringConvertible & CustomDebugStringConvertible {
    /// The request as a `curl` command without secrets, see ``curlDescription(showsSecrets:redaction:)``, and without a
    /// body of more than 64 KiB. Before its start a request that code of the user's makes, such as a router, is shown
    /// by its `description`.
    public var debugDescription: String {
        let command = CurlDescription(redaction: .standard, longestBody: 64 * 1024)
        return shownRequest.map(command.text) ?? description
    }
}

extension Request {
    /// The request for descriptions: as last sent, or as it would be sent if no code of the user's makes it.
    fileprivate var shownRequest: TransportRequest? { engine.record.request ?? engine.blueprint.shown }
}

protocol RequestSession: AnyObject, Sendable {
    nonisolated var environment: Environment { get }

    /// Adds the request to the running ones, and counts its transfer; throws `.sessionFinished` if the session has
    /// finished. Returns the purpose of the request's task.
    func begin(_ request: RequestEngine) async throws(AsyncNetError) -> Purpose

    /// Removes the request from the running requests. Its transfer may end later.
    func end(_ id: RequestID) async
}

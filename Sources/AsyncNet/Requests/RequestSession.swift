protocol RequestSession: AnyObject, Sendable {
    nonisolated var environment: Environment { get }

    /// Adds the request to the running requests, and counts its transfer.
    ///
    /// - Returns: What the request's task works for.
    /// - Throws: ``AsyncNetError`` with code `.sessionFinished` if the session has finished.
    func begin(_ request: RequestEngine) async throws(AsyncNetError) -> Purpose

    /// Removes the request from the running requests. Its transfer may end later.
    func end(_ id: RequestID) async
}

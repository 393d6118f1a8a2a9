import Foundation

/// A connection that the tasks of its pipe may use without the pipe's thread, as long as neither has to wait.
protocol DirectIO: AnyObject, Sendable {
    /// Runs what receives, or decides to, while nothing else does.
    ///
    /// - Parameter body: Gets a function that receives what has arrived.
    func inOrder(receiving body: (() -> DirectRead) -> Void)

    /// Runs what sends, or decides what to send, while nothing else does.
    ///
    /// - Parameter body: Gets a function that sends as much as the system takes at once, and returns the count: none also for
    ///   a connection that has failed, which the thread then finds out.
    func inOrder<Failure: Error>(sending body: ((Data) -> Int) throws(Failure) -> Void) throws(Failure)
}

/// What a task has received by itself.
enum DirectRead {
    /// - Parameter isLong: Whether this is one of many in a row.
    case bytes(Data, isLong: Bool)
    case nothing, end
    case failure(AsyncNetError)
}

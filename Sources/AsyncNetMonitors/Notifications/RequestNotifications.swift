public import AsyncNet
public import Foundation

/// The names of the notifications that a ``NotificationMonitor`` posts.
///
/// `Request` is a protocol, so a name is used with a type of requests: `DataRequest.didResumeNotification`. It is the
/// same name for each type.
extension Request {
    /// The request started, or was resumed.
    public static var didResumeNotification: Notification.Name { .named("didResume") }
    /// The request was suspended.
    public static var didSuspendNotification: Notification.Name { .named("didSuspend") }
    /// The request was cancelled; ``didFinishNotification`` follows.
    public static var didCancelNotification: Notification.Name { .named("didCancel") }
    /// The request is over. Posted once for each request that has started or was cancelled.
    public static var didFinishNotification: Notification.Name { .named("didFinish") }

    /// An attempt started, or was resumed with its request.
    public static var didResumeTaskNotification: Notification.Name { .named("didResumeTask") }
    /// A request of which an attempt runs was suspended.
    public static var didSuspendTaskNotification: Notification.Name { .named("didSuspendTask") }
    /// A request of which an attempt runs was cancelled; ``didCompleteTaskNotification`` follows.
    public static var didCancelTaskNotification: Notification.Name { .named("didCancelTask") }
    /// An attempt is over. Posted once for each ``didResumeTaskNotification`` that began an attempt.
    public static var didCompleteTaskNotification: Notification.Name { .named("didCompleteTask") }
}

extension Notification.Name {
    private static let prefix = "AsyncNet.notification.name.request."

    fileprivate static func named(_ name: String) -> Self { Self(prefix + name) }
}

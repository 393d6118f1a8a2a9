public import AsyncNet
public import Foundation

/// The names of the notifications that a ``NotificationMonitor`` posts.
///
/// `Request` is a protocol, so a name is that of a type of requests: `DataRequest.didResumeNotification`. Each type has
/// the same names.
extension Request {
    /// The request started, or was resumed.
    public static var didResumeNotification: Notification.Name { NotificationMonitor.didResume }
    /// The request was suspended.
    public static var didSuspendNotification: Notification.Name { NotificationMonitor.didSuspend }
    /// The request was cancelled.
    public static var didCancelNotification: Notification.Name { NotificationMonitor.didCancel }
    /// The request is over.
    public static var didFinishNotification: Notification.Name { NotificationMonitor.didFinish }

    /// An attempt started, or was resumed with its request.
    public static var didResumeTaskNotification: Notification.Name { NotificationMonitor.didResumeTask }
    /// A request of which an attempt runs was suspended.
    public static var didSuspendTaskNotification: Notification.Name { NotificationMonitor.didSuspendTask }
    /// A request of which an attempt runs was cancelled.
    public static var didCancelTaskNotification: Notification.Name { NotificationMonitor.didCancelTask }
    /// An attempt is over.
    public static var didCompleteTaskNotification: Notification.Name { NotificationMonitor.didCompleteTask }
}

public import AsyncNet
public import Foundation

/// Posts notifications of a session's requests, with Alamofire's names.
///
///     let session = Session(configuration: .init(monitors: [NotificationMonitor()]))
///     NotificationCenter.default.addObserver(
///         forName: DataRequest.didFinishNotification, object: nil, queue: .main
///     ) { notification in
///         guard let id = notification.requestID else { return }
///     }
///
/// A notification has the request's identifier and nothing else, so it contains no secrets:
/// `await session.requests.first { $0.id == id }` is the request while it runs.
///
/// Notifications of one request are posted in the order of its steps, outside of the requests, on a thread that the
/// observers may block; a notification may be posted after the request's outcome was delivered. A user interface gives
/// a queue, such as `.main`, to `addObserver`.
///
/// Alamofire's tasks are attempts here: the notifications of tasks are posted once for each attempt.
public struct NotificationMonitor: EventMonitor {
    private let center: NotificationCenter
    /// The requests of which an attempt runs.
    private let attempts = RunningAttempts()

    /// Makes a monitor that posts to a center, the default center if none is given.
    public init(center: NotificationCenter = .default) { self.center = center }

    /// Only the events that cost little time.
    public var interests: EventInterests { .minimal }

    /// Posts the notifications of the event.
    public func receive(_ event: SessionEvent) async {
        for name in attempts.notifications(of: event) {
            center.post(name: name, object: nil, userInfo: [Self.requestIDKey: event.requestID])
        }
    }

    /// The key of the `RequestID` in a notification's `userInfo`; see `Notification.requestID`.
    public static let requestIDKey = "AsyncNet.notification.key.requestID"
}

extension Notification {
    /// The request that a ``NotificationMonitor`` posted this notification of; `nil` for other notifications.
    public var requestID: RequestID? { userInfo?[NotificationMonitor.requestIDKey] as? RequestID }
}

/// Determines the notifications of each event, without I/O.
final class RunningAttempts: Sendable {
    private typealias Names = DataRequest
    private let running = Locked<Set<RequestID>>([])

    func notifications(of event: SessionEvent) -> [Notification.Name] {
        running.withLock { running in
            // The end of a request may be among the lost events.
            if event.lostBefore > 0 { running = [] }
            let id = event.requestID
            return switch event.event {
            case .resumed:
                [Names.didResumeNotification] + (running.contains(id) ? [Names.didResumeTaskNotification] : [])
            case .suspended:
                [Names.didSuspendNotification] + (running.contains(id) ? [Names.didSuspendTaskNotification] : [])
            case .attempt: running.insert(id).inserted ? [Names.didResumeTaskNotification] : []
            case .retried: running.remove(id) == nil ? [] : [Names.didCompleteTaskNotification]
            case .finished(let error): Self.end(error?.code == .cancelled, running.remove(id) != nil)
            default: []
            }
        }
    }

    private static func end(_ isCancelled: Bool, _ hasAttempt: Bool) -> [Notification.Name] {
        let cancel = [Names.didCancelNotification] + (hasAttempt ? [Names.didCancelTaskNotification] : [])
        let end = (hasAttempt ? [Names.didCompleteTaskNotification] : []) + [Names.didFinishNotification]
        return (isCancelled ? cancel : []) + end
    }
}

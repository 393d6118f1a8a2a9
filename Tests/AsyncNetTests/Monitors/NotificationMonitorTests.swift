import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

@Suite("Notifications", .timeLimit(.minutes(5)))
struct NotificationMonitorTests {
    private final class Notes: Sendable {
        let list = Locked<[(name: String, id: RequestID?, keys: [String])]>([])

        func add(_ note: Notification) {
            let name = note.name.rawValue.split(separator: ".").last.map(String.init) ?? ""
            list.withLock { $0.append((name, note.requestID, (note.userInfo ?? [:]).keys.map { "\($0)" })) }
        }
    }

    /// The notifications that were posted to a center of this value's own.
    private struct Posted {
        let center = NotificationCenter()
        private let notes = Notes()
        var names: [String] { notes.list.withLock { $0.map(\.name) } }
        var ids: Set<RequestID?> { notes.list.withLock { Set($0.map(\.id)) } }
        var keys: Set<[String]> { notes.list.withLock { Set($0.map(\.keys)) } }

        init() {
            for name in Self.all {
                _ = center.addObserver(forName: name, object: nil, queue: nil) { [notes] in notes.add($0) }
            }
        }

        private static let all = [
            DataRequest.didResumeNotification, UploadRequest.didSuspendNotification,
            DownloadRequest.didCancelNotification, StreamRequest.didFinishNotification,
            DataRequest.didResumeTaskNotification, DataRequest.didSuspendTaskNotification,
            DataRequest.didCancelTaskNotification, DataRequest.didCompleteTaskNotification,
        ]
    }

    private func session(_ posted: Posted, _ transport: some Transport, retries: Int = 0) -> Session {
        let policy = RetryPolicy(limit: retries, backoff: Backoff(scale: .zero))
        return Session(
            transport: transport,
            configuration: .init(interceptors: [policy], monitors: [NotificationMonitor(center: posted.center)]))
    }

    @Test("A request posts notifications of its start and end, with only its identifier")
    func success() async throws {
        let posted = Posted()
        let session = session(posted, StubTransport { _ in .status(200) })
        let request = session.request("http://h/?token=hunter")
        _ = try await request.serializing(Data.self).value
        await session.finish()
        #expect(posted.names == ["didResume", "didResumeTask", "didCompleteTask", "didFinish"])
        #expect(posted.ids == [request.id])
        #expect(posted.keys == [[NotificationMonitor.requestIDKey]])
    }

    @Test("Each attempt of a retried request posts notifications of a task")
    func retry() async throws {
        let posted = Posted()
        let count = Locked(0)
        let stub = StubTransport { _ in
            count.withLock {
                $0 += 1
                return $0
            } == 1 ? .fault(.resetBeforeHead) : .status(200)
        }
        let session = session(posted, stub, retries: 1)
        _ = try await session.request("http://h/").serializing(Data.self).value
        await session.finish()
        let task = ["didResumeTask", "didCompleteTask"]
        #expect(posted.names == ["didResume"] + task + task + ["didFinish"])
    }

    @Test("A cancel before the start posts no notification of a task")
    func cancelledEarly() async {
        let posted = Posted()
        let session = session(posted, StubTransport { _ in .status(200) })
        await session.request("http://h/").cancel()
        await session.finish()
        #expect(posted.names == ["didCancel", "didFinish"])
    }

    @Test("Suspend, resume and cancel of a running request post notifications of request and task")
    func running() async {
        let (posted, stub) = (Posted(), StubTransport { _ in .fault(.stall) })
        let session = session(posted, stub)
        let request = session.request("http://h/")
        await request.resume()
        _ = await stub.requests(atLeast: 1)
        await request.suspend()
        await request.resume()
        await request.cancel()
        await session.finish()
        let resume = ["didResume", "didResumeTask"]
        #expect(
            posted.names == resume + ["didSuspend", "didSuspendTask"] + resume
                + ["didCancel", "didCancelTask", "didCompleteTask", "didFinish"])
    }

    @Test("After lost events no notification of a task's end is posted")
    func lost() throws {
        let (attempts, id) = (RunningAttempts(), RequestID())
        let head = HTTPRequestHead(url: try "http://h/".asURL())
        #expect(
            attempts.notifications(of: SessionEvent(requestID: id, event: .attempt(1, head)))
                == [DataRequest.didResumeTaskNotification])
        #expect(attempts.notifications(of: SessionEvent(requestID: id, event: .attempt(1, head))).isEmpty)
        #expect(
            attempts.notifications(of: SessionEvent(requestID: id, event: .finished(nil), lostBefore: 1))
                == [DataRequest.didFinishNotification])
    }

    @Test("NotificationMonitor is no ImmediateMonitor, and has minimal interests")
    func ordinary() {
        #expect(!((NotificationMonitor() as any EventMonitor) is any ImmediateMonitor))
        #expect(NotificationMonitor().interests == .minimal)
        #expect(Notification(name: DataRequest.didFinishNotification).requestID == nil)
    }
}

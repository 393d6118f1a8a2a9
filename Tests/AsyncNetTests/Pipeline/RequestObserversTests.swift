import Testing

@testable import AsyncNet

@Suite("Observers of a request", .timeLimit(.minutes(5)))
struct RequestObserversTests {
    private func progress(_ bytes: Int64) -> TransferProgress {
        TransferProgress(completedBytes: bytes, totalBytes: nil, bytesPerSecond: 0)
    }

    private func makeObservers() -> RequestObservers {
        RequestObservers(RequestID(), .data, EventHub([], TimeSource(ContinuousClock())))
    }

    @Test("An event that nobody observes is not made")
    func unobserved() {
        let observers = makeObservers()
        observers.send(
            { () -> RequestEvent in
                Issue.record("an event was made that nobody observes")
                return .resumed
            }())
        #expect(!observers.isObserved)
    }

    @Test("An observer that begins late gets the current progress first, then each later one")
    func lateObserver() async {
        let observers = makeObservers()
        var downloads = observers.observeDownloads { progress(3) }.makeAsyncIterator()
        #expect(await downloads.next()?.completedBytes == 3)
        observers.send(download: progress(4))
        #expect(await downloads.next()?.completedBytes == 4)
        observers.finish(TransferOutcome())
        #expect(await downloads.next() == nil)
    }

    @Test("A second observer gets the last progress that was sent, not an older one")
    func secondObserver() async {
        let observers = makeObservers()
        _ = observers.observeUploads { nil }
        observers.send(upload: progress(5))
        let second = observers.observeUploads { progress(1) }
        observers.finish(TransferOutcome())
        #expect(await second.reduce(into: []) { $0.append($1.completedBytes) } == [5])
    }

    @Test("Progress with the same bytes is delivered once, also to an observer that began with these bytes")
    func repeatedProgress() async {
        let observers = makeObservers()
        var downloads = observers.observeDownloads { progress(3) }.makeAsyncIterator()
        var uploads = observers.observeUploads { nil }.makeAsyncIterator()
        #expect(await downloads.next()?.completedBytes == 3)
        observers.send(download: TransferProgress(completedBytes: 3, totalBytes: nil, bytesPerSecond: 9))
        observers.send(upload: progress(5))
        #expect(await uploads.next()?.completedBytes == 5)
        observers.send(upload: progress(5))
        observers.send(download: TransferProgress(completedBytes: 3, totalBytes: 3, bytesPerSecond: 9))
        #expect(await downloads.next()?.totalBytes == 3)
        observers.finish(TransferOutcome())
        #expect(await downloads.next() == nil)
        #expect(await uploads.next() == nil)
    }

    @Test("An observer that begins after the request's end gets the last progress and no events")
    func afterEnd() async {
        let observers = makeObservers()
        observers.finish(TransferOutcome())
        let downloads = observers.observeDownloads { progress(7) }
        #expect(await downloads.reduce(into: []) { $0.append($1.completedBytes) } == [7])
        #expect(await observers.observeEvents().reduce(0) { count, _ in count + 1 } == 0)
    }
}

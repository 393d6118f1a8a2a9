import Testing

@testable import AsyncNet

/// The paths that loops over a monitor's paths get, without a network.
@Suite("NetworkMonitor", .timeLimit(.minutes(5)))
struct NetworkMonitorTests {
    private static let (up, down) = (NetworkPath(status: .satisfied, hasIPv4: true), NetworkPath(status: .unsatisfied))

    @Test("A loop over paths gets the current path at once, then each change")
    func changes() async {
        let feed = PathFeed(Self.up)
        var paths = feed.monitor.paths.makeAsyncIterator()
        #expect(await paths.next() == Self.up)
        feed.send(Self.down)
        #expect(await paths.next() == Self.down)
        feed.send(Self.up)
        #expect(await paths.next() == Self.up)
    }

    @Test("A path equal to the last one that the loop received is not delivered, even if others came between")
    func noDuplicates() async {
        let feed = PathFeed(Self.up)
        var paths = feed.monitor.paths.makeAsyncIterator()
        #expect(await paths.next() == Self.up)
        feed.send(Self.up)
        feed.send(Self.down)
        feed.send(Self.up)
        // The waiting path equals the last one received, so `next()` waits until it is cancelled.
        let next = Task { [paths] in
            var paths = paths
            return await paths.next()
        }
        next.cancel()
        #expect(await next.value == nil)
    }

    @Test("A slow loop over paths gets only the newest path")
    func newestOnly() async {
        let feed = PathFeed(Self.up)
        var paths = feed.monitor.paths.makeAsyncIterator()
        for name in 0..<1000 {
            feed.send(
                NetworkPath(
                    status: .satisfied, interfaces: [NetworkInterface(name: "\(name)", kind: .other, isUp: true)]))
        }
        feed.send(Self.down)
        #expect(await paths.next() == Self.down)
    }

    @Test("Loops share one watch, which ends with the last loop and starts again with the next")
    func observers() async {
        let feed = PathFeed(Self.up)
        let monitor = feed.monitor
        #expect(feed.started == 0)
        do {
            var one = monitor.paths.makeAsyncIterator()
            var other: NetworkPaths.Iterator? = monitor.paths.makeAsyncIterator()
            #expect(await (one.next(), other?.next()) == (Self.up, Self.up))
            other = nil
            feed.send(Self.down)
            #expect(await one.next() == Self.down)
            #expect((feed.started, feed.watching) == (1, 1))
        }
        #expect(feed.watching == 0)
        feed.send(Self.up)
        #expect(await monitor.currentPath == Self.up)
        #expect((feed.started, feed.watching) == (2, 0))
    }

    @Test("A report of a watch that has ended is ignored")
    func lateReport() async {
        let reports = ReportBox()
        let monitor = NetworkMonitor { report in
            reports.add(report)
            report(Self.up)
            return 0
        }
        #expect(await monitor.currentPath == Self.up)
        var paths = monitor.paths.makeAsyncIterator()
        reports.first?(Self.down)
        #expect(await paths.next() == Self.up)
    }

    @Test("Cancelling a wait for the current path ends the watch, and returns .unknown")
    func cancelled() async {
        let feed = PathFeed()
        let monitor = feed.monitor
        let path = Task { await monitor.currentPath }
        while feed.watching == 0 { await Task.yield() }
        path.cancel()
        #expect(await path.value == .unknown)
        #expect(feed.watching == 0)
    }

    @Test("A loop over the paths keeps its monitor alive")
    func kept() async {
        let feed = PathFeed(Self.up)
        for await path in feed.monitor.paths {
            if path == Self.down { break }
            feed.send(Self.down)
        }
        #expect(feed.watching == 0)
    }

    @Test("Two hundred concurrent loops over paths all get the last path, and the watch of the system ends with them")
    func concurrent() async {
        let feed = PathFeed(Self.up)
        let monitor = feed.monitor
        await withTaskGroup { group in
            for _ in 0..<200 {
                group.addTask {
                    var paths = monitor.paths.makeAsyncIterator()
                    while let path = await paths.next(), path != Self.down { await Task.yield() }
                }
                group.addTask { #expect(await monitor.currentPath.status != .unknown) }
            }
            group.addTask { feed.send(Self.down) }
        }
        #expect(feed.watching == 0)
    }

    @Test("The shared monitor reports the path of this system")
    func shared() async {
        let path = await NetworkMonitor.shared.currentPath
        #expect(path.status == .unknown || !path.interfaces.isEmpty)
    }
}

private final class ReportBox: Sendable {
    private let reports = Locked<[PathFeed.Report]>([])
    func add(_ report: @escaping PathFeed.Report) { reports.withLock { $0.append(report) } }
    var first: PathFeed.Report? { reports.withLock { $0.first } }
}

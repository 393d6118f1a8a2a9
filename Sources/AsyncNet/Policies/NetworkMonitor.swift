/// Reports whether this machine has a path to a network, and every change of that.
///
///     for await path in NetworkMonitor.shared.paths {
///         print(path.status, path.interfaces.map(\.name))
///     }
///
/// On Linux the monitor reads a netlink socket, in the network namespace of the thread that starts observing; on Apple
/// platforms it uses the system's path monitor. Elsewhere, and in sandboxes without netlink, the status is
/// ``NetworkPath/Status/unknown``. System resources are held only while there are observers.
public final class NetworkMonitor: Sendable {
    /// A monitor for the whole program.
    public static let shared = NetworkMonitor()

    /// Starts to report paths until the result is released: the current path soon, then changes, one at a time.
    typealias StartWatching = @Sendable (_ report: @escaping @Sendable (NetworkPath) -> Void) -> any Sendable

    private struct State {
        var latest: NetworkPath?
        var observers: [Int: AsyncStream<NetworkPath>.Continuation] = [:]
        var nextID = 0
        var watch: (any Sendable)?
        /// Counts watches, so that a late report of an ended watch is not taken for one of the next watch.
        var generation = 0
    }

    private let startWatching: StartWatching
    private let state = Locked(State())

    /// Creates a monitor of this system; most programs use ``shared``.
    public convenience init() { self.init { PathWatch($0) } }

    init(watching startWatching: @escaping StartWatching) { self.startWatching = startWatching }

    /// The current path, then each change of it. Ends only when the observing task is cancelled.
    ///
    /// There may be any number of observers. A slow observer misses intermediate paths; none gets the same path twice
    /// in a row.
    public var paths: NetworkPaths { NetworkPaths(monitor: self) }

    /// The current path; ``NetworkPath/unknown`` if the task is cancelled before the system reports a path.
    public var currentPath: NetworkPath {
        get async {
            for await path in paths { return path }
            return .unknown
        }
    }

    /// Adds an observer. The first observer starts the watch, and the watch ends with the last observer.
    fileprivate func observe() -> AsyncStream<NetworkPath> {
        let (stream, observer) = AsyncStream.makeStream(of: NetworkPath.self, bufferingPolicy: .bufferingNewest(1))
        let newWatch: Int? = state.withLock { state in
            let isFirst = state.observers.isEmpty
            let id = state.nextID
            state.nextID += 1
            state.observers[id] = observer
            observer.onTermination = { [weak self] _ in self?.remove(id) }
            if let latest = state.latest { observer.yield(latest) }
            if isFirst { state.generation += 1 }
            return isFirst ? state.generation : nil
        }
        if let newWatch { start(newWatch) }
        return stream
    }

    /// Starts the watch outside the lock, since the watch may report at once.
    private func start(_ generation: Int) {
        let watch = startWatching { [weak self] path in self?.report(path, generation) }
        state.withLock { state in
            if generation == state.generation, !state.observers.isEmpty { state.watch = watch }
        }
    }

    /// Passes a path to the observers, outside the lock: `yield` can wait for a task that is being cancelled, whose
    /// `onTermination` waits for the lock. The paths stay in order, since a watch reports one at a time.
    private func report(_ path: NetworkPath, _ generation: Int) {
        let observers = state.withLock { state -> [AsyncStream<NetworkPath>.Continuation] in
            guard generation == state.generation, path != state.latest else { return [] }
            state.latest = path
            return Array(state.observers.values)
        }
        for observer in observers { observer.yield(path) }
    }

    private func remove(_ id: Int) {
        // Watch and observer are returned, and released outside the lock: their release runs other code.
        _ = state.withLock { state -> (AsyncStream<NetworkPath>.Continuation?, (any Sendable)?) in
            let observer = state.observers.removeValue(forKey: id)
            guard observer != nil, state.observers.isEmpty else { return (observer, nil) }
            defer { (state.watch, state.latest) = (nil, nil) }
            state.generation += 1
            return (observer, state.watch)
        }
    }
}

/// The paths of a ``NetworkMonitor``; each loop is an observer of its own.
public struct NetworkPaths: AsyncSequence, Sendable {
    fileprivate let monitor: NetworkMonitor

    public func makeAsyncIterator() -> Iterator {
        Iterator(monitor: monitor, paths: monitor.observe().makeAsyncIterator())
    }

    /// Iterates over the paths, as one observer.
    public struct Iterator: AsyncIteratorProtocol {
        /// Keeps the monitor alive during the loop.
        fileprivate let monitor: NetworkMonitor
        fileprivate var paths: AsyncStream<NetworkPath>.Iterator
        private var last: NetworkPath?

        fileprivate init(monitor: NetworkMonitor, paths: AsyncStream<NetworkPath>.Iterator) {
            (self.monitor, self.paths) = (monitor, paths)
        }

        /// The next path; `nil` once the task is cancelled.
        public mutating func next() async -> NetworkPath? {
            while let path = await paths.next(isolation: #isolation) {
                // The path may have changed back before it was read.
                if path == last { continue }
                last = path
                return path
            }
            return nil
        }
    }
}

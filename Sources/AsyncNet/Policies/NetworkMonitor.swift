/// Tells whether this machine has a way to a network, and every change of that.
///
///     for await path in NetworkMonitor.shared.paths {
///         print(path.status, path.interfaces.map(\.name))
///     }
///
/// On Linux it asks the kernel over a netlink socket, in the network namespace of the thread that begins to observe; on
/// Apple platforms it asks the system's path monitor. Where neither tells, in some sandboxes and on other systems, the
/// status is ``NetworkPath/Status/unknown``. It holds on to the system only while somebody observes.
public final class NetworkMonitor: Sendable {
    public static let shared = NetworkMonitor()

    /// Begins to report paths, the present one soon, from one thread at a time, until nobody holds what it returns.
    package typealias StartWatching = @Sendable (_ report: @escaping @Sendable (NetworkPath) -> Void) -> any Sendable

    private struct State {
        var latest: NetworkPath?
        var observers: [Int: AsyncStream<NetworkPath>.Continuation] = [:]
        var nextID = 0
        var watch: (any Sendable)?
        /// Counts watches: what one reports after it was given up must not be taken for its successor's.
        var generation = 0
    }

    private let startWatching: StartWatching
    private let state = Locked(State())

    /// A monitor of this system. All of a program may share one, ``shared``.
    public convenience init() { self.init { PathWatch($0) } }

    package init(watching startWatching: @escaping StartWatching) { self.startWatching = startWatching }

    /// The path as it is, then each change of it. Ends only when the observing task is cancelled.
    ///
    /// There may be any number of observers. One that is slow misses what was changed again in the meantime; none sees
    /// the same path twice in a row.
    public var paths: NetworkPaths { NetworkPaths(monitor: self) }

    /// The path as it is; ``NetworkPath/unknown`` in a task that is cancelled before the system answers.
    public var currentPath: NetworkPath {
        get async {
            for await path in paths { return path }
            return .unknown
        }
    }

    /// A new observer's paths. The first observer starts the watch, the last one ends it.
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

    /// Outside the lock, for the watch may report at once.
    private func start(_ generation: Int) {
        let watch = startWatching { [weak self] path in self?.report(path, generation) }
        state.withLock { state in
            if generation == state.generation, !state.observers.isEmpty { state.watch = watch }
        }
    }

    private func report(_ path: NetworkPath, _ generation: Int) {
        state.withLock { state in
            guard generation == state.generation, path != state.latest else { return }
            state.latest = path
            for observer in state.observers.values { observer.yield(path) }
        }
    }

    private func remove(_ id: Int) {
        // What is taken out goes away outside the lock, for the end of a watch or an observer runs code of others.
        _ = state.withLock { state -> (AsyncStream<NetworkPath>.Continuation?, (any Sendable)?) in
            let observer = state.observers.removeValue(forKey: id)
            guard observer != nil, state.observers.isEmpty else { return (observer, nil) }
            defer { (state.watch, state.latest) = (nil, nil) }
            state.generation += 1
            return (observer, state.watch)
        }
    }
}

/// The paths of a ``NetworkMonitor``: each loop over them observes by itself, from where it begins to its end.
public struct NetworkPaths: AsyncSequence, Sendable {
    fileprivate let monitor: NetworkMonitor

    public func makeAsyncIterator() -> Iterator {
        Iterator(monitor: monitor, paths: monitor.observe().makeAsyncIterator())
    }

    public struct Iterator: AsyncIteratorProtocol {
        /// Kept, since a loop may be all that holds on to it.
        fileprivate let monitor: NetworkMonitor
        fileprivate var paths: AsyncStream<NetworkPath>.Iterator
        private var last: NetworkPath?

        fileprivate init(monitor: NetworkMonitor, paths: AsyncStream<NetworkPath>.Iterator) {
            (self.monitor, self.paths) = (monitor, paths)
        }

        /// `nil` once the task is cancelled.
        public mutating func next() async -> NetworkPath? {
            while let path = await paths.next(isolation: #isolation) {
                // While nobody read it may have changed and changed back.
                if path == last { continue }
                last = path
                return path
            }
            return nil
        }
    }
}

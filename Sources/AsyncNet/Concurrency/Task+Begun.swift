extension Task where Success == Void, Failure == Never {
    /// A task that runs on the caller's thread until it first waits, and not on another thread as a usual task does. On Apple
    /// systems before 26 it is a usual task.
    static func begun(_ operation: sending @escaping @isolated(any) () async -> Void) -> Self {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            return Self(operation: operation)
        }
        return immediate(operation: operation)
    }
}

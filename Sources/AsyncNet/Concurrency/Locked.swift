package import Synchronization

/// `Mutex`, made visible to the thread sanitizer: on Linux its futex is in a library without instrumentation. Without
/// the sanitizer that costs a comparison with nil. Inlinable, since a closure of another module would otherwise be
/// called through three more closures.
///
/// Under a lock that a handler of a cancel takes (`onCancel`, `onTermination`), no task may be resumed or cancelled,
/// and no stream may yield: Swift holds a lock of the task while its handlers run, and takes that lock to resume it.
package struct Locked<Value>: ~Copyable, Sendable {
    @usableFromInline package let mutex: Mutex<Value>

    @inlinable package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    @inlinable package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            ThreadSanitizer.acquired(mutex)
            defer { ThreadSanitizer.willRelease(mutex) }
            return try body(&value)
        }
    }

    /// Like `withLock`, but returns `nil` at once while another thread holds the lock, whose holder must not call this.
    @inlinable package borrowing func withLockIfAvailable<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        try mutex.withLockIfAvailable { value throws(Failure) in
            ThreadSanitizer.acquired(mutex)
            defer { ThreadSanitizer.willRelease(mutex) }
            return try body(&value)
        }
    }
}

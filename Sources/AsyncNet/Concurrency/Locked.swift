import Synchronization

/// A value behind a lock.
///
/// The toolchain's `Mutex`, made visible to the thread sanitizer. On Linux that lock is a futex inside a library which
/// is not instrumented, so the sanitizer reports a race wherever it is used. Telling it of each acquire and release
/// costs a comparison with nil where no sanitizer runs.
package struct Locked<Value>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>

    package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            ThreadSanitizer.acquired(mutex)
            defer { ThreadSanitizer.willRelease(mutex) }
            return try body(&value)
        }
    }
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The thread sanitizer's own interface, looked up in the running process; absent unless it was built in.
enum ThreadSanitizer {
    private typealias Annotation = @convention(c) (UnsafeMutableRawPointer) -> Void

    private static let acquire = annotation("__tsan_acquire")
    private static let release = annotation("__tsan_release")

    /// Everything that happened before this lock was last released is seen from here on. The lock stands for itself by
    /// its address, which never changes while it is held.
    @inline(__always)
    static func acquired<Lock: ~Copyable>(_ lock: borrowing Lock) {
        guard let acquire else { return }
        withUnsafePointer(to: lock) { acquire(UnsafeMutableRawPointer(mutating: $0)) }
    }

    @inline(__always)
    static func willRelease<Lock: ~Copyable>(_ lock: borrowing Lock) {
        guard let release else { return }
        withUnsafePointer(to: lock) { release(UnsafeMutableRawPointer(mutating: $0)) }
    }

    private static func annotation(_ name: String) -> Annotation? {
        // The sanitizer's runtime is linked into the program itself, which is where this looks first.
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), name) else { return nil }
        return unsafeBitCast(symbol, to: Annotation.self)
    }
}

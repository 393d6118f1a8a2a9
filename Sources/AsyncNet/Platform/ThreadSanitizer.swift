import Foundation

/// The thread sanitizer's annotations, found in the running process; without effect in a build without the sanitizer.
@usableFromInline package enum ThreadSanitizer {
    @usableFromInline package typealias Annotation = @convention(c) (UnsafeMutableRawPointer) -> Void

    @usableFromInline package static let acquire = annotation("__tsan_acquire")
    @usableFromInline package static let release = annotation("__tsan_release")

    /// Everything before the last `willRelease` of this lock happens before this call. The lock's address identifies
    /// it.
    @inlinable package static func acquired<Lock: ~Copyable>(_ lock: borrowing Lock) {
        guard let acquire else { return }
        withUnsafePointer(to: lock) { acquire(UnsafeMutableRawPointer(mutating: $0)) }
    }

    @inlinable package static func willRelease<Lock: ~Copyable>(_ lock: borrowing Lock) {
        guard let release else { return }
        withUnsafePointer(to: lock) { release(UnsafeMutableRawPointer(mutating: $0)) }
    }

    private static func annotation(_ name: String) -> Annotation? {
        // The sanitizer's runtime is linked into the program itself, where `dlopen(nil)` searches first.
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), name) else { return nil }
        return unsafeBitCast(symbol, to: Annotation.self)
    }
}

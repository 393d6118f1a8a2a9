import CAsyncNetPlatform

/// The thread sanitizer's annotations; without effect in a build without the sanitizer.
@usableFromInline package enum ThreadSanitizer {
    /// Everything before the last `willRelease` of this lock happens before this call. The lock's address identifies
    /// it.
    @usableFromInline package static func acquired<Lock: ~Copyable>(_ lock: borrowing Lock) {
        withUnsafePointer(to: lock) { cp_acquired(UnsafeRawPointer($0)) }
    }

    @usableFromInline package static func willRelease<Lock: ~Copyable>(_ lock: borrowing Lock) {
        withUnsafePointer(to: lock) { cp_will_release(UnsafeRawPointer($0)) }
    }
}

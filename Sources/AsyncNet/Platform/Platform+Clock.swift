import Foundation

extension Platform {
    /// The time of `ContinuousClock` in nanoseconds, from a start that is not known; `nil` where only that clock itself
    /// can be read.
    static var continuousNanoseconds: Int64? {
        #if os(Linux)
            var time = timespec()
            guard clock_gettime(CLOCK_BOOTTIME, &time) == 0 else { return nil }
            return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        #else
            return nil
        #endif
    }
}

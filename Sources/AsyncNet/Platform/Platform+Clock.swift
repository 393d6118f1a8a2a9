import CPlatform

extension Platform {
    /// The time of `ContinuousClock` in nanoseconds, from a start that is not known; `nil` where only that clock itself
    /// can be read.
    static var continuousNanoseconds: Int64? {
        let nanoseconds = cp_continuous_nanoseconds()
        return nanoseconds < 0 ? nil : nanoseconds
    }
}

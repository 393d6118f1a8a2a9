import CAsyncNetPlatform

package enum Platform {
    package static let libraryVersion = "1.0"

    /// Whether sockets are the better transport. Apple's URLSession uses the system's proxies, VPNs and trust.
    static let prefersSockets = name == "Linux"

    #if canImport(Darwin)
        static let zlibName = "libz.1.dylib"
        static let brotliName = "libbrotlidec.1.dylib"
        static let zstdName = "libzstd.1.dylib"
        static let publicSuffixLibraryName = "libpsl.5.dylib"
    #else
        static let zlibName = "libz.so.1"
        static let brotliName = "libbrotlidec.so.1"
        static let zstdName = "libzstd.so.1"
        static let publicSuffixLibraryName = "libpsl.so.5"
    #endif

    #if os(Linux)
        static let name = "Linux"
    #elseif os(macOS)
        static let name = "macOS"
    #elseif os(iOS)
        static let name = "iOS"
    #elseif os(tvOS)
        static let name = "tvOS"
    #elseif os(watchOS)
        static let name = "watchOS"
    #elseif os(visionOS)
        static let name = "visionOS"
    #else
        static let name = "Unknown"
    #endif

    /// The time of `ContinuousClock` in nanoseconds, from an unknown start; `nil` on systems where only the clock
    /// itself can be read.
    static var continuousNanoseconds: Int64? {
        let nanoseconds = cp_continuous_nanoseconds()
        return nanoseconds < 0 ? nil : nanoseconds
    }
}

/// Measures the time since it was made, as `ContinuousClock` does: that clock takes ten times as long to read.
struct Stopwatch: Sendable {
    private let start = Platform.continuousNanoseconds
    private let slowStart: ContinuousClock.Instant?

    init() { slowStart = start == nil ? ContinuousClock.now : nil }

    var elapsed: Duration {
        if let start, let now = Platform.continuousNanoseconds { return .nanoseconds(now &- start) }
        return slowStart?.duration(to: .now) ?? .zero
    }
}

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
}

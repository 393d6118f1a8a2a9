import AsyncNet
import CAsyncNetLibcurl

/// The libcurl of this process, loaded at the first use.
enum Libcurl {
    /// The version of the loaded libcurl.
    struct Version: Sendable, CustomStringConvertible {
        let number: UInt32
        let description: String
        let hasHTTP2: Bool
        var hasHTTP3 = false
    }

    /// The loaded libcurl, or `.transportUnavailable` with the reason: there is none, or it is older than 7.66.
    static let version: Result<Version, AsyncNetError> = load()

    private static func load() -> Result<Version, AsyncNetError> {
        if let reason = lc_load() {
            return .failure(
                AsyncNetError(.transportUnavailable, "libcurl could not be loaded: \(String(cString: reason))"))
        }
        let tls = lc_tls_library().map { " (\(String(cString: $0)))" } ?? ""
        let version = lc_version().map { String(cString: $0) } ?? ""
        return .success(
            Version(
                number: lc_version_number(), description: "libcurl \(version)\(tls)",
                hasHTTP2: lc_features() & Int32(LC_FEATURE_HTTP2) != 0,
                hasHTTP3: lc_features() & Int32(LC_FEATURE_HTTP3) != 0))
    }
}

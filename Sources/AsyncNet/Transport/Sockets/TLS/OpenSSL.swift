import CAsyncNetTLS
import Foundation

/// The OpenSSL of this process, found when TLS is first needed.
enum OpenSSL {
    /// The version, such as `OpenSSL 3.0.17 1 Jul 2025`, or why there is none.
    static let version: Result<String, AsyncNetError> = {
        let name = ProcessInfo.processInfo.environment["ASYNCNET_OPENSSL"]
        var text = [CChar](repeating: 0, count: 512)
        guard at_load(name, &text, text.count) == 1 else {
            let reason = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            return .failure(
                AsyncNetError(
                    .transportUnavailable,
                    "TLS needs OpenSSL 3 or 1.1.1: \(reason); ASYNCNET_OPENSSL can name another one"))
        }
        return .success(String(cString: at_version()))
    }()

    static func text(_ bytes: UnsafePointer<CChar>?) -> String? { bytes.map { String(cString: $0) } }
}

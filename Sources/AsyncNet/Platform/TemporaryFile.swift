import CPlatform
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that nobody else sees, written once and then read, also several times. It goes when nobody holds it any more.
///
/// Unless it is read by name, its name is removed before the first byte is written: not even a killed process leaves it
/// behind.
final class TemporaryFile: Sendable {
    /// `nil` if it has no name any more.
    let path: String?
    private let descriptor: Int32

    init(in folder: String, keepsName: Bool = false) throws(POSIXError) {
        var template = Array("\(folder)/AsyncNet.XXXXXX".utf8CString)
        let descriptor = cp_make_temporary(&template)
        guard descriptor >= 0 else { throw SystemError.last }
        if !keepsName { unlink(template) }
        path = keepsName ? String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
        if let path { unlink(path) }
    }

    /// Adds all of the data at the end.
    func append(_ data: Data) throws(POSIXError) { try SystemError.writing(data) { write(descriptor, $0, $1) } }

    /// Up to `count` bytes from `offset` on; none at the end. Readers do not get in each other's way.
    func read(upTo count: Int, at offset: Int64) throws(POSIXError) -> Data {
        try SystemError.reading(upTo: count) { pread(descriptor, $0, count, off_t(offset)) }
    }
}

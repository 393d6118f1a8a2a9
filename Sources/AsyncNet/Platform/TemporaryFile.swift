import CAsyncNetPlatform
import Foundation

/// A temporary file, which is removed with the last reference. Unless the file keeps its name, the name is removed
/// before the first byte is written: so not even a killed process leaves a file.
final class TemporaryFile: Sendable {
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

    func append(_ data: Data) throws(POSIXError) { try SystemError.writing(data) { write(descriptor, $0, $1) } }

    /// Up to `count` bytes from `offset` on; empty at the end of the file.
    func read(upTo count: Int, at offset: Int64) throws(POSIXError) -> Data {
        try SystemError.reading(upTo: count) { pread(descriptor, $0, count, off_t(offset)) }
    }
}

import Foundation

/// What comes from a pipe, a terminal or a device, as it comes. Reading blocks, which the library allows whoever gives
/// it a body.
struct InputChunks: AsyncSequence, Sendable {
    let file: FileHandle

    func makeAsyncIterator() -> Iterator { Iterator(file: file) }

    struct Iterator: AsyncIteratorProtocol {
        let file: FileHandle

        mutating func next() async throws -> Data? {
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = buffer.withUnsafeMutableBytes { read(file.fileDescriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
                return count == 0 ? nil : Data(buffer[..<count])
            }
        }
    }
}

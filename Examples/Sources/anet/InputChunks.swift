import Foundation

/// What comes from a pipe, a terminal or a device, as it comes. Reading blocks, which the library allows whoever gives
/// it a body.
struct InputChunks: AsyncSequence, Sendable {
    /// The file's name, or `-` for standard input. It is opened by the first read, since to open a pipe without a
    /// writer blocks too.
    let name: String

    func makeAsyncIterator() -> Iterator { Iterator(name: name) }

    struct Iterator: AsyncIteratorProtocol {
        let name: String
        private var file: FileHandle?

        init(name: String) { self.name = name }

        mutating func next() async throws -> Data? {
            let file = try file ?? opened()
            self.file = file
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = buffer.withUnsafeMutableBytes { read(file.fileDescriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw Self.failure }
                return count == 0 ? nil : Data(buffer[..<count])
            }
        }

        private func opened() throws -> FileHandle {
            guard name != "-" else { return .standardInput }
            let descriptor = open(name, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Self.failure }
            return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        }

        private static var failure: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
}

import AsyncNet
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Ends the `poll` of a thread, by a pipe that is closed when this object is released.
final class Wakeup: Sendable {
    private let isSet = Locked(false)
    /// Readable while the wakeup is set.
    let reader: Int32
    private let writer: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Socket.Failure("pipe") }
        (reader, writer) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(reader)
        close(writer)
    }

    func set() {
        isSet.withLock { isSet in
            guard !isSet else { return }
            var byte: UInt8 = 0
            isSet = write(writer, &byte, 1) == 1
        }
    }

    func clear() {
        isSet.withLock { isSet in
            guard isSet else { return }
            var byte: UInt8 = 0
            isSet = read(reader, &byte, 1) != 1
        }
    }
}

import AsyncNet
import CAsyncNetLibcurl

/// One of libcurl's multi handles, which carries many transfers at the same time.
///
/// Used only on its loop's thread, except for `wake`, which any thread may call. Must not be used after `free`.
struct CurlMulti: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// Fails if there is no memory or no file descriptor left.
    init?(_ limits: LoopLimits) {
        guard let pointer = lc_multi_new() else { return nil }
        self.pointer = pointer
        lc_multi_set_long(pointer, Int32(LC_M_MAX_HOST_CONNECTIONS), limits.connectionsPerOrigin)
        lc_multi_set_long(pointer, Int32(LC_M_MAX_TOTAL_CONNECTIONS), limits.connections)
        lc_multi_set_long(pointer, Int32(LC_M_MAXCONNECTS), limits.keptConnections)
    }

    func free() { lc_multi_free(pointer) }
    func wake() { lc_multi_wake(pointer) }
    /// Lets libcurl handle the sockets and timers that the last wait found ready or, without a wait, that are ready
    /// now.
    func perform() { lc_multi_perform(pointer) }

    /// Blocks until a socket, a timer or `wake` needs the thread, at most for this time; at most 5 ms with a libcurl
    /// that cannot be woken (7.66, 7.67).
    func wait(milliseconds: Int32) { lc_multi_wait(pointer, milliseconds) }

    /// Adds a handle; returns `false` if there is no memory.
    func add(_ handle: LibcurlHandle) -> Bool { lc_multi_add(pointer, handle.easy.pointer) == 0 }
    func remove(_ handle: LibcurlHandle) { lc_multi_remove(pointer, handle.easy.pointer) }

    /// The next transfer that has ended, with libcurl's result; `nil` if none is left.
    func nextFinished() -> (handle: LibcurlHandle, result: Int32)? {
        var result: Int32 = 0
        while let easy = lc_multi_next_done(pointer, &result) {
            if let pointer = lc_private(easy) { return (LibcurlHandle.at(pointer), result) }
        }
        return nil
    }
}

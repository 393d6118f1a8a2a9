import CAsyncNetLibcurl
import Foundation
import Testing

@testable import AsyncNet

/// A multi handle whose rounds a test makes itself, with transfers that do nothing but count what they receive.
final class DrivenMulti {
    final class Transfer {
        fileprivate let easy: EasyHandle
        fileprivate(set) var body = Data()
        /// libcurl's result; `nil` while the transfer runs.
        fileprivate(set) var result: Int32?
        /// Whether the next bytes pause the transfer.
        var isPausing = false

        fileprivate init(_ easy: consuming EasyHandle) { self.easy = easy }

        func resume() { lc_pause(easy.pointer, Int32(LC_PAUSE_NOTHING)) }
    }

    struct Failure: Error {}

    let multi: OpaquePointer
    private let connections = LoopConnections()
    private var transfers: [Transfer] = []

    /// Long enough for anything to happen that should.
    private static let longWait: Int32 = 20_000

    init() throws {
        _ = try Libcurl.version.get()
        guard let multi = lc_multi_new() else { throw Failure() }
        self.multi = multi
    }

    deinit {
        for transfer in transfers where transfer.result == nil { lc_multi_remove(multi, transfer.easy.pointer) }
        lc_multi_free(multi)
    }

    func get(port: Int) throws -> Transfer {
        guard let easy = EasyHandle() else { throw Failure() }
        let transfer = Transfer(easy)
        transfers.append(transfer)
        transfer.easy.setCallbacks(of: connections)
        transfer.easy.set(LC_NOSIGNAL, 1)
        transfer.easy.set(LC_PROXY, "")
        transfer.easy.set(LC_URL, "http://127.0.0.1:\(port)/")
        setCallbacks(of: transfer)
        guard lc_multi_add(multi, transfer.easy.pointer) == 0 else { throw Failure() }
        return transfer
    }

    private func setCallbacks(of transfer: Transfer) {
        let (easy, user) = (transfer.easy.pointer, Unmanaged.passUnretained(transfer).toOpaque())
        lc_set_pointer(easy, Int32(LC_WRITEDATA), user)
        lc_set_data_function(easy, Int32(LC_HEADERFUNCTION)) { _, size, count, _ in size * count }
        lc_set_data_function(easy, Int32(LC_WRITEFUNCTION)) { bytes, size, count, user in
            let transfer = Unmanaged<Transfer>.fromOpaque(user).takeUnretainedValue()
            guard !transfer.isPausing else { return Int(LC_CALLBACK_PAUSE) }
            transfer.body.append(UnsafeRawBufferPointer(start: bytes, count: size * count).bindMemory(to: UInt8.self))
            return size * count
        }
        lc_set_send_function(easy) { _, _, _, _, _ in 0 }
    }

    func perform() {
        lc_multi_perform(multi)
        var result: Int32 = 0
        while let easy = lc_multi_next_done(multi, &result) {
            for transfer in transfers where transfer.easy.pointer == easy { transfer.result = result }
            lc_multi_remove(multi, easy)
        }
    }

    /// How many sockets are ready now.
    func look() -> Int32 { lc_multi_wait(multi, 0) }

    /// Waits until a socket is ready, and lets libcurl handle it.
    func waitAndPerform() -> Int32 {
        let count = lc_multi_wait(multi, Self.longWait)
        perform()
        return count
    }

    /// Makes rounds until something is true, at most so many that it never will be.
    func perform(until isDone: () -> Bool) {
        for _ in 0..<1000 {
            if isDone() { return }
            _ = waitAndPerform()
        }
    }
}

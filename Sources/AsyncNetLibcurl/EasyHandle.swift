import AsyncNet
import CAsyncNetLibcurl
import Foundation

/// One of libcurl's easy handles, freed with this value and used only on its loop's thread.
struct EasyHandle: ~Copyable {
    let pointer: OpaquePointer

    init?() {
        guard let pointer = lc_easy_new() else { return nil }
        self.pointer = pointer
    }

    /// A handle with the same options. Its callbacks receive the other handle's data until `setUser` is called.
    init?(copying other: borrowing EasyHandle) {
        guard let pointer = lc_easy_copy(other.pointer) else { return nil }
        self.pointer = pointer
    }

    deinit { lc_easy_free(pointer) }

    func set(_ option: Int, _ value: Int) { lc_set_long(pointer, Int32(option), value) }
    /// `withCString` avoids the copy that passing a String as a nullable pointer makes.
    func set(_ option: Int, _ value: String) { value.withCString { _ = lc_set_string(pointer, Int32(option), $0) } }

    func set(_ option: Int, _ value: String, orRefuse what: String) throws(AsyncNetError) {
        try check(value.withCString { lc_set_string(pointer, Int32(option), $0) }, what)
    }

    /// Checks the result of setting an option without which no request may be sent.
    ///
    /// - Throws: `AsyncNetError` with code `.unsupportedByTransport` if this libcurl refused the option.
    func check(_ result: Int32, _ what: String) throws(AsyncNetError) {
        guard result != 0 else { return }
        throw AsyncNetError(
            .unsupportedByTransport, "This libcurl does not take \(what) (\(String(cString: lc_error_text(result))))")
    }

    // MARK: Callbacks

    /// Sets the callbacks that open and close sockets, and the callbacks of transfers.
    func setCallbacks(for sockets: OpenedSockets) {
        let user = Unmanaged.passUnretained(sockets).toOpaque()
        lc_set_socket_function(pointer, { OpenedSockets.at($0).opened($1) }, user)
        lc_set_pointer(pointer, Int32(LC_CLOSESOCKETDATA), user)
        lc_set_close_function(pointer) { OpenedSockets.at($0).close($1) }
        setTransferCallbacks()
    }

    /// Sets the transfer's callbacks; `setUser` sets the `LibcurlHandle` that they are called with.
    private func setTransferCallbacks() {
        lc_set_data_function(pointer, Int32(LC_HEADERFUNCTION)) { data, size, count, user in
            LibcurlHandle.at(user).receiveHeader(UnsafeRawBufferPointer(start: data, count: size * count))
                ? size * count : 0
        }
        lc_set_data_function(pointer, Int32(LC_WRITEFUNCTION)) { data, size, count, user in
            LibcurlHandle.at(user).receiveBody(UnsafeRawBufferPointer(start: data, count: size * count))
        }
        lc_set_data_function(pointer, Int32(LC_READFUNCTION)) { data, size, count, user in
            LibcurlHandle.at(user).provideBody(UnsafeMutableRawBufferPointer(start: data, count: size * count))
        }
        lc_set_debug_function(pointer) { _, kind, text, count, user in
            LibcurlHandle.at(user).receive(verbose: UnsafeRawBufferPointer(start: text, count: count), kind)
            return 0
        }
        lc_set_seek_function(pointer) { LibcurlHandle.at($0).seekBody($1, $2) }
        lc_set_send_function(pointer) { user, _, _, _, port in LibcurlHandle.at(user).maySend(onPort: port) ? 0 : 1 }
    }

    /// Sets the `LibcurlHandle` that the transfer's callbacks are called with.
    func setUser(_ handle: LibcurlHandle, errorText: UnsafeMutablePointer<CChar>) {
        let user = Unmanaged.passUnretained(handle).toOpaque()
        for option in [LC_PRIVATE, LC_WRITEDATA, LC_HEADERDATA, LC_READDATA, LC_SEEKDATA, LC_SENDDATA, LC_DEBUGDATA] {
            lc_set_pointer(pointer, Int32(option), user)
        }
        lc_set_pointer(pointer, Int32(LC_ERRORBUFFER), errorText)
    }

    /// The certificates of the handshake in PEM; empty without `LC_CERTINFO`.
    var certificates: [String] {
        var certificates: [String] = []
        while let certificate = lc_certificate(pointer, Int32(certificates.count)) {
            certificates.append(String(cString: certificate))
        }
        return certificates
    }
}

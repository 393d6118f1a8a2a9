import AsyncNet
import CAsyncNetLibcurl

/// The TLS sessions that a transport has, so that a new connection to a server resumes a former one's session, which
/// saves a round trip or the exchange of certificates.
///
/// Sessions never leave their transport: others may trust other certificates, or send another client certificate. Within
/// it libcurl compares the host, the port and the TLS settings, and checks the host name and the pins of a resumed
/// session's certificate too.
///
/// The pointer does not change. libcurl locks what it points to, with mutexes of C, wherever several threads share it;
/// see `Scope`. The last of the templates and loops that hold the object frees it, and each frees its handles before.
final class TLSSessions: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// `nil` if this libcurl cannot share sessions, or there is no memory. Sharing was tried with OpenSSL only; with GnuTLS
    /// libcurl also shares objects that it does not lock.
    init?() {
        guard let library = lc_tls_library(), String(cString: library).hasPrefix("OpenSSL/"),
            let pointer = lc_share_new()
        else { return nil }
        self.pointer = pointer
    }

    deinit { lc_share_free(pointer) }

    /// Lets a handle use the sessions. If libcurl refuses that, the handle's connections make whole handshakes.
    func add(to easy: borrowing EasyHandle) { lc_set_share(easy.pointer, pointer) }

    /// Which loops share their sessions.
    enum Scope: Equatable {
        /// None does; from 8.12 on, libcurl itself shares sessions between the handles of one loop.
        case none
        /// The handles of one loop, so that a single thread uses a session.
        case loop
        /// All loops of a transport.
        case transport

        /// Before 7.88 libcurl uses freed memory when a ticket arrives (CVE-2021-22901, curl's issues 7148 and 10273), or
        /// takes a proxy's ticket for the server's (CVE-2021-22890). Before 8.11 several threads would write to one
        /// session of OpenSSL (14751). 8.12.0 crashes (16236), and 8.16 was reported to race (18806). Newer ones, where
        /// nothing is known, were tried with 8.23.
        init(_ version: Libcurl.Version) {
            self =
                switch version.number {
                case 0x075800..<0x080C00: .loop
                case 0x081500...: .transport
                default: .none
                }
        }
    }
}

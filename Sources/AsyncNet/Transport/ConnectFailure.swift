import Foundation

/// Why the system made no connection, and what to try, by the system's error number (`errno`).
package struct ConnectFailure {
    /// The reason; `nil` if the text of the error's code says it.
    package let reason: String?
    package let advice: String

    /// Returns `nil` for a number that gives no reason.
    package init?(_ number: Int32, isUnixSocket: Bool = false) {
        switch number {
        case ECONNREFUSED:
            reason = nil
            advice =
                isUnixSocket
                ? "Nothing listens at that path. Check the path, and that the server runs."
                : "Nothing listens on that port, or a firewall is in the way. Check host and port, and that the server "
                    + "runs."
        case ENOENT:
            reason = "there is no such file"
            advice = "Check the path, and that the server runs."
        case EMFILE:
            reason = "this process has as many files and sockets open as it may"
            advice = "Close what is not needed, allow fewer connections, or raise the limit (ulimit -n)."
        case ENFILE:
            reason = "this system has as many files and sockets open as it can"
            advice = "Close programs, or raise the system's limit."
        case ENOBUFS, ENOMEM:
            reason = "this system has no memory for another connection"
            advice = "Allow fewer connections, or retry later."
        case EACCES, EPERM:
            reason = "this system does not permit it"
            advice =
                isUnixSocket
                ? "Check the permissions of the socket's file and its folders."
                : "Check the firewall, sandbox and security policy of this machine, and that the address is not a broadcast "
                    + "address."
        case EADDRNOTAVAIL:
            reason = "no local address or port is left for it"
            advice = "Keep connections instead of making new ones, or wait; check localInterface if it is set."
        case ENETUNREACH, ENETDOWN:
            reason = "no network of this machine leads to it"
            advice = "Check the network of this machine, and whether it has the address's IP version."
        case EHOSTUNREACH, EHOSTDOWN:
            reason = "no route leads to it"
            advice = "Check that the host is up, and the network between this machine and the host."
        case EAFNOSUPPORT:
            reason = "this system does not have the address's IP version"
            advice = "Use an address of the other IP version."
        case EINVAL:
            reason = "the address has no zone, or is otherwise invalid"
            advice = "A link-local IPv6 address needs the zone of an interface, as in [fe80::1%25eth0]."
        case ETIMEDOUT:
            reason = "it did not respond"
            advice = "The host is down, or a firewall drops the packets. Check host and port."
        default: return nil
        }
    }
}

extension AsyncNetError {
    /// The error of a request that is not sent again because the server may have processed it (RFC 9110 §9.2.2).
    package static var possiblyProcessed: AsyncNetError {
        AsyncNetError(
            .connectionLost,
            "The server closed a kept connection without a response; it may have processed the request, which is not "
                + "sent again since its method is not idempotent")
    }
}

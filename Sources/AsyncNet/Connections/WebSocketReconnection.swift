import Foundation

/// Whether a WebSocket that has lost its connection is opened again, and after which delay.
///
///     session.webSocket(url, reconnection: .always()) { [.text("resume \(await last.id)")] }
///
/// Only a WebSocket that was open once is opened again: after a lost connection, missed pongs, a circuit breaker's
/// refusal, and the close codes 1001, 1006, 1011, 1012, 1013 and 1014. Any other close code of the server, a violation
/// of the protocol, a refused certificate, and a proxy's refusal with a status from 400 to 499 end the WebSocket. So
/// does a server that refuses the handshake with a status which a later handshake would get too, such as 401, or with a
/// `Retry-After` beyond ``maximumDelay``; a shorter `Retry-After` delays the next handshake.
public struct WebSocketReconnection: Hashable, Sendable {
    /// The delay before the first connection after a lost one; each further failure doubles it. A random part of each
    /// delay, at most half, is left out: many clients of one server do not come back at the same moment.
    public var delay: Duration
    /// The longest delay.
    public var maximumDelay: Duration
    /// How many connections in a row may fail; `nil` for any number.
    public var limit: Int?

    private init(delay: Duration, maximumDelay: Duration, limit: Int?) {
        self.delay = max(.zero, delay)
        self.maximumDelay = max(.zero, maximumDelay)
        self.limit = limit
    }

    /// The WebSocket ends with its connection.
    public static let never = WebSocketReconnection(delay: .zero, maximumDelay: .zero, limit: 0)

    /// Opens the WebSocket again. The limit counts the connections that fail in a row, also the ones that the server
    /// accepts and ends at once. After a connection that has received a message or a pong, or was open for
    /// `maximumDelay`, the count begins anew. What was sent and not received when the connection was lost is not sent
    /// again: `resuming` can ask for it.
    public static func always(
        delay: Duration = .seconds(1), maximumDelay: Duration = .seconds(60), limit: Int? = 10
    ) -> WebSocketReconnection {
        WebSocketReconnection(delay: delay, maximumDelay: maximumDelay, limit: limit)
    }

    /// The delay before the next connection; `nil` if the WebSocket is not opened again.
    ///
    /// - Parameters:
    ///   - failures: How many connections have failed in a row, the lost one included.
    ///   - jitter: A random number from 0 to 1: the delay is half of the full delay, and this part of the other half.
    func delay(
        after error: AsyncNetError, closeCode: WebSocketCloseCode?, failures: Int, now: Date = Date(), jitter: Double
    ) -> Duration? {
        guard limit.map({ failures <= $0 }) ?? true, Self.mayPass(error, closeCode) else { return nil }
        let base = min(delay, maximumDelay)
        let grown = failures > 1 ? min(max(base, .milliseconds(1)) * (1 << min(failures - 1, 20)), maximumDelay) : base
        let own = grown / 2 + grown / 2 * min(max(jitter, 0), 1)
        guard let asked = RetryAfter.delay(error, now: now) else { return own }
        return asked > maximumDelay ? nil : max(own, asked)
    }

    func reopens(after code: WebSocketCloseCode) -> Bool { limit != 0 && Self.passing.contains(code.rawValue) }

    private static func mayPass(_ error: AsyncNetError, _ closeCode: WebSocketCloseCode?) -> Bool {
        switch error.code {
        case .webSocketClosed: passing.contains(closeCode?.rawValue ?? 1006)
        case .webSocketHandshakeFailed:
            error.statusCode.map { [408, 425, 429, 500, 502, 503, 504].contains($0) } ?? false
        case .connectionLost, .cannotConnect, .hostNotFound, .timedOut, .deadlineExceeded, .circuitOpen, .emptyReply,
            .bodyEndedEarly, .proxyNotFound:
            true
        case .proxyFailed: !error.isRefusedByProxy
        default: false
        }
    }

    private static let passing: Set<UInt16> = [1001, 1006, 1011, 1012, 1013, 1014]
}

/// What a WebSocket accepts, and how it sends.
public struct WebSocketOptions: Hashable, Sendable {
    /// The most bytes of a received message, after decompression; 16 MiB by default.
    ///
    /// No more bytes of a message are kept in memory: a larger one ends the WebSocket, and the server gets code 1009.
    public var maximumMessageSize: Int
    /// The most bytes of a received frame's payload before it is inflated; 16 MiB by default. A larger frame ends the
    /// WebSocket as soon as its head is received, and the server gets code 1009.
    public var maximumFrameSize: Int
    /// The most bytes of a sent frame's payload; a larger message is sent in several frames (RFC 6455 §5.4). `nil`, the
    /// default, sends each message in one frame.
    public var fragmentSize: Int?
    /// The compression that is offered to the server (RFC 7692); `nil` offers none. On by default, and without effect
    /// if the server or this machine has no support for it.
    public var compression: WebSocketCompression?
    /// How often a ping is sent; `nil`, the default, sends none. Pings keep a connection open through proxies that
    /// close idle connections, and find out that the connection is lost.
    public var pingInterval: Duration?
    /// How many pings in a row may remain without a pong and without other bytes, before the WebSocket ends with
    /// `.timedOut`; 2 by default.
    ///
    /// While so many messages wait for the program that nothing more is received, no ping counts.
    public var missedPongLimit: Int
    /// How long ``WebSocket/close(code:reason:)`` waits for the server's close frame; 5 s by default. Then the
    /// connection is closed without it.
    public var closeTimeout: Duration

    /// Makes options with the defaults that each property documents. Sizes and limits below 1 count as 1.
    public init(
        maximumMessageSize: Int = 16 * 1024 * 1024, maximumFrameSize: Int = 16 * 1024 * 1024,
        fragmentSize: Int? = nil, compression: WebSocketCompression? = WebSocketCompression(),
        pingInterval: Duration? = nil, missedPongLimit: Int = 2, closeTimeout: Duration = .seconds(5)
    ) {
        self.maximumMessageSize = maximumMessageSize
        self.maximumFrameSize = maximumFrameSize
        self.fragmentSize = fragmentSize
        self.compression = compression
        self.pingInterval = pingInterval
        self.missedPongLimit = missedPongLimit
        self.closeTimeout = closeTimeout
    }

    package var limits: WebSocketLimits { WebSocketLimits(frame: maximumFrameSize, message: maximumMessageSize) }
}

/// The settings of `permessage-deflate` (RFC 7692 §7), by which a client and a server agree how messages are
/// compressed.
///
/// The size of a compressed message depends on its content. A third party that chooses a part of a message, and sees
/// how large the encrypted messages are, can guess the other parts. Switch compression off for messages with secrets.
public struct WebSocketCompression: Hashable, Sendable {
    /// Whether a compressed message of the client may refer to the messages before it, which makes similar messages
    /// much smaller; `true` by default (`client_no_context_takeover`).
    public var clientContextTakeover: Bool
    /// Whether a compressed message of the server may refer to the messages before it; `true` by default
    /// (`server_no_context_takeover`).
    public var serverContextTakeover: Bool
    /// The client's window as a power of two: 9 to 15, by default 15 for 32 KiB (`client_max_window_bits`).
    public var clientWindowBits: Int
    /// The server's window as a power of two: 9 to 15, by default 15 for 32 KiB (`server_max_window_bits`).
    public var serverWindowBits: Int
    /// The fewest bytes of a message that is compressed; 1024 by default. A smaller message fits into one packet
    /// without compression, so that compressing it costs time and saves none.
    public var minimumSize: Int

    /// Makes settings with the given values, and the defaults that each property documents. Window bits outside 9 to 15
    /// count as the nearest of these.
    public init(
        clientContextTakeover: Bool = true, serverContextTakeover: Bool = true,
        clientWindowBits: Int = 15, serverWindowBits: Int = 15, minimumSize: Int = 1024
    ) {
        self.clientContextTakeover = clientContextTakeover
        self.serverContextTakeover = serverContextTakeover
        self.clientWindowBits = clientWindowBits
        self.serverWindowBits = serverWindowBits
        self.minimumSize = minimumSize
    }
}

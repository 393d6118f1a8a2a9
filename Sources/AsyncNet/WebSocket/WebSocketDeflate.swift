/// `permessage-deflate` as client and server have agreed on it (RFC 7692 §7.1).
package struct WebSocketDeflate: Hashable, Sendable {
    /// Whether each side's messages may refer to the messages before them.
    package var clientContextTakeover = true
    package var serverContextTakeover = true
    /// Each side's window as a power of two, 8 to 15.
    package var clientWindowBits = 15
    package var serverWindowBits = 15
    /// The fewest bytes of a message that this side compresses.
    package var minimumSize = 1024

    package init() {}

    func takesOver(_ role: WebSocketRole) -> Bool { role == .client ? clientContextTakeover : serverContextTakeover }

    func windowBits(_ role: WebSocketRole) -> Int { role == .client ? clientWindowBits : serverWindowBits }

    /// zlib compresses raw deflate with windows of 512 bytes and more only. A side that has agreed to 256 bytes sends
    /// its messages without compression, which RFC 7692 §6 allows for each message.
    static let leastWindowBits = 9
}

extension WebSocketRole {
    var peer: WebSocketRole { self == .client ? .server : .client }
}

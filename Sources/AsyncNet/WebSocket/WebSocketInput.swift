import Foundation

/// The received bytes that are not yet read. Appending and reading take time in proportion to the bytes.
struct WebSocketInput: Sendable {
    private var bytes = Data()
    private var position = 0

    var count: Int { bytes.endIndex - position }

    mutating func append(_ more: Data) {
        guard count > 0 else {
            (bytes, position) = (more, more.startIndex)
            return
        }
        if position - bytes.startIndex > count {
            bytes = Data(bytes[position...])
            position = 0
        }
        bytes.append(more)
    }

    /// The next bytes, at most `most`, without removing them. The slice shares its memory with all received bytes.
    func peek(_ most: Int) -> Data { bytes[position..<position + min(most, count)] }

    mutating func skip(_ size: Int) {
        position += min(size, count)
        if count == 0 { self = WebSocketInput() }
    }
}

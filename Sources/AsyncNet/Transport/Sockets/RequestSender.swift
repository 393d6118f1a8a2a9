import Foundation

/// Sends one request on a connection: the head with the first bytes of the body, then the rest as the socket takes it.
/// Used only under its loop's lock.
///
///     head → (awaiting 100) → body ⇄ starved → done
///
/// A response with a status of 300 or more, or the connection's end, stops the sender.
final class RequestSender {
    enum Progress {
        /// All is sent, or the socket is full, or TLS must receive first, or the body's source has no bytes at the
        /// moment.
        case idle
        /// The body waits for a 100 response, or for the end of `expectContinueTimeout`.
        case awaitsContinue
        /// The rate allows no more bytes of the body at this time.
        case limited
    }

    private let transfer: SocketTransfer
    let head: [UInt8]
    private let source: BodySource?
    private let isChunked: Bool
    private var sentHead = 0
    private(set) var sentBody: Int64 = 0
    private(set) var awaitsContinue: Bool
    private var bodyLimit = Int64.max
    /// Framed bytes of the body that the socket has not taken.
    private var unsent: ArraySlice<UInt8> = []
    private var isAtEnd: Bool
    private(set) var isDone = false
    private(set) var isStopped = false

    init(_ transfer: SocketTransfer, head: [UInt8]) {
        (self.transfer, self.head) = (transfer, head)
        source = transfer.source
        isChunked = transfer.body != nil && transfer.bodyLength == nil
        isAtEnd = transfer.request.body.isNone
        awaitsContinue = transfer.expectsContinue
        if !awaitsContinue { source?.start() }
    }

    var hasSent: Bool { sentHead > 0 }
    var failure: AsyncNetError? { source?.failure }

    /// Begins to read and send the body. A body that was not read yet can still be sent on another connection.
    func continueBody() {
        guard awaitsContinue, !isStopped else { return }
        awaitsContinue = false
        source?.start()
    }

    /// Called when nothing more is to be sent.
    func stop() {
        source?.stop()
        isStopped = true
    }

    /// Sends the head, then at most `limit` bytes of the body, until one of the cases of `Progress` holds.
    func send(on stream: SocketStream, atMost limit: Int) throws(AsyncNetError) -> Progress {
        let end = sentBody.addingReportingOverflow(Int64(limit))
        bodyLimit = end.overflow ? .max : end.partialValue
        while !isDone {
            if stream.isBlocked { return .idle }
            if sentHead < head.count {
                guard try sendHead(on: stream) else { return .idle }
            } else if awaitsContinue {
                return .awaitsContinue
            } else if !unsent.isEmpty {
                let sent = try unsent.withBytes { bytes throws(AsyncNetError) in try stream.send(bytes) }
                guard sent > 0 else { return .idle }
                unsent = unsent.dropFirst(sent)
            } else if isAtEnd {
                isDone = try stream.flush()
                if !isDone { return .idle }
            } else if sentBody >= bodyLimit {
                return .limited
            } else if let progress = try sendBody(on: stream) {
                return progress
            }
        }
        return .idle
    }

    /// A body in memory follows the head in the same packet, if both fit. Returns whether the stream has taken
    /// anything.
    private func sendHead(on stream: SocketStream) throws(AsyncNetError) -> Bool {
        let data =
            awaitsContinue ? nil : transfer.request.body.data.map { $0.prefix(Int(min(bodyLimit, Int64($0.count)))) }
        let sent = try head.withBytes { head throws(AsyncNetError) in
            try (data ?? Data()).withBytes { body throws(AsyncNetError) in
                try stream.send(UnsafeRawBufferPointer(rebasing: head[sentHead...]), body.isEmpty ? nil : body)
            }
        }
        let ofHead = min(sent, head.count - sentHead)
        sentHead += ofHead
        if let data = transfer.request.body.data, !awaitsContinue { didSendInMemory(sent - ofHead, of: data) }
        return sent > 0
    }

    private func didSendInMemory(_ count: Int, of data: Data) {
        sentBody += Int64(count)
        if count > 0 { reportSent() }
        isAtEnd = sentHead == head.count && sentBody == Int64(data.count)
    }

    /// - Returns: `nil` if the sender can go on at once.
    private func sendBody(on stream: SocketStream) throws(AsyncNetError) -> Progress? {
        let room = bodyLimit - sentBody
        if let data = transfer.request.body.data {
            let sent = try data.withBytes { bytes throws(AsyncNetError) in
                try stream.send(UnsafeRawBufferPointer(rebasing: bytes[Int(sentBody)...].prefix(Int(clamping: room))))
            }
            didSendInMemory(sent, of: data)
            return sent > 0 ? nil : .idle
        }
        guard let source else { return .idle }
        // The receive buffer is free: what was received has been taken.
        let scratch = stream.thread.receiveBuffer
        let place = scratch[Self.frontRoom..<(scratch.count - 2)].prefix(Int(clamping: room))
        switch source.read(into: UnsafeMutableRawBufferPointer(rebasing: place)) {
        case .bytes(let count):
            try send(framed(count, in: scratch), on: stream)
            sentBody += Int64(count)
            reportSent()
        case .end:
            isAtEnd = true
            if isChunked {
                unsent = HTTP1RequestHead.end(trailers: source.trailers)[...]
                reportSent()
            }
        case .pause:
            transfer.request.onEvent?(.awaitingBody)
            return .idle
        case .failure: throw source.failure ?? AsyncNetError(.bodyStreamFailed)
        }
        return nil
    }

    /// The room in front of a chunk's bytes for the chunk's size.
    private static let frontRoom = 16

    private func framed(_ count: Int, in scratch: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer {
        guard isChunked else {
            return UnsafeRawBufferPointer(rebasing: scratch[Self.frontRoom..<(Self.frontRoom + count)])
        }
        let size = Array((String(count, radix: 16) + "\r\n").utf8)
        let start = Self.frontRoom - size.count
        scratch[start..<Self.frontRoom].copyBytes(from: size)
        scratch[(Self.frontRoom + count)..<(Self.frontRoom + count + 2)].copyBytes(from: [0x0D, 0x0A])
        return UnsafeRawBufferPointer(rebasing: scratch[start..<(Self.frontRoom + count + 2)])
    }

    private func send(_ bytes: UnsafeRawBufferPointer, on stream: SocketStream) throws(AsyncNetError) {
        let sent = try stream.send(bytes)
        if sent < bytes.count { unsent = Array(bytes[sent...])[...] }
    }

    private func reportSent() {
        transfer.request.onEvent?(
            .sentBody(bytes: sentBody, total: isAtEnd && isChunked ? sentBody : transfer.bodyLength))
    }
}

extension ContiguousBytes {
    /// `withUnsafeBytes` with a typed error.
    func withBytes<Value, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let result = withUnsafeBytes { bytes in Result { () throws(Failure) in try body(bytes) } }
        return try result.get()
    }
}

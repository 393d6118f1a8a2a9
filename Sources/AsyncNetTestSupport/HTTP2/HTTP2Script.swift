import AsyncNet
import Foundation

/// The response to a request over HTTP/2, as the steps of its stream.
///
/// What a ``MockResponse`` says of HTTP/1.1 alone has its nearest meaning: no chunked coding, no reason phrase, no header of
/// a connection; `Connection: close` is GOAWAY after the response.
struct HTTP2Script {
    enum Step {
        case wait(Duration)
        /// Nothing follows.
        case stall
        case head(Int, HTTPHeaders, endsStream: Bool)
        case body(Data, endsStream: Bool)
        case trailers(HTTPHeaders)
        case reset(MockResponse.HTTP2Code)
        case goAway(MockResponse.HTTP2Code, UInt32?)
        case frames([MockResponse.Frame])
        case bytes(Data)
        case end(MockReplyWriter.End)
    }

    private(set) var steps: [Step] = []
    private let reply: MockResponse
    private let hasBody: Bool

    init(_ reply: MockResponse, method: String) {
        self.reply = reply
        hasBody = reply.hasBody(method)
        if reply.delay > .zero { steps.append(.wait(reply.delay)) }
        addAll()
    }

    private mutating func addAll() {
        if let bytes = reply.rawBytes { return steps += [.bytes(bytes), .end(.close)] }
        if let frames = reply.frames { return steps.append(.frames(frames)) }
        // A WebSocket over HTTP/2 (RFC 8441) is not offered.
        if reply.upgrade != nil { return steps.append(.reset(.http11Required)) }
        switch reply.fault {
        case .refuse, .resetBeforeHead: return steps.append(.end(.reset))
        case .closeBeforeHead: return steps.append(.end(.close))
        case .stall: return steps.append(.stall)
        case .garbage: return steps += [.bytes(MockReplyWriter.garbage), .end(.close)]
        case .resetStream(let code, after: nil): return steps.append(.reset(code))
        case .goAway(let code, let last): steps.append(.goAway(code, last))
        default: break
        }
        for (status, headers) in reply.informational { steps.append(.head(status, headers, endsStream: false)) }
        addResponse()
    }

    private mutating func addResponse() {
        let pieces = hasBody ? pieces : []
        let end = lastSteps
        let hasMore = !end.isEmpty || !pieces.isEmpty
        steps.append(.head(reply.statusCode, headers, endsStream: !hasMore))
        for (index, piece) in pieces.enumerated() {
            if piece.pause > .zero { steps.append(.wait(piece.pause)) }
            steps.append(.body(piece.bytes, endsStream: end.isEmpty && index == pieces.count - 1))
        }
        steps += end
        if reply.headers["Connection"]?.lowercased() == "close" { steps.append(.goAway(.noError, nil)) }
    }

    private var headers: HTTPHeaders {
        var headers = reply.headers
        for name in ["Connection", "Keep-Alive", "Transfer-Encoding", "Upgrade"] { headers.remove(name) }
        let isFramed = reply.chunks != nil || reply.headers.contains(name: "Transfer-Encoding")
        if !isFramed, !headers.contains(name: "Content-Length"), reply.statusCode != 204 {
            headers.add(name: "Content-Length", value: "\(reply.announcedLength)")
        }
        return headers
    }

    /// What follows the body, and ends the stream; empty if the body's last piece does.
    private var lastSteps: [Step] {
        switch reply.fault {
        // The client must read what was sent before the reset, which discards unread bytes.
        case .resetAfterHead, .resetMidBody: [.wait(.milliseconds(50)), .end(.reset)]
        case .truncate: [.end(.close)]
        case .stallMidBody: [.stall]
        case .resetStream(let code, _): [.reset(code)]
        default: reply.trailers.isEmpty || !hasBody ? [] : [.trailers(reply.trailers)]
        }
    }

    /// The body's pieces, with the pauses before them, as far as a fault lets them be sent.
    private var pieces: [(pause: Duration, bytes: Data)] {
        if reply.fault == .resetAfterHead { return [] }
        if case .drip(let count, let pause) = reply.fault { return drops(max(1, count), pause) }
        var left = reply.fault?.end ?? .max
        var pieces: [(pause: Duration, bytes: Data)] = []
        for (index, chunk) in (reply.chunks ?? [reply.body]).enumerated() {
            let bytes = chunk.prefix(left)
            left -= bytes.count
            let pause = reply.pauses.indices.contains(index) && reply.chunks != nil ? reply.pauses[index] : .zero
            if !bytes.isEmpty || pause > .zero { pieces.append((pause, bytes)) }
        }
        return pieces
    }

    private func drops(_ count: Int, _ pause: Duration) -> [(pause: Duration, bytes: Data)] {
        let body = reply.chunks?.reduce(Data(), +) ?? reply.body
        return stride(from: 0, to: body.count, by: count).map {
            ($0 == 0 ? .zero : pause, body.dropFirst($0).prefix(count))
        }
    }
}

extension MockResponse {
    /// Whether the response to a request with this method has a body (RFC 9112 §6.3).
    func hasBody(_ method: String) -> Bool { method != "HEAD" && ![204, 304].contains(statusCode) }

    /// A body that a fault ends is announced longer than what is sent of it.
    var announcedLength: Int {
        guard let end = fault?.end, end >= body.count else { return body.count }
        return body.count + 1
    }
}

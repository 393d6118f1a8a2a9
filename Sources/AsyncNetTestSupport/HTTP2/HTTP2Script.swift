import AsyncNet
import Foundation

/// The response to a request over HTTP/2, as the steps of its stream.
///
/// What only HTTP/1.1 has is left out: the chunked coding, the reason phrase and headers of the connection;
/// `Connection: close` becomes GOAWAY after the response.
struct HTTP2Script {
    enum Step {
        case wait(Duration)
        /// Nothing more is sent on the stream.
        case stall
        case head(Int, HTTPHeaders, endsStream: Bool)
        case body(Data, endsStream: Bool)
        /// The body that the sequence makes, up to the fault that ends the body.
        case stream(TransportBody, MockResponse.Fault?)
        /// The rest of the body of `.stream`.
        case rest(StreamedBody)
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
        let pieces = hasBody ? reply.pieces : []
        let end = lastSteps
        let hasMore = !end.isEmpty || !pieces.isEmpty
        steps.append(.head(reply.statusCode, headers, endsStream: !hasMore))
        if hasBody, let chunks = reply.streamed { steps.append(.stream(chunks, reply.fault)) }
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
        if let length = reply.addedLength { headers.add(name: "Content-Length", value: "\(length)") }
        return headers
    }

    /// The steps that end the stream after the body; empty if the body's last piece ends it.
    private var lastSteps: [Step] {
        switch reply.fault {
        // The client must read what was sent before the reset, which discards unread bytes.
        case .resetAfterHead, .resetMidBody: [.wait(.milliseconds(50)), .end(.reset)]
        case .truncate: [.end(.close)]
        case .stallMidBody: [.stall]
        case .resetStream(let code, _): [.reset(code)]
        default:
            if !hasBody {
                []
            } else if !reply.trailers.isEmpty {
                [.trailers(reply.trailers)]
            } else {
                reply.streamed == nil ? [] : [.body(Data(), endsStream: true)]
            }
        }
    }
}

import Foundation

/// One connection of HTTP/2 whose client knows that it is (RFC 9113 §3.3).
struct HTTP2Server {
    private let socket: Socket
    /// Of requests whose number cannot be found.
    private var unknown = 0

    private var greeting: Randomness

    static func serve(_ socket: Socket, _ connection: Randomness) {
        var server = HTTP2Server(socket: socket, greeting: connection)
        guard socket.receive(exactly: 24) != nil else { return }
        server.run()
    }

    private init(socket: Socket, greeting: Randomness) { (self.socket, self.greeting) = (socket, greeting) }

    private mutating func run() {
        // Its own settings come first (RFC 9113 §3.4), drawn for the connection: no request has been read yet.
        guard socket.send(HTTP2Replies.settings(&greeting).bytes) else { return }
        var pending: (stream: UInt32, id: StepID)?
        while let frame = HTTP2Frame.read(from: socket) {
            if frame.type == HTTP2Frame.Kind.headers.rawValue { pending = (frame.stream, id(in: frame.payload)) }
            if frame.type == HTTP2Frame.Kind.settings.rawValue, frame.flags & HTTP2Frame.acknowledgement == 0 {
                guard socket.send(HTTP2Frame(.settings, flags: HTTP2Frame.acknowledgement).bytes) else { return }
            }
            // Replies come after the whole request.
            guard let request = pending, frame.stream == request.stream, frame.flags & HTTP2Frame.endStream != 0
            else { continue }
            pending = nil
            var random = request.id.random
            guard reply(to: request.stream, &random) else { return }
        }
    }

    private mutating func id(in block: Data) -> StepID {
        if let id = StepID(letters: block) { return id }
        unknown += 1
        return StepID(sequence: 0, number: unknown, kind: .http2)
    }

    private func reply(to stream: UInt32, _ random: inout Randomness) -> Bool {
        var data = HTTP2Replies.response(on: stream, &random).reduce(Data()) { $0 + $1.bytes }
        if random.chance(0.1) { data = ByteMutations.mutate(data, &random) }
        if random.chance(0.02) { data = Data("HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n".utf8) }
        let end = random.chance(0.6) ? Reply.End.keep : random.pick([.endWriting, .close, .reset, .endWriting])
        return Reply(data, end: end).scattered(&random).play(on: socket)
    }
}

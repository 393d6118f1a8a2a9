import AsyncNet
import Foundation

/// A connection of a mock server over HTTP/2. Its thread reads frames, and writes the responses of all streams in turn.
struct MockHTTP2Connection {
    struct Stream {
        var request: RecordedRequest
        /// The response that was taken for the request when its head had arrived.
        let reserved: RouteTable.Found?
        var steps: ArraySlice<HTTP2Script.Step> = []
        /// When the `.wait` step that has begun ends.
        var resumption: ContinuousClock.Instant?
        /// Runs the route's closure.
        var task: PostedTask?
    }

    private let core: MockServerCore
    private let socket: ServerStream
    private let number: Int
    let inbox: HTTP2Inbox
    var machine: HTTP2ServerMachine
    var streams: [UInt32: Stream] = [:]
    var lastWritten: UInt32 = 0
    private var reported = 0
    /// Whether the connection is closed when its streams have ended.
    var isLeaving = false
    var end: MockReplyWriter.End?

    init(_ core: MockServerCore, _ connection: MockConnection) throws {
        (self.core, socket, number) = (core, connection.socket, connection.number)
        inbox = HTTP2Inbox(try Wakeup())
        machine = HTTP2ServerMachine(core.http2.add(inbox, number))
    }

    /// Serves until the connection is to be closed.
    ///
    /// - Parameter received: What the client has sent so far.
    /// - Returns: How the connection is to be closed.
    mutating func run(_ received: Data) throws -> MockReplyWriter.End {
        defer {
            core.http2.remove(number)
            for id in streams.keys { drop(id) }
        }
        var received = received
        while true {
            if !received.isEmpty { receive(received) }
            inbox.wakeup.clear()
            for message in inbox.take() { handle(message) }
            let isReady = write()
            try flush()
            if let end { return end }
            guard let more = try read(isReady) else { return .close }
            received = more
        }
    }

    /// - Parameter isReady: Whether there is more to write already.
    /// - Returns: Bytes of the client; empty if there are none yet, `nil` once the client has closed the connection.
    private func read(_ isReady: Bool) throws -> Data? {
        let next = streams.values.compactMap(\.resumption).min()
        let limit = isReady ? .zero : next.map { max(.zero, $0 - .now) }
        guard let bytes = try socket.read(64 * 1024, orUntil: inbox.wakeup, within: limit) else { return Data() }
        return bytes.isEmpty ? nil : bytes
    }

    private mutating func flush() throws {
        guard !machine.output.isEmpty else { return }
        let bytes = Data(machine.output)
        machine.output.removeAll(keepingCapacity: true)
        try socket.write(bytes)
    }

    // MARK: Requests

    private mutating func receive(_ bytes: Data) {
        for event in machine.receive(bytes) {
            switch event {
            case .head(let id, let head, let isComplete): begin(id, head, isComplete)
            case .body(let id, let bytes, let isComplete):
                streams[id]?.request.body.append(bytes)
                if isComplete { respond(id) }
            case .reset(let id): drop(id)
            }
        }
        for violation in machine.violations.dropFirst(reported) {
            core.routes.report(
                "Connection \(number): the client sent \(violation.text) (RFC 9113 §\(violation.section))")
        }
        reported = machine.violations.count
        if machine.isBroken { end = .close }
    }

    private mutating func begin(_ id: UInt32, _ head: HTTP2RequestHead, _ isComplete: Bool) {
        let request = RecordedRequest(
            method: HTTPMethod(rawValue: head.method), target: head.target, headers: head.headers, body: Data(),
            connection: number, httpVersion: "HTTP/2")
        let reserved = core.reserve(for: request)
        streams[id] = Stream(request: request, reserved: reserved)
        if isComplete || reserved?.isEarly == true { return respond(id) }
        guard head.headers["Expect"]?.lowercased() == "100-continue" else { return }
        machine.send([(":status", "100")], on: id, endsStream: false)
    }

    private mutating func respond(_ id: UInt32) {
        guard let stream = streams[id], stream.steps.isEmpty, stream.task == nil else { return }
        var request = stream.request
        streams[id]?.request.body = Data()
        switch core.receive(&request, stream.reserved) {
        case .reply(let reply, _): start(reply, id)
        case .otherMethods(let methods): start(core.routes.refuse(request, methods), id)
        case .none: start(core.routes.refuse(request, []), id)
        case .handler(let handler, _):
            streams[id]?.task = PostedTask(core.starter) { [inbox, request] in
                inbox.add(.reply(id, await MockServerCore.response(of: handler, request)))
            }
        }
    }

    private mutating func start(_ reply: MockResponse, _ id: UInt32) {
        guard let stream = streams[id] else { return }
        var steps = HTTP2Script(reply, method: stream.request.method.rawValue).steps
        if let chance = core.nextChance() {
            if chance.isLost { steps = [.end(.reset)] }
            steps.insert(.wait(chance.latency), at: 0)
        }
        streams[id]?.steps = steps[...]
    }

    mutating func drop(_ id: UInt32) {
        streams.removeValue(forKey: id)?.task?.cancel()
    }

    private mutating func handle(_ message: HTTP2Inbox.Message) {
        switch message {
        case .reply(let id, let reply): start(reply, id)
        case .settings(let settings): machine.update(settings)
        case .step(let step): _ = write(step, machine.lastStream)
        }
    }
}

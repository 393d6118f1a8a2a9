import Foundation

/// The server of HTTP/1.1: what it replies follows from the request's path alone.
struct PlainServer {
    let port: Int
    /// Of the same server, for redirects to another origin.
    let otherPort: Int

    func serve(_ socket: Socket) {
        while let request = HTTPRequest(from: socket) {
            guard reply(to: request).play(on: socket) else { return }
        }
    }

    func reply(to request: HTTPRequest) -> Reply {
        guard let id = StepID(target: request.target) else {
            return Reply(Data("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n".utf8))
        }
        var random = id.random
        // Kinds that are about the way reply as any of the others.
        let kind = Kind.plain.contains(id.kind) ? id.kind : random.pick(Kind.plain)
        return reply(kind, id, request, &random).scattered(&random)
    }

    private func reply(_ kind: Kind, _ id: StepID, _ request: HTTPRequest, _ random: inout Randomness) -> Reply {
        switch kind {
        case .folded: HeadReplies.folded(&random)
        case .chunked: BodyReplies.chunked(&random, hasTrailers: false)
        case .trailers: BodyReplies.chunked(&random, hasTrailers: true)
        case .redirects: HeadReplies.redirect(id, otherPort: otherPort, &random)
        case .informational: HeadReplies.informational(&random)
        case .neighbours: BodyReplies.neighbours(&random)
        case .challenges: HeadReplies.challenge(id, &random)
        case .codings: BodyReplies.coded(&random)
        case .cookies: HeadReplies.cookies(&random)
        case .events: BodyReplies.events(&random)
        case .ranges: BodyReplies.range(request, &random)
        default: HeadReplies.heads(&random)
        }
    }
}

import AsyncNet
import AsyncNetMonitors
import Foundation

extension RecordingFormat {
    /// The exchange as a file has it: without secrets, and without what differs each time. A second call changes
    /// nothing more, unless ``changeRequest`` or ``changeResponse`` does.
    package func written(_ exchange: RecordedExchange) -> RecordedExchange {
        let (request, response) = (exchange.request, exchange.response)
        let answered = response.map { Array($0.headers) + Array($0.trailers) } ?? []
        let secrets = KnownSecrets(request.url, Array(request.headers) + answered, redaction)
        var written = exchange
        written.request = self.written(exchange.request, secrets)
        written.latency = WrittenTimes(step: timeStep).rounded(exchange.latency)
        switch exchange.outcome {
        case .failure(let failure): written.outcome = .failure(self.written(failure, secrets))
        case .response(let response):
            let form = WrittenResponse(format: self, secrets: secrets, method: exchange.request.method)
            written.outcome = .response(form.written(response))
        }
        return written
    }

    /// A live request in the form of requests in files, to compare it with those.
    package func written(_ request: RecordedExchange.Request) -> RecordedExchange.Request {
        written(request, KnownSecrets(request.url, Array(request.headers), redaction))
    }

    private func written(_ request: RecordedExchange.Request, _ secrets: KnownSecrets) -> RecordedExchange.Request {
        let text = WrittenText(format: self, secrets: secrets)
        var written = request
        written.url = text.url(request.url)
        (written.body, written.isBodyTruncated) = decodedBody(request)
        let type = request.headers["Content-Type"]
        written.body = Self.sorted(text.body(written.body, type), type)
        let names = Set(requestHeaders.map { $0.lowercased() })
        written.headers = text.headers(request.headers.filter { names.contains($0.name.lowercased()) })
        changeRequest?(&written)
        return written
    }

    /// JSON with its members sorted by name, since encoders may write them in another order each time.
    private static func sorted(_ body: Data, _ type: String?) -> Data {
        guard !body.isEmpty, type?.lowercased().contains("json") == true, let json = try? JSON(data: body) else {
            return body
        }
        return json.data(options: .sortedKeys)
    }

    /// The body without its content coding. One that cannot be decoded is left out, since its secrets cannot be found.
    private func decodedBody(_ request: RecordedExchange.Request) -> (Data, isTruncated: Bool) {
        let codings = request.headers.values(for: "Content-Encoding")
        guard !codings.isEmpty, !request.body.isEmpty else { return (request.body, request.isBodyTruncated) }
        let decoded = request.body.decoded(from: codings, limit: Self.mostDecoded)
        return decoded.map { ($0, request.isBodyTruncated) } ?? (Data(), true)
    }

    private static let mostDecoded = 64 * 1024 * 1024

    func written(_ failure: RecordedExchange.Failure, _ secrets: KnownSecrets) -> RecordedExchange.Failure {
        let summary = AsyncNetError(failure.code).message
        // A transport adds details in parentheses, such as times and ports, which differ each time.
        guard !failure.message.hasPrefix(summary + " (") else { return .init(failure.code) }
        let message = MessageRedactor(rule: redaction).redacted(failure.message)
        return .init(failure.code, WrittenText(format: self, secrets: secrets).text(message))
    }
}

import AsyncNet
import AsyncNetTestSupport
import Foundation

extension RecordedExchange {
    /// An exchange with a text in its response.
    static func text(_ request: Request, _ text: String = "ok", status: Int = 200, headers: HTTPHeaders = [:])
        -> RecordedExchange
    {
        RecordedExchange(request, .response(.init(status, headers: headers, body: Data(text.utf8))))
    }

    static func failing(_ request: Request, _ code: AsyncNetError.Code) -> RecordedExchange {
        RecordedExchange(request, .failure(.init(code)))
    }
}

extension RecordedExchange.Request {
    /// A request such as `GET https://api.example.com/users`; the scheme and the host may be left out.
    init(_ line: String, _ body: String = "", type: String? = nil, headers: HTTPHeaders = [:]) {
        let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
        let text = parts[1].hasPrefix("/") ? "https://api.example.com\(parts[1])" : parts[1]
        var headers = headers
        if let type { headers.add(.contentType(type)) }
        self.init(
            method: HTTPMethod(rawValue: parts[0]), url: (try? text.asURL()) ?? URL(filePath: text), headers: headers,
            body: Data(body.utf8))
    }
}

extension RecordedExchange.Response {
    /// A response whose body has these chunks.
    static func chunks(_ texts: String..., headers: HTTPHeaders = [:]) -> RecordedExchange.Response {
        .init(200, headers: headers, chunks: texts.map { .init(Data($0.utf8)) })
    }
}

extension Session {
    /// The text of the response to a request such as `GET /users`, as ``RecordedExchange/Request`` reads it.
    func text(_ line: String, _ body: String = "", type: String? = nil, headers: HTTPHeaders = [:]) async throws
        -> String
    {
        try await task(line, body, type: type, headers: headers).value
    }

    /// The error of such a request; `nil` if it succeeds.
    func failure(_ line: String, _ body: String = "", type: String? = nil) async -> AsyncNetError? {
        do throws(AsyncNetError) {
            _ = try await task(line, body, type: type).value
            return nil
        } catch {
            return error
        }
    }

    private func task(_ line: String, _ body: String, type: String?, headers: HTTPHeaders = [:]) -> ResponseTask<
        String
    > {
        let wanted = RecordedExchange.Request(line, body, type: type, headers: headers)
        guard !body.isEmpty else {
            return request(wanted.url, method: wanted.method, headers: wanted.headers).serializing(String.self)
        }
        return upload(.data(wanted.body), to: wanted.url, method: wanted.method, headers: wanted.headers).serializing(
            String.self)
    }
}

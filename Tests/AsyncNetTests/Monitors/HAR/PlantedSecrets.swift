import AsyncNet
import AsyncNetTesting
import Foundation

@testable import AsyncNetMonitors

/// Secrets in every part of requests and responses in which servers and clients put them.
struct PlantedSecrets {
    /// Makes a value that occurs nowhere else.
    private static func secret(_ number: Int) -> String { "Qx7Planted\(number)z" }
    static let count = 45
    static var all: [String] { (1...count).map(secret) }

    /// Texts that must not be written: each secret, and the Base64 of each as the password of `ada`.
    static var forbidden: [String] { all + all.map { Data("ada:\($0)".utf8).base64EncodedString() } }

    private static func s(_ number: Int) -> String { secret(number) }

    static let headers: HTTPHeaders = [
        HTTPHeader(name: "Authorization", value: "Bearer \(s(1))"),
        HTTPHeader(name: "Proxy-Authorization", value: s(2)),
        HTTPHeader(name: "Cookie", value: "a=\(s(3)); b=\(s(4))"), HTTPHeader(name: "X-API-Key", value: s(5)),
        HTTPHeader(name: "X-Auth-Token", value: s(6)), HTTPHeader(name: "Private-Token", value: s(7)),
        HTTPHeader(name: "Referer", value: "https://u:\(s(8))@a.example/?access_token=\(s(9))"),
        HTTPHeader(name: "X-Amz-Security-Token", value: s(10)),
        HTTPHeader(name: "Sec-WebSocket-Protocol", value: "realtime, openai-insecure-api-key.\(s(45))"),
    ]

    static let query = [
        "access_token=\(s(11))", "X-Amz-Signature=\(s(12))", "X-Amz-Credential=\(s(13))", "AWSAccessKeyId=\(s(14))",
        "sig=\(s(15))", "api_key=\(s(16))", "access%5Ftoken=\(s(17))", "user%5Bpassword%5D=\(s(18))", "code=\(s(19))",
        "next=https%3A%2F%2Fa.example%2F%3Ftoken%3D\(s(20))", "X-Goog-Signature=\(s(21))", "page=2",
    ].joined(separator: "&")

    static let json = """
        {"user":"ada","password":"\(s(22))","nested":{"list":[{"client_secret":"\(s(23))"}]},
        "refresh\\u005ftoken":"\(s(24))","token":{"value":["\(s(25))"]},"text":"{\\"apiKey\\":\\"\(s(26))\\"}",
        "url":"https://u:\(s(27))@a.example/?sig=\(s(28))","Authorization":"Bearer \(s(29))","end":1}
        """

    static let form = "user=ada&password=\(s(30))&client_secret=\(s(31))&grant_type=password&refresh%5Ftoken=\(s(32))"

    static let multipart = """
        --B\r\nContent-Disposition: form-data; name="user"\r\n\r\nada\r\n\
        --B\r\nContent-Disposition: form-data; name="password"\r\n\r\n\(s(33))\r\n\
        --B\r\nContent-Disposition: form-data; name="data"; filename="a.json"\r\nContent-Type: application/json\r\n\r\n\
        {"session":"\(s(34))"}\r\n--B--\r\n
        """

    static let responseHeaders: HTTPHeaders = [
        HTTPHeader(name: "Set-Cookie", value: "sid=\(s(35)); Path=/; HttpOnly"),
        HTTPHeader(name: "Set-Cookie", value: "b=\(s(36))"), HTTPHeader(name: "X-CSRF-Token", value: s(37)),
        HTTPHeader(name: "Link", value: "<https://a.example/?token=\(s(38))&page=3>; rel=\"next\""),
        HTTPHeader(name: "Content-Location", value: "/me?sig=\(s(39))"),
    ]

    static let responseBody =
        #"{"id":1,"access_token":"\#(s(40))","id_token":"\#(s(41))","page":{"secret":"\#(s(42))"}}"#
    static let location = "/end?token=\(s(43))"
    /// The password of the user `ada`, which is sent in `Authorization` after a challenge.
    static let password = s(44)

    /// Sends the secrets of requests to a server, which responds with the secrets of responses.
    static func send(over session: Session, to server: MockServer) async throws {
        server.on(.post, "/body") { _ in .json(responseBody, headers: responseHeaders) }
        server.on(.get, "/start") { _ in .redirect(to: location) }
        server.on(.get, "/end") { _ in .text("ok") }
        server.on(.get, "/auth") { request in
            request.headers["Authorization"] == nil
                ? .status(401, headers: ["WWW-Authenticate": "Basic realm=\"a\""]) : .text("ok")
        }
        server.on(.get, "/reset") { _ in .fault(.resetMidBody(after: 1)) }
        let bodies = [
            (json, "application/json"), (form, "application/x-www-form-urlencoded"),
            (multipart, "multipart/form-data; boundary=B"),
        ]
        for (body, type) in bodies {
            var headers = headers
            headers.update(HTTPHeader(name: "Content-Type", value: type))
            let url = server.url("/body").absoluteString + "?" + query
            _ = try await session.upload(.data(Data(body.utf8)), to: url, headers: headers).serializing(Data.self).value
        }
        _ = try await session.request(server.url("/start")).serializing(Data.self).value
        let credential = RequestOptions(credential: PasswordCredential(username: "ada", password: password))
        _ = try await session.request(server.url("/auth"), options: credential).serializing(Data.self).value
        let reset = server.url("/reset").absoluteString + "?" + query
        _ = await session.request(reset, headers: headers).serializing(Data.self).result
    }
}

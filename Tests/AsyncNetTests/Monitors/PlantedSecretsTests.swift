import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

/// Secrets are planted in requests and responses as programs and servers have them, and looked for in all that is
/// written about a request: logs, notifications, events, descriptions, commands, metrics and errors.
@Suite("Planted secrets in the output of monitors", .timeLimit(.minutes(5)))
struct PlantedSecretsTests {
    /// URLs with a secret in each place of a URL that may have one: each `@@` becomes a secret.
    private static let urls = [
        "http://@@:@@@127.0.0.1:1/a;jsessionid=@@?X-Amz-Signature=@@&X-Amz-Credential=@@&X-Amz-Security-Token=@@",
        "http://127.0.0.1:1/a?AWSAccessKeyId=@@&Signature=@@&sig=@@&X-Goog-Signature=@@&access_token=@@&api_key=@@#token=@@",
        "http://127.0.0.1:1/http://@@:@@@b/?token=@@&password=@@&code=@@&next=http%3A%2F%2F@@%3A@@%40b%2F%3Fsecret%3D@@",
    ]
    private static let headers = [
        "Authorization: Bearer @@", "Proxy-Authorization: Basic @@", "Cookie: session=@@; other=@@",
        "X-Api-Key: @@", "X-Auth-Token: @@", "X-Amz-Security-Token: @@", "X-Client-Secret: @@",
        "Referer: http://@@:@@@b/?token=@@#@@", "X-Next: http://@@:@@@b/?token=@@",
        "Sec-WebSocket-Protocol: realtime, openai-insecure-api-key.sk-@@",
    ]
    private static let received = [
        "Set-Cookie: sid=@@; Path=/", "Location: http://@@:@@@b/;sid=@@?token=@@#access_token=@@",
        "Link: <http://@@:@@@b/?token=@@>; rel=next", "WWW-Authenticate: Basic realm=x", "X-Auth-Token: @@",
        "Refresh: 5; url=http://@@:@@@b/?token=@@",
    ]
    private static let json = #"{"user":"ada","password":"@@","nested":{"client_secret":"@@"},"list":[{"token":"@@"}]}"#

    /// Replaces each `@@` by a new secret, which contains the mark.
    private final class Plants: Sendable {
        static let mark = "hunter"
        private let count = Locked(0)
        var total: Int { count.withLock { $0 } }

        var next: String {
            count.withLock { count in
                count += 1
                return "\(Self.mark)\(count)"
            }
        }

        func planted(_ text: String) -> String {
            var parts = text.components(separatedBy: "@@")[...]
            var planted = parts.removeFirst()
            for part in parts {
                planted += next + part
            }
            return planted
        }

        func planted(_ headers: [String]) -> HTTPHeaders {
            HTTPHeaders(headers.map { HTTPHeader(stringLiteral: planted($0)) })
        }
    }

    /// Keeps the descriptions and dumps of all events, and of other values.
    private final class Written: EventMonitor {
        private let texts = Locked<[String]>([])
        let interests = EventInterests(sentHeads: true, bodyBytes: true, certificates: true, bodyLimit: 1000)

        func add(_ value: Any) {
            var dumped = ""
            dump(value, to: &dumped)
            texts.withLock { $0 += ["\(value)", String(reflecting: value), dumped] }
        }

        func receive(_ event: SessionEvent) async {
            add(event)
            add(event.event)
            if let summary = event.summary { add(summary) }
        }

        var leaks: [String] { texts.withLock { $0.filter { $0.contains(Plants.mark) } } }
        var count: Int { texts.withLock { $0.count } }
    }

    private func observed(_ transport: some Transport, _ written: Written, _ plants: Plants) -> Session {
        let center = NotificationCenter()
        for name in [DataRequest.didResumeNotification, DataRequest.didFinishNotification] {
            _ = center.addObserver(forName: name, object: nil, queue: nil) { note in
                written.add(note.userInfo ?? [:])
                written.add(note)
            }
        }
        let levels = [RequestLog.Level.errors, .requests, .steps]
        let logs = levels.map { RequestLog(level: $0) { written.add($0) } }
        let policy = RetryPolicy(limit: 1, backoff: Backoff(scale: .zero))
        return Session(
            transport: transport,
            configuration: .init(
                headers: plants.planted(["X-Session-Token: @@"]), interceptors: [policy],
                monitors: logs + [written, NotificationMonitor(center: center)], cookieJar: CookieJar()))
    }

    private func bodies(_ plants: Plants) throws -> [RequestBody] {
        let form = Data(plants.planted("user=ada&password=@@&access_token=@@&code=@@").utf8)
        let compressed = try RequestBody.data(Data(plants.planted(Self.json).utf8)).compressed(with: .gzip)
        return [
            .data(Data(plants.planted(Self.json).utf8)), .data(form), compressed,
            .multipart { form in
                form.append(plants.next, name: "password")
                form.append(Data(plants.next.utf8), name: "api_key", fileName: "key.bin")
                form.append(plants.planted(Self.json), name: "json")
                form.append(.data(Data()), name: "a=b", headers: plants.planted(["X-Auth-Token: @@"]))
                form.append(.multipart { $0.append(plants.next, name: "user[secret]") }, name: "inner")
            },
        ]
    }

    private func send(_ request: DataRequest, _ written: Written, _ plants: Plants) async {
        request.authenticate(username: plants.next, password: plants.next)
        written.add(request)
        written.add(await request.curlDescription())
        let response = await request.validate().serializing([Int].self).response
        for value in [
            request, await request.curlDescription(), response, response.metrics, response.metrics.hops,
            response.timeline, request.serializing(Data.self), response.head as Any,
        ] as [Any] { written.add(value) }
        guard let error = response.error else { return }
        for value in [error, error.localizedDescription, error as NSError, error.underlyingError as Any] as [Any] {
            written.add(value)
        }
    }

    @Test(
        "Logs, notifications, events, descriptions, commands, metrics and errors contain no planted secret",
        arguments: [200, 302, 401, 404, 503, 0])
    func stub(_ status: Int) async throws {
        let (plants, written) = (Plants(), Written())
        let stub = StubTransport { [received = Self.received] _ in
            guard status > 0 else { return .fault(.resetBeforeHead) }
            var headers = plants.planted(received)
            if status != 302 { headers.remove("Location") }
            return .json(plants.planted(Self.json), status: status, headers: headers)
        }
        let session = observed(stub, written, plants)
        for body in try bodies(plants) {
            for url in Self.urls {
                let headers = plants.planted(Self.headers)
                let url = plants.planted(url)
                await send(session.upload(body, to: url, method: .put, headers: headers), written, plants)
            }
        }
        let template = URLTemplate(plants.planted("http://@@:@@@127.0.0.1:1/{name}?sig=@@&token=@@"), ["name": "a"])
        await send(session.upload(.data(Data()), to: template, method: .put), written, plants)
        await session.finish()
        #expect(plants.total > 40 && written.count > 1000)
        #expect(written.leaks.prefix(3).map { $0.prefix(2000) } == [])
    }

    @Test("Logs, events, descriptions, metrics and errors of a request over libcurl contain no planted secret")
    func libcurl() async throws {
        let (plants, written) = (Plants(), Written())
        let headers = plants.planted(Self.received.filter { !$0.hasPrefix("Location") })
        try await withServer(
            .redirect(to: plants.planted("/b;sid=@@?token=@@&sig=@@#access_token=@@"), status: 307),
            .json(plants.planted(Self.json), status: 404, headers: headers)
        ) { (server: MockServer) async throws in
            let session = observed(LibcurlTransport(), written, plants)
            let url = plants.planted("http://@@:@@@127.0.0.1:\(server.port)/a;jsessionid=@@?sig=@@&token=@@#key=@@")
            await send(
                session.upload(
                    .data(Data(plants.planted(Self.json).utf8)), to: url, headers: plants.planted(Self.headers)),
                written, plants)
            await session.finish()
        }
        #expect(plants.total > 40 && written.count > 50)
        #expect(written.leaks.prefix(3).map { $0.prefix(2000) } == [])
    }
}

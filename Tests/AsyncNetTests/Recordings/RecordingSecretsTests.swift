import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetTestSupport

/// A recording's files must contain no secret, and live requests must still match a redacted recording.
@Suite("Secrets in recordings", .timeLimit(.minutes(5)))
struct RecordingSecretsTests {
    private let folder: TemporaryFolder
    private let file: URL

    init() throws {
        folder = try TemporaryFolder()
        file = folder.url.appending(path: "a.har")
    }

    /// The bytes of the file and of the bodies beside it, also decoded from Base64.
    private func written() throws -> String {
        let beside = folder.url.appending(path: "a.har.files")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: beside.path)) ?? []
        let data = [file] + names.map { beside.appending(path: $0) }
        let texts = try data.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        let decoded = texts.flatMap { $0.split(separator: "\"") }.compactMap { Data(base64Encoded: String($0)) }
        return (texts + decoded.map { String(decoding: $0, as: UTF8.self) }).joined(separator: "\n")
    }

    @Test("A recording contains no planted secret, and live requests match the recorded ones")
    func planted() async throws {
        let server = try await MockServer.start()
        let transport = RecordingTransport(over: .libcurl())
        let session = Session(transport: transport)
        try await PlantedSecrets.send(over: session, to: server)
        await session.finish()
        await server.stop()
        let live = transport.recording
        try live.write(to: file)
        let text = try written()
        for secret in PlantedSecrets.forbidden where text.contains(secret) { Issue.record("\(secret) is written") }
        let shown = live.exchanges.flatMap { Self.parts(of: $0) }.joined(separator: "\n")
        let recorded = PlantedSecrets.forbidden.filter(shown.contains).count
        #expect(recorded == PlantedSecrets.count, "In memory all secrets are there, one of them in Base64")
        let read = try Recording(contentsOf: file)
        #expect(read.exchanges.map(\.request) == live.exchanges.map { RecordingFormat.standard.written($0.request) })
    }

    /// The headers, the URL and the bodies of an exchange.
    private static func parts(of exchange: RecordedExchange) -> [String] {
        let request = exchange.request
        let headers = Array(request.headers) + Array(exchange.response?.headers ?? [:])
        return headers.map(\.value) + [
            request.url.absoluteString, String(decoding: request.body, as: UTF8.self),
            String(decoding: exchange.response?.body ?? Data(), as: UTF8.self),
        ]
    }

    private func write(_ response: RecordedExchange.Response, _ headers: HTTPHeaders = [:]) throws -> String {
        let request = RecordedExchange.Request(url: try "http://h/".asURL(), headers: headers)
        try Recording([RecordedExchange(request, .response(response))]).write(to: file)
        return try written()
    }

    @Test("A secret split by two chunks at any byte is redacted")
    func cut() throws {
        let body = Data(#"{"a":1,"token":"SECRETS","b":2}"#.utf8)
        for type in ["application/json", "text/event-stream", "text/plain"] {
            for end in 1..<body.count {
                var response = RecordedExchange.Response(200, headers: ["Content-Type": type])
                response.chunks = [
                    .init(Data(body.prefix(end))), .init(Data(body.dropFirst(end)), delay: .seconds(1)),
                ]
                let text = try write(response)
                #expect(!text.contains("SECRE") && !text.contains("CRETS") && text.contains("REDACTED"))
            }
        }
    }

    @Test("Bodies that are not UTF-8 are written without secrets, in the recording and in files of bodies")
    func otherTexts() throws {
        for padding in [0, 5000] {
            var body = Data([0xE9, 0x20]) + Data(repeating: 0x20, count: padding)
            body += Data(#"{"token":"SECRET","pin":"SECRET"}"#.utf8)
            let json = RecordedExchange.Response(200, headers: ["Content-Type": "application/json"], body: body)
            #expect(try !write(json).contains("SECRET"))
            var form = Data("name=\u{FF}".utf8)
            form[5] = 0xFF
            form += Data(repeating: 0x61, count: padding) + Data("&password=SECRET".utf8)
            let response = RecordedExchange.Response(
                200, headers: ["Content-Type": "application/x-www-form-urlencoded"], body: form)
            #expect(try !write(response).contains("SECRET"))
        }
    }

    @Test("Interim responses, trailers and messages of failures contain no secret")
    func elsewhere() throws {
        var response = RecordedExchange.Response(200)
        response.trailers = ["X-Auth-Token": "SECRET"]
        response.informational = [
            .init(103, headers: ["Link": "<http://u:SECRET@h/?token=SECRET>", "Set-Cookie": "a=SECRET"])
        ]
        response.failure = .init(.connectionLost, "lost http://u:SECRET@h/?sig=SECRET with Authorization: Basic SECRET")
        #expect(try !write(response).contains("SECRET"))
        let failure = RecordedExchange.Failure(.cannotConnect, "password=SECRET token: SECRET")
        let request = RecordedExchange.Request(url: try "http://h/".asURL())
        try Recording([RecordedExchange(request, .failure(failure))]).write(to: file)
        #expect(try !written().contains("SECRET"))
    }

    @Test("A compressed request body that cannot be decoded is not written")
    func unknownCoding() throws {
        let request = RecordedExchange.Request(
            method: .post, url: try "http://h/".asURL(), headers: ["Content-Encoding": "x-mine"],
            body: Data("SECRET".utf8))
        let written = RecordingFormat.standard.written(request)
        #expect(written.body.isEmpty && written.isBodyTruncated)
    }

    @Test("A compressed request body is written decoded and redacted")
    func compressed() throws {
        let body = try Compressor(.gzip).compress(Data(#"{"token":"SECRET"}"#.utf8), isLast: true)
        let request = RecordedExchange.Request(
            method: .post, url: try "http://h/".asURL(),
            headers: ["Content-Encoding": "gzip", "Content-Type": "application/json"], body: body)
        let written = RecordingFormat.standard.written(request)
        #expect(written.body == Data(#"{"token":"REDACTED"}"#.utf8))
        #expect(written.headers == ["Content-Type": "application/json"])
    }

    @Test("A recording is redacted by the names of a user's RedactionRule and the standard names")
    func ownRule() throws {
        let body = Data(#"{"iban":"SECRET","token":"SECRET"}"#.utf8)
        let response = RecordedExchange.Response(200, headers: ["X-Mine": "SECRET"], body: body)
        let request = RecordedExchange.Request(url: try "http://h/".asURL())
        let rule = RedactionRule(headers: ["X-Mine"], fields: ["iban"])
        try Recording([RecordedExchange(request, .response(response))]).write(to: file, redaction: rule)
        #expect(try !written().contains("SECRET"))
    }
}

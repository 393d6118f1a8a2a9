import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

/// A HAR file must contain no secret, whichever transport and recorder made it.
@Suite("Secrets in HAR files", .timeLimit(.minutes(5)))
struct HARSecretsTests {
    @Test("A HAR file contains no planted secret, over libcurl and URLSession", arguments: [true, false])
    func planted(_ isLibcurl: Bool) async throws {
        let (server, folder) = (try await MockServer.start(), try TemporaryFolder())
        let file = folder.url.appending(path: "a.har")
        let (recorder, streaming) = (HARRecorder(), try HARRecorder(streamingTo: file))
        let open = HARRecorder(redaction: nil)
        let transport: any Transport = isLibcurl ? .libcurl() : .urlSession
        let session = Session(transport: transport, configuration: .init(monitors: [recorder, streaming, open]))
        try await PlantedSecrets.send(over: session, to: server)
        await session.finish()
        await server.stop()
        try await streaming.finish()
        for data in [try recorder.data(), try Data(contentsOf: file)] {
            let text = String(decoding: data, as: UTF8.self)
            for secret in PlantedSecrets.forbidden where text.contains(secret) { Issue.record("\(secret) is written") }
        }
        let text = String(decoding: try open.data(), as: UTF8.self)
        let written = PlantedSecrets.forbidden.filter(text.contains).count
        #expect(written == PlantedSecrets.count, "Without a rule all secrets are written, one of them in Base64")
    }

    @Test("A body is truncated to the body limit, and its secrets are redacted")
    func cut() async throws {
        let recorder = HARRecorder(bodyLimit: 24)
        let stub = StubTransport { _ in .json(#"{"a":1,"token":"secret and more"}"#) }
        let session = Session(transport: stub, configuration: .init(monitors: [recorder]))
        let body = Data(#"{"b":1,"token":"secret and more"}"#.utf8)
        _ = try await session.upload(.data(body), to: "http://h/", headers: ["Content-Length": "33"])
            .serializing(Data.self).value
        let entry = try #require(JSONDecoder().decode(HARFile.self, from: recorder.data()).log.entries.first)
        #expect(entry.response.content.text == #"{"a":1,"token":"REDACTED""#)
        #expect(entry.response.content.size == 33 && entry.response.content.isTruncated == true)
        #expect(entry.response.content.comment == "The first 24 of 33 bytes")
        #expect(entry.request.postData?.text == #"{"b":1,"token":"REDACTED""#)
    }

    @Test(
        "The beginning of a secret at the end of a truncated body is redacted, and secrets of 64 KiB cost little time")
    func cutSecret() async throws {
        let recorder = HARRecorder(bodyLimit: 20)
        let stub = StubTransport { _ in .text("12345 header-secret-1") }
        let session = Session(transport: stub, configuration: .init(monitors: [recorder]))
        let headers: HTTPHeaders = [.authorization(bearerToken: "header-secret-1")]
        _ = try await session.request("http://h/", headers: headers).serializing(Data.self).value
        let entry = try #require(JSONDecoder().decode(HARFile.self, from: recorder.data()).log.entries.first)
        #expect(entry.response.content.text == "12345 REDACTED")
        let long = "1" + String(repeating: "a", count: 65_536)
        let secrets = KnownSecrets(
            try "http://h/".asURL(), [.init(name: "Cookie", value: "c=\(long)")], RedactionRule.standard)
        let body = Array("\(long.dropLast())x \(long)".utf8)
        #expect(String(decoding: secrets.redacted(body), as: UTF8.self) == "REDACTEDx REDACTED")
    }

    @Test("A secret of the request is redacted in a body that repeats it, whatever the body's type is")
    func echoed() async throws {
        let recorder = HARRecorder()
        let stub = StubTransport { request in
            .text("\(request.headers["Authorization"] ?? "") \(request.query ?? "")")
        }
        let session = Session(transport: stub, configuration: .init(monitors: [recorder]))
        let headers: HTTPHeaders = [.authorization(bearerToken: "header-secret-1")]
        _ = try await session.request("http://h/?token=query-secret-2", headers: headers).serializing(Data.self).value
        let entry = try #require(JSONDecoder().decode(HARFile.self, from: recorder.data()).log.entries.first)
        #expect(entry.response.content.text == "REDACTED token=REDACTED")
    }

    @Test("A HAR file is redacted by the names of a user's RedactionRule and the standard names")
    func ownRule() async throws {
        let recorder = HARRecorder(redaction: RedactionRule(headers: ["X-Mine"], fields: ["iban"]))
        let stub = StubTransport { _ in .json(#"{"iban":"Q","token":"Q"}"#, headers: ["X-Mine": "Q"]) }
        let session = Session(transport: stub, configuration: .init(monitors: [recorder]))
        _ = try await session.request("http://h/").serializing(Data.self).value
        #expect(!String(decoding: try recorder.data(), as: UTF8.self).contains(#"Q""#))
    }
}

import Foundation
import Testing

@testable import AsyncNet

@Suite("Redaction", .timeLimit(.minutes(5)))
struct RedactionRuleTests {
    private let rule = RedactionRule.standard

    @Test(
        "In a URL userinfo, secret query items and parameters, and fragments that may be tokens are redacted",
        arguments: RedactionCases.urls)
    func urls(_ url: String, _ written: String) throws {
        #expect(rule.text(ofURL: url) == written)
        if url.hasPrefix("https:") { #expect(rule.text(of: try #require(URL(string: url))) == written) }
    }

    @Test(
        "The value of a secret header is redacted, and so are secrets in URLs of other headers",
        arguments: RedactionCases.headers)
    func headers(_ name: String, _ value: String, _ written: String) {
        let header = HTTPHeader(name: name, value: value)
        #expect(rule.value(of: header) == written)
        if written == "REDACTED" { #expect(header.isSecret && !header.description.contains(value)) }
    }

    @Test(
        "Subprotocols of WebSockets that may be credentials are redacted", arguments: RedactionCases.secretSubprotocols)
    func secretSubprotocols(_ value: String, _ written: String) {
        let header = HTTPHeader(name: "sec-websocket-protocol", value: value)
        #expect(rule.value(of: header) == written)
        #expect(header.description == "sec-websocket-protocol: \(written)")
    }

    @Test("Ordinary subprotocols of WebSockets are shown", arguments: RedactionCases.subprotocols)
    func subprotocols(_ value: String) {
        let header = HTTPHeader(name: "Sec-WebSocket-Protocol", value: value)
        #expect(rule.value(of: header) == value)
        #expect(header.description == "Sec-WebSocket-Protocol: \(value)")
    }

    @Test(
        "A field with a secret name is redacted in queries, forms, JSON and multipart forms",
        arguments: RedactionCases.names)
    func names(_ name: String) {
        let bodies = [
            ("application/x-www-form-urlencoded", "\(name)=Quux", "\(name)=REDACTED"),
            ("application/json", #"{"\#(name)":"Quux"}"#, #"{"\#(name)":"REDACTED"}"#),
            (
                RedactionCases.form, "--B\r\nContent-Disposition: form-data; name=\(name)\r\n\r\nQuux",
                "--B\r\nContent-Disposition: form-data; name=\(name)\r\n\r\nREDACTED"
            ),
        ]
        #expect(rule.text(ofURL: "?\(name)=Quux") == "?\(name)=REDACTED")
        for (type, body, written) in bodies {
            #expect(String(decoding: rule.body(Data(body.utf8), contentType: type), as: UTF8.self) == written)
        }
    }

    @Test("Redacted cookies keep their names and attributes")
    func cookies() {
        #expect(rule.cookies("a=Q; b=Q=; Q") == "a=REDACTED; b=REDACTED; REDACTED")
        #expect(rule.cookies("") == "")
        let two = "a=Q; Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT; x=Q, b=Q; HttpOnly"
        let written = "a=REDACTED; Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT; x=REDACTED, b=REDACTED; HttpOnly"
        #expect(rule.setCookie(two) == written)
    }

    @Test("Names given to a RedactionRule are redacted in addition to the standard names, in any case")
    func additions() {
        let rule = RedactionRule(headers: ["x-mine"], queryNames: ["Own_Item"], fields: ["own.field"])
        #expect(rule.value(of: HTTPHeader(name: "X-Mine", value: "Q")) == "REDACTED")
        #expect(rule.value(of: HTTPHeader(name: "Authorization", value: "Q")) == "REDACTED")
        #expect(rule.text(ofURL: "?ownItem=Q&token=Q&own.field=1") == "?ownItem=REDACTED&token=REDACTED&own.field=1")
        #expect(redacted(#"{"own.field":"Q","ownItem":"1"}"#, rule) == #"{"own.field":"REDACTED","ownItem":"1"}"#)
        #expect(redacted("own.field=Q&ownItem=Q", rule) == "own.field=REDACTED&ownItem=REDACTED")
    }

    @Test("A closure of a RedactionRule gets decoded values, and overrides the rule's names")
    func closure() {
        let rule = RedactionRule { name, value in
            switch name {
            case "email": value.contains("@") ? "<mail>" : nil
            case "token": "…\(value.suffix(1))"
            default: nil
            }
        }
        #expect(rule.text(ofURL: "?email=a%40b&token=x1&sig=Q") == "?email=%3Cmail%3E&token=%E2%80%A61&sig=REDACTED")
        #expect(
            redacted(#"{"email":"a\u0040b","pin":1,"o":{"email":7}}"#, rule)
                == #"{"email":"<mail>","pin":"REDACTED","o":{"email":7}}"#)
        #expect(rule.value(of: HTTPHeader(name: "email", value: "a@b")) == "<mail>")
    }

    private func redacted(_ text: String, _ rule: RedactionRule) -> String {
        String(decoding: rule.body(Data(text.utf8), contentType: nil), as: UTF8.self)
    }
}

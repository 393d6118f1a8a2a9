import Foundation
import Testing

@testable import AsyncNet

@Suite("HTTP/1.1: request heads")
struct HTTP1RequestHeadTests {
    private func lines(_ headers: HTTPHeaders, isForwarded: Bool = false) throws -> [Substring] {
        let head = HTTPRequestHead(method: .get, url: try "http://a.test/".asURL(), headers: headers)
        let bytes = HTTP1RequestHead.bytes(
            head, target: "/", authority: "a.test", isForwarded: isForwarded, .none)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    }

    @Test("Host is the authority unless the request has its own Host; HTTPHeader.omitting has no effect on it")
    func host() throws {
        #expect(try lines([:])[1] == "Host: a.test")
        #expect(try lines(["host": "b.test"])[1] == "Host: b.test")
        #expect(try lines(HTTPHeaders([.omitting("Host")]))[1] == "Host: a.test")
    }

    @Test("Only a proxy that passes the request on gets its Proxy-Authorization")
    func proxyAuthorization() throws {
        let headers: HTTPHeaders = ["proxy-authorization": "Basic x"]
        #expect(try lines(headers, isForwarded: true).contains("proxy-authorization: Basic x"))
        #expect(try !lines(headers).contains { $0.contains("Basic") })
        let head = HTTPRequestHead(method: .get, url: try "https://a.test/".asURL(), headers: headers)
        let sent = HTTP2Fields.request(head, isTLS: true, target: "/", authority: "a.test", length: nil)
        #expect(sent.map(\.name) == [":method", ":scheme", ":authority", ":path", "accept", "accept-encoding"])
    }
}

import Foundation
import Testing

@testable import AsyncNet

@Suite("Values whose copies share an object")
struct SharedValuesTests {
    private let head = HTTPRequestHead(method: .post, url: URL(filePath: "/a"), headers: ["A": "1"])

    @Test("A change of a copied request head does not change the original")
    func heads() {
        var copy = head
        copy.method = .put
        copy.url = URL(filePath: "/b")
        copy.headers["A"] = "2"
        #expect(copy.method == .put && copy.url.path() == "/b" && copy.headers["A"] == "2")
        #expect(head.method == .post && head.url.path() == "/a" && head.headers["A"] == "1")
    }

    @Test("A request head keeps its URL's original text, and a copy with another URL has that one's text")
    func urlText() throws {
        var spelled = head
        spelled.setURL(SpelledURL(url: try #require(URL(string: "http://a/%5B")), text: "http://a/["))
        var copy = spelled
        copy.url = try #require(URL(string: "http://b/"))
        #expect(spelled.urlText == "http://a/[" && copy.urlText == "http://b/")
    }

    @Test("A change of a copied TransportRequest does not change the original")
    func requests() {
        let request = TransportRequest(head: head)
        var copy = request
        copy.maximumBodySize = 1
        copy.head.headers["A"] = "2"
        #expect(copy.maximumBodySize == 1 && copy.head.headers["A"] == "2")
        #expect(request.maximumBodySize == nil && request.head.headers["A"] == "1")
    }

    @Test("Each value of copied TransportMetrics can be set without a change of the original")
    func metrics() {
        let timings = TransferTimings(
            nameLookup: .zero, connect: .zero, tlsHandshake: .zero, firstByte: .seconds(1), total: .seconds(2))
        let bytes = WireBytes(sentHead: 1, sentBody: 2, receivedHead: 3, receivedBody: 4)
        for original in [TransportMetrics(), TransportMetrics(httpVersion: nil)] {
            var copy = original
            (copy.httpVersion, copy.isConnectionReused, copy.remoteAddress) = ("HTTP/2", true, "::1")
            (copy.timings, copy.wireBytes, copy.certificates) = (timings, bytes, ["c"])
            #expect(copy.httpVersion == "HTTP/2" && copy.isConnectionReused == true && copy.remoteAddress == "::1")
            #expect(copy.timings == timings && copy.wireBytes == bytes && copy.certificates == ["c"])
            #expect(copy.description == "reused, HTTP/2, ::1, 2.0 seconds, 3 bytes sent, 7 received")
            copy.certificateExpiry = .distantFuture
            #expect(copy.certificateExpiry == .distantFuture && original.certificateExpiry == nil)
            #expect(Mirror(reflecting: copy).children.count == 7)
            #expect(original.description == "unknown" && original.certificates.isEmpty)
        }
    }
}

import Foundation
import Testing

@testable import AsyncNet

@Suite("HopList")
struct HopListTests {
    private func head(_ url: String, _ method: HTTPMethod = .get) throws -> HTTPRequestHead {
        HTTPRequestHead(method: method, url: try url.asURL())
    }

    @Test("Hops are numbered within their attempts, each with its own measurements")
    func hops() throws {
        var metrics = RequestMetrics()
        #expect(metrics.hops.isEmpty)
        metrics.beginHop(try head("http://a/1", .put), attempt: 1, at: .seconds(1))
        metrics.hopReceived(302)
        metrics.hopMeasured(TransportMetrics(httpVersion: "HTTP/2", isConnectionReused: false))
        metrics.beginHop(try head("http://a/2"), attempt: 1, at: .seconds(2))
        #expect(metrics.httpVersion == nil && metrics.isConnectionReused == nil)
        metrics.beginHop(try head("http://a/3"), attempt: 2, at: .seconds(5))
        metrics.hopReceived(200)
        metrics.hopMeasured(TransportMetrics(isConnectionReused: true, remoteAddress: "::1"))
        #expect(
            metrics.hops.map(\.description) == [
                "1.1 PUT http://a/1 302", "1.2 GET http://a/2 without a response", "2.1 GET http://a/3 200",
            ])
        #expect(metrics.hops.map(\.start) == [.seconds(1), .seconds(2), .seconds(5)])
        #expect(metrics.hops.map(\.transport.httpVersion) == ["HTTP/2", nil, nil])
        #expect(metrics.hops.map(\.transport.isConnectionReused) == [false, nil, true])
        #expect(metrics.remoteAddress == "::1")
    }

    @Test("A hop list keeps the last 100 hops")
    func bounded() throws {
        var metrics = RequestMetrics()
        for number in 1...250 {
            metrics.beginHop(try head("http://a/\(number)"), attempt: number, at: .seconds(number))
            #expect(metrics.hops.count == min(number, 100))
        }
        #expect(metrics.hops.map(\.attempt) == Array(151...250))
    }

    @Test("A hop that begins after hops were set has the next number")
    func settable() throws {
        var metrics = RequestMetrics()
        let transport = TransportMetrics(httpVersion: "HTTP/1.1")
        metrics.hops = [HopMetrics(attempt: 2, hop: 3, url: try "http://a/".asURL(), transport: transport)]
        #expect(metrics.httpVersion == "HTTP/1.1")
        metrics.hopReceived(500)
        metrics.beginHop(try head("http://a/"), attempt: 2, at: .zero)
        #expect(metrics.hops.map(\.hop) == [3, 4])
        #expect(metrics.hops.map(\.statusCode) == [nil, nil])
        #expect(metrics.hops.map(\.transport.httpVersion) == ["HTTP/1.1", nil])
    }

    @Test("A HopList takes at most 56 bytes, and a dump of a hop shows no password or query of its URL")
    func unallocated() throws {
        #expect(MemoryLayout<HopList>.size <= 56)
        let hop = HopMetrics(url: try "http://u:hunter@a/b;sid=hunter?hunter".asURL())
        var dumped = ""
        dump(hop, to: &dumped)
        #expect(!dumped.contains("hunter") && hop.description == "1.1 GET http://a/b without a response")
    }
}

import Foundation
import Testing

@testable import AsyncNet

@Suite("Ranges of stored responses")
struct StoredResponseRangesTests {
    @Test(
        "A Range with one byte range is parsed (RFC 9110 §14.1.2)",
        arguments: [
            ("bytes=0-0", .closed(0...0)), ("bytes=5-", .from(5)), ("bytes=-5", .last(5)),
            ("Bytes=1-2", .closed(1...2)),
            (" bytes= 1-2 ", .closed(1...2)), ("bytes=0-1,3-4", nil), ("bytes=2-1", nil), ("bytes=-", nil),
            ("bytes=", nil),
            ("bytes=+1-2", nil), ("bytes=1-x", nil), ("items=1-2", nil), ("1-2", nil), ("", nil), ("bytes=--1", nil),
            ("bytes=1-99999999999999999999", nil), ("bytes=99999999999999999999-", nil), ("bytes=a=1-2", nil),
        ] as [(String, ByteRange?)])
    func parsing(_ text: String, _ expected: ByteRange?) { #expect(ByteRange(text) == expected) }

    @Test(
        "A byte range selects bytes within the representation's size, or none if it is not satisfiable",
        arguments: [
            (.closed(0...4), 10, 0...4), (.closed(5...100), 10, 5...9), (.closed(10...11), 10, nil),
            (.from(9), 10, 9...9),
            (.from(10), 10, nil), (.last(3), 10, 7...9), (.last(100), 10, 0...9), (.last(0), 10, nil),
            (.from(0), 0, nil),
            (.last(1), 0, nil), (.closed(2...3), nil, 2...3), (.from(2), nil, nil), (.last(2), nil, nil),
        ] as [(ByteRange, Int64?, ClosedRange<Int64>?)])
    func bytes(_ range: ByteRange, _ total: Int64?, _ expected: ClosedRange<Int64>?) {
        #expect(range.bytes(of: total) == expected)
    }

    /// A stored part, or the whole for 200.
    private func stored(_ status: Int, _ range: String, _ others: [String: String] = ["ETag": "\"1\""]) throws
        -> StoredResponse
    {
        var headers = HTTPHeaders(others)
        if !range.isEmpty { headers.add(name: "Content-Range", value: range) }
        var response = try StoredResponse.fixture(headers, status: status)
        response.variant.isPart = status == 206
        return response
    }

    @Test(
        "A stored response serves a request for the whole body, or for a range of bytes that it has",
        arguments: [
            (200, "", [:], [:], true), (200, "", [:], ["Range": "bytes=0-4"], true),
            (200, "", ["Content-Length": "10"], ["Range": "bytes=10-"], false),
            (200, "", ["Content-Encoding": "gzip"], ["Range": "bytes=0-4"], false),
            (200, "", ["Content-Encoding": "gzip"], [:], true), (404, "", [:], ["Range": "bytes=0-4"], true),
            (404, "", [:], ["Range": "bytes=0-4", "If-Range": "\"1\""], false),
            (206, "bytes 4-9/10", [:], [:], false), (206, "bytes 0-9/10", [:], [:], false),
            (206, "bytes 4-9/10", [:], ["Range": "bytes=4-9"], true),
            (206, "bytes 4-9/10", [:], ["Range": "bytes=6-"], true),
            (206, "bytes 4-9/10", [:], ["Range": "bytes=-6"], true),
            (206, "bytes 4-9/10", [:], ["Range": "bytes=-7"], false),
            (206, "bytes 4-9/10", [:], ["Range": "bytes=3-5"], false),
            (206, "bytes 0-4/10", [:], ["Range": "bytes=0-"], false),
            (206, "bytes 4-9/*", [:], ["Range": "bytes=4-5"], true),
            (206, "bytes 4-9/*", [:], ["Range": "bytes=-1"], false),
            (206, "bytes */10", [:], ["Range": "bytes=4-5"], false), (206, "", [:], ["Range": "bytes=4-5"], false),
            (206, "bytes 4-9/10", ["Content-Encoding": "gzip"], ["Range": "bytes=4-5"], false),
            (200, "", ["ETag": "\"1\""], ["Range": "bytes=0-1", "If-Range": "\"1\""], true),
            (200, "", ["ETag": "\"1\""], ["Range": "bytes=0-1", "If-Range": "\"2\""], false),
            (200, "", ["ETag": "W/\"1\""], ["Range": "bytes=0-1", "If-Range": "W/\"1\""], false),
            (200, "", [:], ["Range": "bytes=0-1", "If-Range": "\"1\""], false),
        ] as [(Int, String, [String: String], [String: String], Bool)])
    func responds(
        _ status: Int, _ range: String, _ headers: [String: String], _ request: [String: String], _ expected: Bool
    ) throws {
        #expect(try stored(status, range, headers).responds(to: .get(HTTPHeaders(request))) == expected)
    }

    @Test(
        "Stored parts that overlap or adjoin are combined (RFC 9111 §3.4)",
        arguments: [
            ("bytes 5-9/20", "bytes 0-4/20", "206 bytes 0-9/20"), ("bytes 0-4/20", "bytes 5-9/20", "206 bytes 0-9/20"),
            ("bytes 3-9/20", "bytes 0-4/20", "206 bytes 0-9/20"), ("bytes 2-3/20", "bytes 0-9/20", "206 bytes 0-9/20"),
            ("bytes 0-9/20", "bytes 2-3/20", "206 bytes 0-9/20"), ("bytes 6-9/20", "bytes 0-4/20", nil),
            ("bytes 5-9/10", "bytes 0-4/10", "200 "), ("bytes 5-9/20", "bytes 0-4/21", nil),
            ("bytes 5-9/*", "bytes 0-4/*", "206 bytes 0-9/*"), ("bytes 5-9/*", "bytes 0-4/20", nil),
        ] as [(String, String, String?)])
    func combined(_ new: String, _ old: String, _ expected: String?) throws {
        let combined = try stored(206, new).combined(with: try stored(206, old))
        #expect(combined.map { "\($0.statusCode) \($0.headers["Content-Range"] ?? "")" } == expected)
        #expect(combined?.variant.isPart == expected.map { !$0.hasPrefix("200") })
    }

    @Test(
        "Stored parts are combined only if they have the same strong validator",
        arguments: [
            ([:], [:], false), (["ETag": "\"1\""], ["ETag": "\"2\""], false),
            (["ETag": "W/\"1\""], ["ETag": "W/\"1\""], false),
            (["ETag": "\"1\""], [:], false), (["ETag": "\"1\""], ["ETag": "\"1\""], true),
            (
                ["Last-Modified": "Sun, 06 Nov 1994 07:49:37 GMT"], ["Last-Modified": "Sun, 06 Nov 1994 07:49:37 GMT"],
                true
            ),
            (
                ["Last-Modified": "Sun, 06 Nov 1994 08:49:30 GMT"], ["Last-Modified": "Sun, 06 Nov 1994 08:49:30 GMT"],
                false
            ),
        ] as [([String: String], [String: String], Bool)])
    func validators(_ new: [String: String], _ old: [String: String], _ expected: Bool) throws {
        let combined = try stored(206, "bytes 5-9/20", new).combined(with: try stored(206, "bytes 0-4/20", old))
        #expect((combined != nil) == expected)
    }
}

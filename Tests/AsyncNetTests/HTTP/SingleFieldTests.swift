import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Fields that have one value", .timeLimit(.minutes(5)))
struct SingleFieldTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test(
        "Values of a header joined by commas are split by the grammar of that header",
        arguments: [
            (.retryAfter, "\(date), 120, \(date)", [date, "120", date]),
            (.retryAfter, "Sunday, 06-Nov-94 08:49:37 GMT,5", ["Sunday, 06-Nov-94 08:49:37 GMT", "5"]),
            (.lastModified, "Sun Nov  6 08:49:37 1994, \(date)", ["Sun Nov  6 08:49:37 1994", date]),
            (.date, date, [date]),
            (.entityTag, "\"a,b\", W/\"c\\\", \"d\"", ["\"a,b\"", "W/\"c\\\"", "\"d\""]),
            (.entityTag, "\"open, x", ["\"open, x"]),
            (.contentRange, "bytes 0-1/2, bytes 0-1/2", ["bytes 0-1/2", "bytes 0-1/2"]),
            (
                .contentDisposition, "attachment; filename=a.txt, attachment",
                ["attachment; filename=a.txt", "attachment"]
            ),
            (.contentDisposition, "attachment; filename=a,b, c.txt", ["attachment; filename=a,b, c.txt"]),
            (
                .contentDisposition, "attachment; filename=\"a\\\", inline\", Inline;x=y",
                ["attachment; filename=\"a\\\", inline\"", "Inline;x=y"]
            ),
            (.contentDisposition, "inline,attachments", ["inline,attachments"]),
            (.location, "/a, /b", ["/a", "/b"]), (.location, "/a,/b", ["/a,/b"]), (.location, "a, b", ["a, b"]),
            (.location, "/a, http://b/c, d", ["/a", "http://b/c, d"]), (.location, "/a, b, c:d", ["/a, b", "c:d"]),
            (.location, "", []), (.location, " ", []), (.retryAfter, ", ,5,", ["5"]),
        ] as [(SingleField, String, [String])])
    func joined(_ field: SingleField, _ text: String, _ expected: [String]) {
        #expect(field.values(in: text) == expected)
    }

    @Test("A joined Location of 200,000 commas is one value, found in a time that grows with its length")
    func manyCommas() {
        let text = "/a" + String(repeating: ", ", count: 200_000)
        #expect(SingleField.location.values(in: text).count == 1)
    }

    @Test("Values of different bytes are different, also if Swift's == treats them as equal")
    func bytes() throws {
        let head = try head("ETag", ["\"\u{E9}\"", "\"e\u{301}\"", "\"\u{E9}\""])
        #expect(head.values(of: .entityTag).count == 2)
    }

    private func head(_ name: String, _ values: [String]) throws -> HTTPResponseHead {
        HTTPResponseHead(
            statusCode: 200, url: try "http://a/file".asURL(),
            headers: HTTPHeaders(values.map { HTTPHeader(name: name, value: $0) }))
    }

    /// As URLSession delivers it.
    private func joinedHead(_ name: String, _ values: [String]) throws -> HTTPResponseHead {
        let url = try "http://a/file".asURL()
        let response = HTTPURLResponse(
            url: url, statusCode: 200, httpVersion: nil, headerFields: [name: values.joined(separator: ", ")])
        return HTTPResponseHead(try #require(response), url: url)
    }

    /// What Fetch's examples say of "extract a MIME type", and its rules of charsets.
    @Test(
        "The last valid Content-Type of several is the media type",
        arguments: [
            (["text/plain"], "text/plain", nil), (["text/plain", "text/plain"], "text/plain", nil),
            (["text/html", "application/json"], "application/json", nil),
            (["text/html;charset=gbk", "text/html"], "text/html", "gbk"),
            (["text/html;charset=gbk", "text/html;charset=utf-8"], "text/html", "utf-8"),
            (["text/html;charset=gbk;a=b", "text/html;x=y"], "text/html", "gbk"),
            (["text/html;charset=gbk", "x/x", "text/html;x=y"], "text/html", nil),
            (["text/html", "cannot-parse"], "text/html", nil), (["text/html", "*/*"], "text/html", nil),
            (["text/html", ""], "text/html", nil), (["*/*"], nil, nil),
            (["text/html;x=\"a,b/c\";charset=\"\\\",d/e\""], "text/html", "\",d/e"), ([], nil, nil),
            (["nothing"], nil, nil), ([",,"], nil, nil),
            (["text/html;charset=gbk", "x/y;charset=a", "text/html"], "text/html", nil),
        ] as [([String], String?, String?)])
    func mediaType(_ values: [String], _ essence: String?, _ charset: String?) throws {
        for head in [try head("Content-Type", values), try joinedHead("Content-Type", values)] where !values.isEmpty {
            #expect(head.mediaType?.description == essence)
            #expect(head.mediaType?.charset == charset)
        }
    }

    @Test(
        "The file name comes from the first valid Content-Disposition of several",
        arguments: [
            (["attachment; filename=a.txt", "attachment"], "a.txt"),
            (["attachment; filename=a.txt", "attachment; filename=b.txt"], "a.txt"),
            (["inline", "attachment; filename=b.txt"], "file"),
            (["attachment; filename=a.txt", "attachment; filename=a.txt"], "a.txt"),
        ])
    func disposition(_ values: [String], _ name: String) throws {
        #expect(try head("Content-Disposition", values).suggestedFileName == name)
        #expect(try joinedHead("Content-Disposition", values).suggestedFileName == name)
    }

    @Test(
        "A malformed Content-Disposition is skipped, and the next one gives the file name",
        arguments: [["", "attachment; filename=b.txt"], ["a b", "attachment; filename=b.txt"]])
    func unreadableDisposition(_ values: [String]) throws {
        #expect(try head("Content-Disposition", values).suggestedFileName == "b.txt")
    }

    @Test(
        "Different Location values are found in several lines or one joined line; equal values count as one",
        arguments: [(["/a", "/b"], ["/a", "/b"]), (["/a", "/a"], ["/a"]), (["/a?b,c"], ["/a?b,c"])])
    func locations(_ values: [String], _ expected: [String]) throws {
        #expect(try head("Location", values).values(of: .location) == expected)
        #expect(try joinedHead("Location", values).values(of: .location) == expected)
        #expect(
            try joinedHead("Location", values).values(of: .location).only == (expected.count == 1 ? expected[0] : nil))
    }

    @Test(
        "A Content-Length is digits, or a list of the same number (RFC 9110 §8.6)",
        arguments: [
            ("0", 0), ("5", 5), (" 5 ", 5), ("5, 5", 5), ("5,5 ,\t5", 5), ("5, 05", 5), ("9223372036854775807", .max),
            ("9223372036854775808", nil), ("5, 6", nil),
            ("", nil), (",", nil), ("5,", nil), ("+5", nil), ("-5", nil), ("0x5", nil), ("5 5", nil), ("5.0", nil),
            ("٥", nil), ("5\u{301}", nil),
        ] as [(String, Int64?)])
    func length(_ text: String, _ bytes: Int64?) throws {
        #expect(ContentLength.bytes(text) == bytes)
        #expect(try head("Content-Length", [text]).contentLength == bytes)
        let values = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        #expect(try head("Content-Length", values).contentLength == bytes)
    }

    @Test(
        "An invalid Content-Length is an error if the body has no other framing (RFC 9112 §6.3)",
        arguments: [
            (.get, 200, [:], false), (.head, 200, [:], true), (.get, 204, [:], true), (.get, 304, [:], true),
            (.get, 200, ["Transfer-Encoding": "chunked"], true),
            (.post, 404, [:], false),
        ] as [(HTTPMethod, Int, HTTPHeaders, Bool)])
    func framing(_ method: HTTPMethod, _ status: Int, _ others: HTTPHeaders, _ isAccepted: Bool) throws {
        for (length, word) in [("0x5", "number"), ("3, 6", "differ"), ("3, x", "number")] {
            var headers = others
            headers.add(name: "Content-Length", value: length)
            let head = HTTPResponseHead(statusCode: status, url: try "http://a/".asURL(), headers: headers)
            do throws(AsyncNetError) {
                try head.checkLength(answering: method)
                #expect(isAccepted)
            } catch {
                #expect(
                    !isAccepted && error.code == .badServerResponse && error.message.contains(word), "\(error.message)")
            }
        }
    }
}

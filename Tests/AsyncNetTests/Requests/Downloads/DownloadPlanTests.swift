import Foundation
import Testing

@testable import AsyncNet

/// What a download requests, and what each response means for the bytes that are there.
@Suite("Download plan")
struct DownloadPlanTests {
    private static let url = URL(filePath: "/x")
    private static let mebi = Int64(1 << 20)

    private static func head(_ status: Int, _ headers: HTTPHeaders) -> HTTPResponseHead {
        HTTPResponseHead(statusCode: status, url: url, headers: headers)
    }

    /// A plan that has requested what is missing after `size` bytes of a file with the entity tag `"1"`.
    private static func plan(
        after size: Int64, total: Int64? = nil, validator: String = "\"1\"", segments: Int = 1,
        _ method: HTTPMethod = .get
    ) -> (plan: DownloadPlan, range: String?, ifRange: String?) {
        var plan = DownloadPlan(segments: segments)
        if size > 0 {
            plan.resume(ResumeData(url: url, validator: validator, partialFile: url, totalBytes: total))
        }
        let (range, ifRange) = plan.request(to: url, method, size: size)
        return (plan, range?.headerValue, ifRange)
    }

    // MARK: Requests

    @Test(
        "A continued download requests the missing bytes with If-Range if the validator is known",
        arguments: [
            (0, nil, "\"1\"", nil, nil),
            (4, nil, "\"1\"", "bytes=4-", "\"1\""),
            (4, 10, "\"1\"", "bytes=4-", "\"1\""),
            // Without a validator nothing can be continued.
            (4, 10, "", nil, nil),
        ] as [(Int64, Int64?, String, String?, String?)])
    func missing(_ size: Int64, _ total: Int64?, _ validator: String, _ range: String?, _ ifRange: String?) {
        let made = Self.plan(after: size, total: total, validator: validator)
        #expect(made.range == range && made.ifRange == ifRange)
    }

    @Test(
        "A segmented download requests its first segment, unless fewer bytes are missing",
        arguments: [
            (0, nil, .get, "bytes=0-1048575"),
            (4, nil, .get, "bytes=4-1048579"),
            (4, 4 + mebi, .get, "bytes=4-"),
            (4, 5 + mebi, .get, "bytes=4-1048579"),
            // A response to another method has no segments.
            (0, nil, .post, nil),
        ] as [(Int64, Int64?, HTTPMethod, String?)])
    func firstSegment(_ size: Int64, _ total: Int64?, _ method: HTTPMethod, _ range: String?) {
        #expect(Self.plan(after: size, total: total, segments: 4, method).range == range)
    }

    @Test("A download by another method than GET requests no range, and cannot be continued (RFC 9110 §14.2)")
    func otherMethods() throws {
        var (plan, range, ifRange) = Self.plan(after: 4, total: 10, .post)
        #expect(range == nil && ifRange == nil)
        #expect(try plan.receive(Self.head(200, ["ETag": "\"1\""]), size: 4) == .write(from: 0))
        #expect(plan.validator == nil)
    }

    // MARK: Responses

    @Test(
        "Without a Range any response but a 206 or 304 is written from the start",
        arguments: [(200, true), (404, true), (500, true), (206, false), (304, false)])
    func whole(_ status: Int, _ isWritten: Bool) {
        var plan = Self.plan(after: 0).plan
        let step = try? plan.receive(Self.head(status, ["Content-Length": "10"]), size: 0)
        #expect(step == (isWritten ? .write(from: 0) : nil))
    }

    static let rests: [(HTTPHeaders, Int, DownloadPlan.Step?)] = [
        (["Content-Range": "bytes 4-9/10", "ETag": "\"1\""], 206, .write(from: 4)),
        (["Content-Range": "bytes 4-9/*", "ETag": "\"1\""], 206, .write(from: 4)),
        // The server need not repeat the validator.
        (["Content-Range": "bytes 4-9/10"], 206, .write(from: 4)),
        (["Content-Range": "bytes 4-9/10", "ETag": "\"2\""], 206, nil),
        (["Content-Range": "bytes 3-9/10", "ETag": "\"1\""], 206, nil),
        (["Content-Range": "bytes 4-8/10", "ETag": "\"1\""], 206, .write(from: 4)),
        (["Content-Range": "bytes 4-9/11", "ETag": "\"1\""], 206, nil),
        (["Content-Range": "bytes 4-9/10", "ETag": "\"1\"", "Content-Encoding": "gzip"], 206, nil),
        (["Content-Range": "bytes 4-9/10", "ETag": "\"1\"", "Content-Length": "7"], 206, nil),
        (["Content-Range": "nonsense"], 206, nil),
        ([:], 206, nil),
        (["Content-Length": "10"], 200, .write(from: 0)),
        // The file had 10 bytes, as far as is known.
        (["Content-Range": "bytes */4"], 416, .again),
        ([:], 416, .again),
        ([:], 404, nil),
        ([:], 503, nil),
    ]

    @Test(
        "A response to a continued download is appended, written from the start, requested again, or an error",
        arguments: rests)
    func rest(_ headers: HTTPHeaders, _ status: Int, _ step: DownloadPlan.Step?) {
        var plan = Self.plan(after: 4, total: 10).plan
        #expect((try? plan.receive(Self.head(status, headers), size: 4)) == step)
    }

    @Test(
        "A 416 completes a download that has as many bytes as the response says, in the same version",
        arguments: [
            (["Content-Range": "bytes */4"], nil, .complete),
            (["Content-Range": "bytes */4", "ETag": "\"1\""], 4, .complete),
            (["Content-Range": "bytes */4", "ETag": "\"2\""], nil, .again),
            (["Content-Range": "bytes */3"], nil, .again),
        ] as [(HTTPHeaders, Int64?, DownloadPlan.Step)])
    func complete(_ headers: HTTPHeaders, _ total: Int64?, _ step: DownloadPlan.Step) throws {
        var plan = Self.plan(after: 4, total: total).plan
        #expect(try plan.receive(Self.head(416, headers), size: 4) == step)
    }

    @Test("After a 416 that does not complete the download the whole file is requested without If-Range")
    func restarted() throws {
        var plan = Self.plan(after: 4, total: 10, segments: 4).plan
        #expect(try plan.receive(Self.head(416, [:]), size: 4) == .again)
        let (range, ifRange) = plan.request(to: Self.url, .get, size: 4)
        #expect(range == nil && ifRange == nil && plan.segments(after: 4) == nil)
    }

    static let firsts: [(HTTPHeaders, Int, DownloadPlan.Step, Int64?)] = [
        (["Content-Range": "bytes 0-1048575/5000000", "ETag": "\"1\""], 206, .write(from: 0), 5_000_000),
        (["Content-Range": "bytes 0-9/10", "ETag": "\"1\""], 206, .write(from: 0), nil),
        // Segments need a total and a validator.
        (["Content-Range": "bytes 0-1048575/*", "ETag": "\"1\""], 206, .again, nil),
        (["Content-Range": "bytes 0-1048575/5000000"], 206, .again, nil),
        (["Content-Range": "bytes 0-1048575/5000000", "ETag": "W/\"1\""], 206, .again, nil),
        (["Content-Range": "bytes 1-1048575/5000000", "ETag": "\"1\""], 206, .again, nil),
        (["Content-Length": "5000000", "ETag": "\"1\""], 200, .write(from: 0), 5_000_000),
        ([:], 416, .again, nil),
        ([:], 404, .write(from: 0), nil),
    ]

    @Test("The response to the first segment decides whether further segments are requested", arguments: firsts)
    func first(_ headers: HTTPHeaders, _ status: Int, _ step: DownloadPlan.Step, _ total: Int64?) throws {
        var plan = Self.plan(after: 0, segments: 4).plan
        #expect(try plan.receive(Self.head(status, headers), size: 0) == step)
        let hasOthers = plan.segments(after: Self.mebi) != nil
        #expect(hasOthers == (status != 416 && total == 5_000_000))
    }

    @Test(
        "The resume data has the response's strong validator and length",
        arguments: [
            (200, ["ETag": "\"1\"", "Content-Length": "10"], "\"1\"", 10),
            (200, ["ETag": "W/\"1\"", "Content-Length": "10"], "", 10),
            (200, ["ETag": "\"1\"", "Content-Encoding": "gzip", "Content-Length": "10"], "", nil),
            (404, ["ETag": "\"1\"", "Content-Length": "10"], "", nil),
        ] as [(Int, HTTPHeaders, String, Int64?)])
    func resumeData(_ status: Int, _ headers: HTTPHeaders, _ validator: String, _ total: Int64?) throws {
        var plan = Self.plan(after: 0).plan
        _ = try plan.receive(Self.head(status, headers), size: 0)
        let data = try #require(plan.resumeData(Self.url, prefix: nil, mark: nil))
        #expect(data.validator == validator && data.totalBytes == total && data.url == Self.url)
    }

    @Test(
        "A digest is a checksum of the file only if it covers the whole representation",
        arguments: [
            (200, ["Repr-Digest": "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"], 1),
            (206, ["Repr-Digest": "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"], 1),
            (200, ["Content-Digest": "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"], 1),
            (206, ["Content-Digest": "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"], 0),
            (404, ["Repr-Digest": "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"], 0),
        ] as [(Int, HTTPHeaders, Int)])
    func digests(_ status: Int, _ headers: HTTPHeaders, _ count: Int) {
        #expect(DownloadPlan.checksums(of: Self.head(status, headers)).count == count)
    }
}

import Foundation

/// What a download requests, and what each response means for the bytes of the partial file: conditional ranges (RFC
/// 9110 §13.1.5), 206 (§15.3.7) and 416 (§15.5.17). No I/O: the size of the partial file is a parameter.
struct DownloadPlan: Sendable {
    /// The URL before redirects; a continued download follows its redirects again.
    private(set) var url: URL?
    /// The entity tag or date of the version that is downloaded; nil or empty if the partial file cannot be continued.
    private(set) var validator: String?
    private(set) var total: Int64?
    /// The range that was requested last; `nil` is the whole file.
    private(set) var requested: ByteRange?
    private let segments: Int
    private(set) var isSegmented: Bool
    /// Whether a later request can continue the partial file: ranges are defined for GET only (RFC 9110 §14.2).
    private var hasRanges = true

    enum Step: Hashable, Sendable {
        /// Write the response's body to the file from this byte on.
        case write(from: Int64)
        /// Nothing: the file is complete.
        case complete
        /// Request the whole file: the partial file is outdated, or the server's ranges cannot be used.
        case again
    }

    /// - Parameter segments: How many segments are fetched at a time, from 1 to 64.
    init(segments: Int = 1) {
        self.segments = min(max(1, segments), 64)
        isSegmented = segments > 1
    }

    mutating func resume(_ data: ResumeData) { (url, validator, total) = (data.url, data.validator, data.totalBytes) }

    mutating func forgetVersion() { (validator, total) = (nil, nil) }

    /// - Parameter size: The size of the partial file.
    /// - Returns: `Range` and `If-Range` of the next request.
    mutating func request(to url: URL, _ method: HTTPMethod, size: Int64) -> (range: ByteRange?, ifRange: String?) {
        self.url = self.url ?? url
        hasRanges = method == .get
        if !hasRanges { isSegmented = false }
        let offset = offset(size)
        requested = missing(after: offset)
        return (requested, requested != nil && offset > 0 ? validator : nil)
    }

    /// The range of all missing bytes; for a segmented download the range of its first segment.
    private func missing(after offset: Int64) -> ByteRange? {
        guard isSegmented else { return offset > 0 ? .from(offset) : nil }
        if let total, offset > 0, total <= offset + SegmentPlan.firstLength { return .from(offset) }
        return .closed(offset...offset + SegmentPlan.firstLength - 1)
    }

    /// How many bytes of the partial file the next request need not request again.
    private func offset(_ size: Int64) -> Int64 { hasRanges && validator?.isEmpty == false ? size : 0 }

    /// The resume data; its `If-Range` value is empty if a later download cannot continue the partial file.
    func resumeData(_ partial: URL, prefix: Int64?, mark: String?) -> ResumeData? {
        url.map {
            ResumeData(
                url: $0, validator: validator ?? "", partialFile: partial, totalBytes: total, prefix: prefix, mark: mark
            )
        }
    }

    mutating func receive(_ head: HTTPResponseHead, size: Int64) throws(AsyncNetError) -> Step {
        let offset = offset(size)
        guard head.statusCode != 304 else {
            throw AsyncNetError(
                .unacceptableStatus,
                "The server responded with 304 (Not Modified), in which there is nothing to download")
        }
        guard let requested else {
            guard head.statusCode != 206 else {
                throw AsyncNetError(.badServerResponse, "The server sent a 206 response, but no range was requested")
            }
            return begin(head)
        }
        let range = head.values(of: .contentRange).only.flatMap(ContentRange.init)
        switch head.statusCode {
        case 206:
            if offset == 0 { return isFirstSegment(range, requested, head) ? begin(head) : restart() }
            try check(range, requested, from: offset, head)
            total = total ?? range?.total
            return .write(from: offset)
        case 416:
            guard offset > 0, range?.total == offset, total == nil || total == offset, isSameVersion(head) else {
                return restart()
            }
            return .complete
        case 200..<300: return begin(head)
        // At offset 0 no file is continued: a response of any other status is downloaded, as without a range.
        default:
            if offset == 0 { return begin(head) }
            throw AsyncNetError(
                .unacceptableStatus,
                "The server responded with \(head.statusCode) to a request for the rest of the download")
        }
    }

    mutating func restart() -> Step {
        forgetVersion()
        isSegmented = false
        return .again
    }

    /// Stores the response's version and length, if a later request can continue the file.
    private mutating func begin(_ head: HTTPResponseHead) -> Step {
        let isPlain = head.value(for: "Content-Encoding") == nil && (head.statusCode == 200 || head.statusCode == 206)
        validator = isPlain && hasRanges ? IfRange.validator(of: head.headers) : nil
        let part = head.statusCode == 206 ? head.values(of: .contentRange).only.flatMap(ContentRange.init) : nil
        total = isPlain ? part?.total ?? head.contentLength : nil
        return .write(from: 0)
    }

    /// A 206 response must continue the file with the requested range, in the same version and length. Without
    /// segments it may have only a part of the rest (RFC 9110 §15.3.7): this download then ends with `.bodyEndedEarly`,
    /// and the next one continues the file.
    private func check(_ range: ContentRange?, _ requested: ByteRange, from offset: Int64, _ head: HTTPResponseHead)
        throws(AsyncNetError)
    {
        guard isSameVersion(head) else {
            throw AsyncNetError(
                .badServerResponse,
                "The server sent a part of another version than the partial file has; remove that file to start over")
        }
        guard let range, let bytes = range.bytes, bytes.lowerBound == offset,
            Self.ends(bytes, of: range.total, as: requested),
            range.total == nil || total == nil || range.total == total, head.value(for: "Content-Encoding") == nil
        else {
            throw AsyncNetError(
                .badServerResponse, "The server's 206 response does not continue the download at byte \(offset)")
        }
        if let length = head.contentLength, let expected = head.rangeLength, length > expected {
            throw AsyncNetError(
                .badServerResponse,
                "The server's Content-Length of \(length) is more than the \(expected) bytes of its Content-Range")
        }
    }

    private func isSameVersion(_ head: HTTPResponseHead) -> Bool {
        validator.map { IfRange.isSameVersion(head.headers, as: $0) } != false
    }

    /// Whether the response is a usable first segment; if not, the whole file is requested.
    private func isFirstSegment(_ range: ContentRange?, _ requested: ByteRange, _ head: HTTPResponseHead) -> Bool {
        guard let range, let total = range.total, let bytes = range.bytes, bytes.lowerBound == 0 else { return false }
        return Self.ends(bytes, of: total, as: requested) && IfRange.validator(of: head.headers) != nil
            && head.value(for: "Content-Encoding") == nil
    }

    /// Whether the response's bytes end where the requested range or the file ends. After `bytes=N-` any end is right.
    private static func ends(_ bytes: ClosedRange<Int64>, of total: Int64?, as requested: ByteRange) -> Bool {
        switch requested {
        case .closed(let range): bytes.upperBound == min(range.upperBound, total.map { $0 - 1 } ?? .max)
        case .from, .last: true
        }
    }

    /// The segments to fetch after the first segment; `nil` if no bytes are missing, or ranges cannot be used.
    func segments(after size: Int64) -> (plan: SegmentPlan, count: Int, validator: String)? {
        guard isSegmented, case .closed? = requested, let total, size < total, let validator else { return nil }
        return (SegmentPlan(from: size, total: total, segments: segments), segments, validator)
    }

    /// The response's digests of the whole file (RFC 9530); `Content-Digest` is such a digest only if the content is
    /// the whole file. Both are digests of the bytes with their content codings, so they do not fit a decoded body.
    static func checksums(of head: HTTPResponseHead) -> [Checksum] {
        guard head.describesBody, 200..<300 ~= head.statusCode else { return [] }
        let names = head.statusCode == 200 ? ["Repr-Digest", "Content-Digest"] : ["Repr-Digest"]
        return names.flatMap { head.value(for: $0).map(DigestFields.checksums) ?? [] }
    }
}

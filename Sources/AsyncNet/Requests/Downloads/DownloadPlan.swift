import Foundation

/// What a download requests, and what each response means for the bytes that are there: conditional ranges (RFC 9110
/// §13.1.5), 206 (§15.3.7) and 416 (§15.5.17). No I/O: the number of bytes that are there is a parameter.
struct DownloadPlan: Sendable {
    /// Where the download began: redirects, and the headers that they remove, happen again.
    private(set) var url: URL?
    /// Of the version that is being downloaded; nil or empty if a part of it cannot be continued.
    private(set) var validator: String?
    /// The bytes of the whole file.
    private(set) var total: Int64?
    /// The range that was requested last; `nil` is everything.
    private(set) var requested: ByteRange?
    private let segments: Int
    private(set) var isSegmented: Bool

    /// What to do with a response.
    enum Step: Hashable, Sendable {
        /// Write its body from this byte on.
        case write(from: Int64)
        /// Nothing: the file is complete.
        case complete
        /// Send the request again: what is there is of no use any more, or ranges are not.
        case again
    }

    /// - Parameter segments: How many segments are fetched at a time, from 1 to 64.
    init(segments: Int = 1) {
        self.segments = min(max(1, segments), 64)
        isSegmented = segments > 1
    }

    /// Continues what an earlier download left.
    mutating func resume(_ data: ResumeData) { (url, validator, total) = (data.url, data.validator, data.totalBytes) }

    /// Nothing is known of the version any more.
    mutating func forgetVersion() { (validator, total) = (nil, nil) }

    // MARK: Requests

    /// - Parameter size: The bytes that are there.
    /// - Returns: `Range` and `If-Range` of the next request.
    mutating func request(to url: URL, _ method: HTTPMethod, size: Int64) -> (range: ByteRange?, ifRange: String?) {
        self.url = self.url ?? url
        if method != .get { isSegmented = false }
        let offset = offset(size)
        requested = missing(after: offset)
        return (requested, requested != nil && offset > 0 ? validator : nil)
    }

    /// All that is missing, or a first segment, after which the others are fetched.
    private func missing(after offset: Int64) -> ByteRange? {
        guard isSegmented else { return offset > 0 ? .from(offset) : nil }
        if let total, offset > 0, total <= offset + SegmentPlan.firstLength { return .from(offset) }
        return .closed(offset...offset + SegmentPlan.firstLength - 1)
    }

    /// The bytes that can be continued.
    private func offset(_ size: Int64) -> Int64 { isResumable ? size : 0 }
    private var isResumable: Bool { validator?.isEmpty == false }

    /// What a later download needs to continue; its validator is empty where it cannot.
    func resumeData(_ partial: URL, prefix: Int64?, mark: String?) -> ResumeData? {
        url.map {
            ResumeData(
                url: $0, validator: validator ?? "", partialFile: partial, totalBytes: total, prefix: prefix, mark: mark
            )
        }
    }

    // MARK: Responses

    /// - Parameter size: The bytes that are there.
    mutating func receive(_ head: HTTPResponseHead, size: Int64) throws(AsyncNetError) -> Step {
        let offset = offset(size)
        guard let requested else {
            guard head.statusCode != 206 else {
                throw AsyncNetError(.badServerResponse, "The server sent a part that was not requested")
            }
            return begin(head)
        }
        let range = head.onlyValue(of: .contentRange).flatMap(ContentRange.init)
        switch head.statusCode {
        case 206:
            if offset == 0 { return isFirstSegment(range, requested, head) ? begin(head) : restart() }
            try check(range, requested, from: offset, head)
            total = total ?? range?.total
            return .write(from: offset)
        case 416:
            if let total = range?.total, total == offset, offset > 0 { return .complete }
            return restart()
        case 200..<300: return begin(head)
        // A first segment was no request for a rest: a response of any status is downloaded.
        default:
            if offset == 0 { return begin(head) }
            throw AsyncNetError(
                .unacceptableStatus,
                "The server responded with \(head.statusCode) to a request for the rest of the download")
        }
    }

    /// The file is requested as a whole from now on.
    mutating func restart() -> Step {
        forgetVersion()
        isSegmented = false
        return .again
    }

    /// Learns which version the response is of, and whether it can be continued.
    private mutating func begin(_ head: HTTPResponseHead) -> Step {
        let isPlain = head.value(for: "Content-Encoding") == nil && (head.statusCode == 200 || head.statusCode == 206)
        validator = isPlain ? IfRange.validator(of: head.headers) : nil
        let part = head.statusCode == 206 ? head.onlyValue(of: .contentRange).flatMap(ContentRange.init) : nil
        total = isPlain ? part?.total ?? head.contentLength : nil
        return .write(from: 0)
    }

    /// A 206 response must be what is missing, of the same version, and as long as it says.
    private func check(_ range: ContentRange?, _ requested: ByteRange, from offset: Int64, _ head: HTTPResponseHead)
        throws(AsyncNetError)
    {
        guard let range, let bytes = range.bytes, bytes.lowerBound == offset,
            Self.ends(bytes, of: range.total, as: requested),
            range.total == nil || total == nil || range.total == total,
            validator.map({ IfRange.isSameVersion(head.headers, as: $0) }) != false,
            head.value(for: "Content-Encoding") == nil
        else {
            throw AsyncNetError(
                .badServerResponse, "The server's Content-Range does not continue the download at byte \(offset)")
        }
        if let length = head.contentLength, let expected = head.rangeLength, length > expected {
            throw AsyncNetError(
                .badServerResponse,
                "The server's Content-Length of \(length) is more than the \(expected) bytes of its Content-Range")
        }
    }

    /// Whether other segments can follow this one; if not, the file is requested as a whole.
    private func isFirstSegment(_ range: ContentRange?, _ requested: ByteRange, _ head: HTTPResponseHead) -> Bool {
        guard let range, let total = range.total, let bytes = range.bytes, bytes.lowerBound == 0 else { return false }
        return Self.ends(bytes, of: total, as: requested) && IfRange.validator(of: head.headers) != nil
            && head.value(for: "Content-Encoding") == nil
    }

    /// Whether these are all the bytes that were requested and that there are.
    private static func ends(_ bytes: ClosedRange<Int64>, of total: Int64?, as requested: ByteRange) -> Bool {
        switch requested {
        case .closed(let range): bytes.upperBound == min(range.upperBound, total.map { $0 - 1 } ?? .max)
        case .from, .last: total.map { bytes.upperBound == $0 - 1 } ?? true
        }
    }

    // MARK: The rest

    /// The segments to fetch once the first one is there; `nil` if none is missing, or ranges are of no use.
    ///
    /// - Parameter size: The bytes that are there.
    func segments(after size: Int64) -> (plan: SegmentPlan, count: Int, validator: String)? {
        guard isSegmented, case .closed? = requested, let total, size < total, let validator else { return nil }
        return (SegmentPlan(from: size, total: total, segments: segments), segments, validator)
    }

    /// The digests of the whole that the response has (RFC 9530); a digest of its content is one of the whole if the
    /// content is the whole.
    static func checksums(of head: HTTPResponseHead) -> [Checksum] {
        guard head.value(for: "Content-Encoding") == nil, 200..<300 ~= head.statusCode else { return [] }
        let names = head.statusCode == 200 ? ["Repr-Digest", "Content-Digest"] : ["Repr-Digest"]
        return names.flatMap { head.value(for: $0).map(DigestFields.checksums) ?? [] }
    }
}

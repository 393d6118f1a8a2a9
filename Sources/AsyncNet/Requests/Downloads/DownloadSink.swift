import Foundation
import Synchronization

/// Writes a response's body to a partial file, and moves that file to its place at the end.
///
/// `plan` decides what to request and what to do with each response; `file` carries that out. A retry continues where
/// the partial file ends.
final class DownloadSink: ResponseSink {
    private let destination: DownloadDestination
    private let checksum: Checksum?
    private let plan: Locked<DownloadPlan>
    private let file: DownloadFile
    private let isClaimed = Atomic(false)

    init(
        _ destination: DownloadDestination, resuming: ResumeData? = nil, segments: Int = 1, checksum: Checksum? = nil,
        marking: PartialFile.MarkPlace = .attribute
    ) {
        (self.destination, self.checksum) = (destination, checksum)
        var plan = DownloadPlan(segments: segments)
        file = DownloadFile(destination, marking)
        if let resuming {
            plan.resume(resuming)
            file.resume(resuming)
        }
        self.plan = Locked(plan)
    }

    deinit {
        guard destination.isTemporary, !isClaimed.load(ordering: .relaxed), let file = file.finished else { return }
        try? FileManager.default.removeItem(at: file)
    }

    /// The complete file, which is the caller's from now on.
    func claimFile() -> URL? {
        isClaimed.store(true, ordering: .relaxed)
        return file.finished
    }

    /// The response with the file's content as its body; throws `.fileNotReadable`.
    func response(_ response: RawResponse) async throws -> RawResponse {
        guard let finished = file.finished else { throw AsyncNetError(.badServerResponse) }
        let data = try await UserCode.runAbandonably {
            do { return try Data(contentsOf: finished) } catch {
                throw AsyncNetError(.fileNotReadable, "The downloaded file cannot be read", underlyingError: error)
            }
        }
        return RawResponse(requestHead: response.requestHead, head: response.head, data: data)
    }

    /// Resume data for a later download; its holder then owns the partial file.
    func handOver() -> ResumeData? { file.handOver(plan.withLock { $0 }) }

    /// Adds `Range`, `If-Range`, and, unless the caller has set `Accept-Encoding`, `identity`: a body with a content
    /// coding could not be continued, and published checksums are those of a file without one.
    func prepare(_ request: TransportRequest) async throws -> TransportRequest {
        var request = request
        try check(request)
        try checkFile(request.head.url)
        if !request.head.headers.contains(name: "Accept-Encoding") {
            request.head.headers.add(.acceptEncoding("identity"))
        }
        for name in ["Range", "If-Range"] { request.head.headers.remove(name) }
        let (range, ifRange) = plan.withLock {
            $0.request(to: request.head.url, request.head.method, size: file.size)
        }
        if let range { request.head.headers.update(HTTPHeader(name: "Range", value: range.headerValue)) }
        if let ifRange { request.head.headers.update(HTTPHeader(name: "If-Range", value: ifRange)) }
        return request
    }

    private func check(_ request: TransportRequest) throws(AsyncNetError) {
        if let checksum, !checksum.isValid {
            throw AsyncNetError(
                .invalidRequest, "The download's checksum is neither hexadecimal nor Base64 of the right length"
            ).with(
                advice: "Give the checksum's text as its publisher writes it, such as the first word of a .sha256 file."
            )
        }
        if plan.withLock({ $0.url == nil }), request.head.headers.contains(name: "Range") {
            throw AsyncNetError(
                .invalidRequest, "A download must not have a Range header of its own; use a stream to request a range")
        }
    }

    private func checkFile(_ url: URL) throws(AsyncNetError) {
        if let fixed = destination.fixed {
            try file.check(fixed)
            if let kept = try file.readKept(beside: fixed, url) { plan.withLock { $0.resume(kept) } }
        }
        if try !file.checkResumed() { plan.withLock { $0.forgetVersion() } }
    }

    /// A 416 response to the download's own `Range` is not validated: the plan decides about it.
    func validates(_ head: HTTPResponseHead) -> Bool {
        head.statusCode != 416 || plan.withLock { $0.requested == nil }
    }

    func receive(_ body: inout ResponseBody) async throws {
        let head = body.head
        // The time in which a closure of the caller's chooses the place is not the server's silence.
        body.rest()
        let place = try await file.place(for: head)
        let output: OutputFile
        var next = plan.withLock { $0 }
        switch try next.receive(head, size: file.size) {
        case .complete: output = try file.openComplete(beside: place)
        case .again:
            plan.withLock { [next] in $0 = next }
            throw UnusableResponse()
        case .write(let offset):
            output = try file.open(beside: place, from: offset, next)
            // Not earlier: until the file is open, its bytes are of the version that the plan knew before.
            plan.withLock { [next] in $0 = next }
            do { try await write(&body, from: offset, to: output) } catch is SegmentedTransfer.OtherVersion {
                _ = plan.withLock { $0.restart() }
                throw UnusableResponse()
            }
        }
        body.rest()
        try await verify(head, beside: place)
        try await body.observer.settle { [file] in try file.finish(output, at: place) }
    }

    private func write(_ body: inout ResponseBody, from offset: Int64, to output: OutputFile) async throws {
        let total = plan.withLock { $0.total }
        (body.offset, body.total) = (offset, total)
        do {
            try await body.forEach { [file] chunk in try file.append(chunk, to: output) }
        } catch {
            // If the body is longer than its range, any of its bytes may be wrong: none are kept.
            if body.received.isExceeded { try? output.truncate(to: offset) }
            throw error
        }
        let size = try? output.size()
        guard size == offset + body.count else {
            throw AsyncNetError(.fileNotWritable, "Something else has written to the download's partial file")
        }
        try await fetchSegments(after: &body, to: output)
        if let total, let size = try? output.size(), size != total {
            throw AsyncNetError(.bodyEndedEarly, "The download has \(size) bytes in place of the \(total) expected")
        }
    }

    private func fetchSegments(after body: inout ResponseBody, to output: OutputFile) async throws {
        let plan = plan.withLock { $0 }
        let start = body.offset + body.count
        guard let segments = plan.segments(after: start) else { return }
        body.rest()
        try output.writeAnywhere()
        try file.keep(start, plan)
        let transfer = SegmentedTransfer(
            validator: segments.validator, file: output, head: body.head, observer: body.observer
        ) { [file] in try file.keep($0, plan) }
        let (contiguous, failure) = await transfer.run(segments.plan, segments: segments.count, received: body.received)
        if failure != nil { try output.truncate(to: contiguous) }
        try file.keep(nil, plan)
        body.add(contiguous - start)
        if let failure { throw failure }
    }

    /// A file with a wrong checksum is removed, not continued.
    private func verify(_ head: HTTPResponseHead, beside place: URL) async throws {
        let checksums = DownloadPlan.checksums(of: head) + (checksum.map { [$0] } ?? [])
        guard let partial = file.partial, !checksums.isEmpty else { return }
        do {
            try await FileChecksum.verify(partial.path, against: checksums)
        } catch let error as AsyncNetError where error.code == .checksumMismatch {
            file.remove(beside: place)
            plan.withLock { $0.forgetVersion() }
            throw error
        } catch let error as POSIXError {
            throw DownloadFile.unwritable(place, error)
        }
    }
}

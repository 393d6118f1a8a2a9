import AsyncNet
import Foundation
import Timelines

/// What became of one call.
struct Outcome: Sendable {
    let call: Call
    /// The method of the last hop.
    var method: String
    /// The heads of all responses in the order in which they came.
    var heads: [HTTPResponseHead] = []
    /// The last response's head.
    var head: HTTPResponseHead?
    /// What is to be printed; `nil` if it went elsewhere or there is none.
    var body: Data?
    var metrics: RequestMetrics
    /// With `--timing`.
    var timeline: RequestTimeline?
    var failure: ExitError?
    /// The name of the file that was written.
    var file: String?
    /// Lines that come before that of the failure.
    var notes: [String] = []

    init(_ call: Call, failure: ExitError) {
        self.call = call
        self.failure = failure
        method = call.method.rawValue
        metrics = RequestMetrics()
    }

    init<Value>(_ call: Call, _ response: DataResponse<Value, AsyncNetError>, _ heads: [HTTPResponseHead]) {
        self.call = call
        method = response.request?.httpMethod ?? call.method.rawValue
        (head, metrics) = (response.head, response.metrics)
        self.heads = heads.isEmpty ? [response.head].compactMap { $0 } : heads
        failure = response.error.map { ExitError($0, "") }
    }

    init(_ call: Call, _ stream: StreamRequest, _ heads: [HTTPResponseHead], _ failure: ExitError?) {
        self.call = call
        self.failure = failure
        self.heads = heads
        (head, metrics, method) = (heads.last, stream.metrics, call.method.rawValue)
    }

    /// `--fail-with-body`: a status of 400 or above is a failure, whose body is no less printed.
    mutating func failOnStatus() {
        guard failure == nil, let status = head?.statusCode, status >= 400 else { return }
        failure = ExitError(AsyncNetError(.unacceptableStatus, "The server responded with status \(status)"), "")
    }
}

extension HTTPResponseHead {
    /// As on the wire: lines end in CR LF, an empty one ends the head.
    var lines: String {
        let fields = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        return "\(statusLine)\r\n\(fields)\r\n"
    }

    /// URLSession knows neither version nor reason phrase: the version is assumed, the phrase left out.
    var statusLine: String {
        "\(httpVersion ?? "HTTP/1.1") \(statusCode)" + (reasonPhrase.map { " \($0)" } ?? "")
    }
}

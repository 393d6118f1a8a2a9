import Foundation

/// How a transfer ended, with everything known of the transfer. All tasks that await the outcome share one object.
final class TransferOutcome: Sendable {
    let request: TransportRequest?
    let head: HTTPResponseHead?
    let data: Data?
    let metrics: RequestMetrics
    /// The headers after the body; `nil` if there were none.
    let trailers: HTTPHeaders?
    let error: AsyncNetError?

    init(
        request: TransportRequest? = nil, head: HTTPResponseHead? = nil, data: Data? = nil,
        metrics: RequestMetrics = RequestMetrics(), trailers: HTTPHeaders? = nil, error: AsyncNetError? = nil
    ) {
        self.trailers = trailers
        self.request = request
        self.head = head
        self.data = data
        self.metrics = metrics
        self.error = error
    }

    var rawResponse: RawResponse? {
        guard let request, let head else { return nil }
        return RawResponse(requestHead: request.head, head: head, data: data ?? Data())
    }

    var summary: RequestSummary {
        RequestSummary(
            request: request?.head, urlTemplate: request?.urlTemplate, response: head, metrics: metrics, error: error)
    }

    var errorContext: AsyncNetError.Context {
        var context = AsyncNetError.Context()
        context.attempts = metrics.attempts
        if let request {
            context.method = request.head.method.rawValue
            context.url = request.head.url
            context.request = { request.urlRequest }
        }
        if let head {
            context.response = { head.urlResponse }
            context.statusCode = head.statusCode
            context.keep(data)
        }
        return context
    }

    func failing(with error: AsyncNetError) -> TransferOutcome {
        TransferOutcome(
            request: request, head: head, data: data, metrics: metrics, trailers: trailers,
            error: error.with(errorContext))
    }
}

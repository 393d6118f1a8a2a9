import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How a transfer ended, with all that is known of it. One object, shared by everyone who waits for it.
final class TransferOutcome: Sendable {
    let request: TransportRequest?
    let head: HTTPResponseHead?
    let data: Data?
    let metrics: RequestMetrics
    let error: AsyncNetError?

    init(
        request: TransportRequest? = nil, head: HTTPResponseHead? = nil, data: Data? = nil,
        metrics: RequestMetrics = RequestMetrics(), error: AsyncNetError? = nil
    ) {
        self.request = request
        self.head = head
        self.data = data
        self.metrics = metrics
        self.error = error
    }

    /// The request as last sent, in Foundation's form, with its body if that is in memory.
    var urlRequest: URLRequest? { request?.urlRequest }

    /// For serializers and validators; `nil` if there was no response.
    var rawResponse: RawResponse? {
        guard let request, let head else { return nil }
        return RawResponse(requestHead: request.head, head: head, data: data ?? Data())
    }

    /// What an error says about the request it happened to.
    var errorContext: AsyncNetError.Context {
        var context = AsyncNetError.Context()
        context.attempts = metrics.attempts
        if let request {
            context.method = request.head.method.rawValue
            context.url = request.head.url
            context.request = { [self] in urlRequest }
        }
        if let head { context.response = { head.urlResponse } }
        return context
    }

    /// The same transfer, ended by `error`.
    func failing(with error: AsyncNetError) -> TransferOutcome {
        TransferOutcome(request: request, head: head, data: data, metrics: metrics, error: error.with(errorContext))
    }

    /// The same transfer, or ended by the first validator that refuses its response.
    func validated(by validators: [Validator]) async -> TransferOutcome {
        guard error == nil, let response = rawResponse else { return self }
        do throws(AsyncNetError) {
            try await validators.check(response)
            return self
        } catch {
            return failing(with: error)
        }
    }
}

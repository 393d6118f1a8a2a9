package import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// How a transfer ended, with all that is known of it. One object, shared by everyone who waits for it.
package final class TransferOutcome: Sendable {
    package let request: TransportRequest?
    package let head: HTTPResponseHead?
    package let data: Data?
    package let metrics: RequestMetrics
    package let error: AsyncNetError?

    package init(
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
    package var urlRequest: URLRequest? { request?.urlRequest }

    /// For serializers and validators; `nil` if there was no response.
    package var rawResponse: RawResponse? {
        guard let request, let head else { return nil }
        return RawResponse(requestHead: request.head, head: head, data: data ?? Data())
    }

    /// What an error says about the request it happened to.
    package var errorContext: AsyncNetError.Context {
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
    package func failing(with error: AsyncNetError) -> TransferOutcome {
        TransferOutcome(request: request, head: head, data: data, metrics: metrics, error: error.with(errorContext))
    }

    /// The same transfer, or ended by the first validator that refuses its response.
    package func validated(by validators: [Validator]) async -> TransferOutcome {
        guard error == nil, let response = rawResponse else { return self }
        do throws(AsyncNetError) {
            try await validators.check(response)
            return self
        } catch {
            return failing(with: error)
        }
    }
}

public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The outcome of a request: the value or the error, and what was sent, received and measured.
public struct DataResponse<Value: Sendable, Failure: Error>: Sendable {
    /// The value or the error.
    public let result: Result<Value, Failure>
    /// The measured times, sizes and attempts.
    public let metrics: RequestMetrics
    private let outcome: TransferOutcome

    /// When the request passed its milestones, serializing included, and the intervals between them.
    public var timeline: ResponseTimeline { metrics.timeline }

    init(result: Result<Value, Failure>, metrics: RequestMetrics, outcome: TransferOutcome) {
        self.result = result
        self.metrics = metrics
        self.outcome = outcome
    }

    /// Creates a response without a transfer, for tests and previews. The request's `httpBody` is kept.
    public init(
        _ result: Result<Value, Failure>, request: URLRequest? = nil, head: HTTPResponseHead? = nil, data: Data? = nil,
        metrics: RequestMetrics = RequestMetrics()
    ) {
        let sent = request.flatMap { request in
            HTTPRequestHead(request).map {
                TransportRequest(head: $0, body: request.httpBody.map { .data($0) } ?? .none)
            }
        }
        self.init(
            result: result, metrics: metrics,
            outcome: TransferOutcome(request: sent, head: head, data: data, metrics: metrics))
    }

    /// The request as it was last sent, or `nil` if the request could not be made.
    public var request: URLRequest? { outcome.request?.urlRequest }
    /// The head of the response as Foundation's type, or `nil` without a response.
    public var response: HTTPURLResponse? { outcome.head?.urlResponse }
    /// The head of the response with its headers in their order, if the transport keeps the order.
    public var head: HTTPResponseHead? { outcome.head }
    /// The response's status, or `nil` without a response.
    public var statusCode: Int? { outcome.head?.statusCode }
    /// The body, with its `Content-Encoding` decoded unless the request was to keep it; `nil` without a response.
    public var data: Data? { outcome.data }

    /// The headers that came after the body (RFC 9110 §6.5); `nil` if there were none, or if the transport does not
    /// deliver them, see <doc:ChoosingATransport>.
    public var trailers: HTTPHeaders? { outcome.trailers }

    /// The value, or `nil` if the request failed.
    public var value: Value? { try? result.get() }

    /// The error, or `nil` if the request succeeded.
    public var error: Failure? {
        if case .failure(let error) = result { error } else { nil }
    }

    /// The same response with another value.
    public func map<Other: Sendable>(_ transform: (Value) -> Other) -> DataResponse<Other, Failure> {
        DataResponse<Other, Failure>(result: result.map(transform), metrics: metrics, outcome: outcome)
    }

    /// The same response with another value; errors of the closure are thrown.
    public func tryMap<Other: Sendable>(_ transform: (Value) throws -> Other) throws -> DataResponse<Other, Failure> {
        switch result {
        case .success(let value):
            DataResponse<Other, Failure>(result: .success(try transform(value)), metrics: metrics, outcome: outcome)
        case .failure(let error):
            DataResponse<Other, Failure>(result: .failure(error), metrics: metrics, outcome: outcome)
        }
    }

    /// The same response with the result that the closure makes of the value.
    public func flatMap<Other: Sendable>(
        _ transform: (Value) -> Result<Other, Failure>
    ) -> DataResponse<Other, Failure> {
        DataResponse<Other, Failure>(result: result.flatMap(transform), metrics: metrics, outcome: outcome)
    }

    /// The same response with another error.
    public func mapError<Other: Error>(_ transform: (Failure) -> Other) -> DataResponse<Value, Other> {
        DataResponse<Value, Other>(result: result.mapError(transform), metrics: metrics, outcome: outcome)
    }

    /// The same response with another error; an error that the closure throws takes its place.
    public func tryMapError<Other: Error>(_ transform: (Failure) throws -> Other) -> DataResponse<Value, any Error> {
        mapError { error in
            do { return try transform(error) } catch { return error }
        }
    }
}

extension DataResponse: CustomStringConvertible, CustomReflectable {
    /// What `dump` shows: description and metrics, since requests and responses contain secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description, "metrics": metrics.description])
    }

    /// Request line, status, size and result; no headers, no body.
    public var description: String {
        let line = outcome.request.map { "\($0.head)" } ?? "No request"
        let status = outcome.head.map { " (\($0.statusCode), \(outcome.data?.count ?? 0) bytes)" } ?? ""
        switch result {
        case .success: return "\(line)\(status): \(Value.self)"
        case .failure(let error): return "\(line)\(status): \(error)"
        }
    }
}

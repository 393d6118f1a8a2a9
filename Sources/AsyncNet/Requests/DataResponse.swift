public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Everything about a request's end: the value or the error, and what was sent, received and measured.
public struct DataResponse<Value: Sendable, Failure: Error>: Sendable {
    /// The value or the error.
    public let result: Result<Value, Failure>
    /// What was measured.
    public let metrics: RequestMetrics
    private let outcome: TransferOutcome

    init(result: Result<Value, Failure>, metrics: RequestMetrics, outcome: TransferOutcome) {
        self.result = result
        self.metrics = metrics
        self.outcome = outcome
    }

    /// The request as it was last sent, or `nil` if none could be made.
    public var request: URLRequest? { outcome.urlRequest }
    /// The head of the response, in Foundation's form, or `nil` if none came.
    public var response: HTTPURLResponse? { outcome.head?.urlResponse }
    /// The head of the response with its headers in order, where the transport keeps it.
    public var head: HTTPResponseHead? { outcome.head }
    /// The response's status, or `nil` if none came.
    public var statusCode: Int? { outcome.head?.statusCode }
    /// The body as received, after decoding of Content-Encoding; `nil` if no response came.
    public var data: Data? { outcome.data }

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

    /// The same response with another value; what the closure throws is thrown.
    public func tryMap<Other: Sendable>(_ transform: (Value) throws -> Other) throws -> DataResponse<Other, Failure> {
        switch result {
        case .success(let value):
            DataResponse<Other, Failure>(result: .success(try transform(value)), metrics: metrics, outcome: outcome)
        case .failure(let error):
            DataResponse<Other, Failure>(result: .failure(error), metrics: metrics, outcome: outcome)
        }
    }

    /// The same response with another error.
    public func mapError<Other: Error>(_ transform: (Failure) -> Other) -> DataResponse<Value, Other> {
        DataResponse<Value, Other>(result: result.mapError(transform), metrics: metrics, outcome: outcome)
    }
}

extension DataResponse: CustomStringConvertible, CustomReflectable {
    /// What `dump` shows: the description and what was measured, since requests and responses hold secrets.
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

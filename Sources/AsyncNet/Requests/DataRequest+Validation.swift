public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Validators run in the order they were added; the first that refuses ends the request with its error. Status and type
/// are judged as soon as the response's head has come, so they refuse a response whose body breaks off or never ends
/// too; of that body up to 64 KiB that come within a second are kept. A closure runs after the whole response has come.
/// One that is added after the end runs at the next awaited outcome.
extension DataRequest {
    /// Accepts a status from 200 to 299 and a type that the request's `Accept` header asks for.
    @discardableResult
    public func validate() -> DataRequest {
        add(.statusCode { 200..<300 ~= $0 })
        add(.contentType(Validator.acceptHeader))
        return self
    }

    /// Accepts these statuses only; others end in `.unacceptableStatus`.
    @discardableResult
    public func validate(statusCode acceptable: some Collection<Int> & Sendable) -> DataRequest {
        let set = Set(acceptable)
        add(.statusCode { set.contains($0) })
        return self
    }

    /// Accepts statuses in this range only, be it open at one end, such as `200...` or `..<400`.
    @discardableResult
    public func validate(statusCode acceptable: some RangeExpression<Int> & Sendable) -> DataRequest {
        add(.statusCode { acceptable.contains($0) })
        return self
    }

    /// Accepts statuses in this range only.
    @discardableResult
    public func validate(statusCode acceptable: Range<Int>) -> DataRequest {
        add(.statusCode { acceptable.contains($0) })
        return self
    }

    /// Accepts statuses in this range only.
    @discardableResult
    public func validate(statusCode acceptable: ClosedRange<Int>) -> DataRequest {
        add(.statusCode { acceptable.contains($0) })
        return self
    }

    /// Accepts these media types only, such as `application/json`, `text/*` or `*/*`; parameters are not compared, an
    /// empty body has every type. Others end in `.unacceptableContentType`.
    @discardableResult
    public func validate(contentType acceptable: some Sequence<String> & Sendable) -> DataRequest {
        let list = Array(acceptable)
        add(.contentType { _ in list })
        return self
    }

    /// Accepts what the closure does not throw for. An `AsyncNetError` it throws ends the request as it is; any other
    /// error as `.validationFailed`, with the error underneath.
    @discardableResult
    public func validate(
        _ validation: @escaping @Sendable (URLRequest, HTTPURLResponse, Data) throws -> Void
    ) -> DataRequest {
        add(
            Validator { response in
                guard let urlResponse = response.response else { throw AsyncNetError(.badServerResponse) }
                try validation(response.request, urlResponse, response.data)
            })
        return self
    }
}

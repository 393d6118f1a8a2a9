#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// Validators run in the order they were added, once the head has come and before the body is read.
extension StreamRequest {
    /// Accepts a status from 200 to 299 and a type that the request's `Accept` header asks for.
    @discardableResult
    public func validate() async -> StreamRequest {
        await transfer.validate()
        return self
    }

    /// Accepts these statuses only; others end in `.unacceptableStatus`.
    @discardableResult
    public func validate(statusCode acceptable: some RangeExpression<Int> & Sendable) async -> StreamRequest {
        await transfer.validate(statusCode: acceptable)
        return self
    }

    /// Accepts these statuses only.
    @discardableResult
    public func validate(statusCode acceptable: Range<Int>) async -> StreamRequest {
        await transfer.validate(statusCode: acceptable)
        return self
    }

    /// Accepts these statuses only.
    @discardableResult
    public func validate(statusCode acceptable: ClosedRange<Int>) async -> StreamRequest {
        await transfer.validate(statusCode: acceptable)
        return self
    }

    /// Accepts these media types only.
    @discardableResult
    public func validate(contentType acceptable: some Sequence<String> & Sendable) async -> StreamRequest {
        await transfer.validate(contentType: acceptable)
        return self
    }

    /// Accepts what the closure does not throw for.
    @discardableResult
    public func validate(_ validation: @escaping @Sendable (URLRequest, HTTPURLResponse) throws -> Void) async
        -> StreamRequest
    {
        await transfer.validate { request, response, _ in try validation(request, response) }
        return self
    }
}

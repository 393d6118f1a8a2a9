#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// Validators run in the order they were added, once the head has come and before a file is made.
extension DownloadRequest {
    /// Accepts a status from 200 to 299 and a type that the request's `Accept` header asks for.
    @discardableResult
    public func validate() async -> DownloadRequest {
        await transfer.validate()
        return self
    }

    /// Accepts these statuses only; others end in `.unacceptableStatus`.
    @discardableResult
    public func validate(statusCode acceptable: some RangeExpression<Int> & Sendable) async -> DownloadRequest {
        await transfer.validate(statusCode: acceptable)
        return self
    }

    /// Accepts these statuses only.
    @discardableResult
    public func validate(statusCode acceptable: Range<Int>) async -> DownloadRequest {
        await transfer.validate(statusCode: acceptable)
        return self
    }

    /// Accepts these statuses only.
    @discardableResult
    public func validate(statusCode acceptable: ClosedRange<Int>) async -> DownloadRequest {
        await transfer.validate(statusCode: acceptable)
        return self
    }

    /// Accepts these media types only.
    @discardableResult
    public func validate(contentType acceptable: some Sequence<String> & Sendable) async -> DownloadRequest {
        await transfer.validate(contentType: acceptable)
        return self
    }

    /// Accepts what the closure does not throw for.
    @discardableResult
    public func validate(_ validation: @escaping @Sendable (URLRequest, HTTPURLResponse) throws -> Void) async
        -> DownloadRequest
    {
        await transfer.validate { request, response, _ in try validation(request, response) }
        return self
    }
}

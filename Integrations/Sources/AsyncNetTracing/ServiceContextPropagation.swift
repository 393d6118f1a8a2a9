public import AsyncNet
public import Tracing

#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// Sends `ServiceContext.current` with each attempt, as the instrument of swift-distributed-tracing writes it.
///
///     let session = Session(configuration: .init(interceptors: [ServiceContextPropagation()]))
///
/// The context is that of the task that starts the request: the first task that awaits its outcome, or that calls
/// `resume()`. Without a context nothing is sent. A header that the request has already is replaced by the instrument's
/// header of that name.
///
/// This makes no spans. ``DistributedTracer`` does, and then sends their W3C Trace Context by itself: use both only if
/// the instrument writes other headers.
public struct ServiceContextPropagation: RequestAdapter {
    private let instrument: (any Instrument)?

    /// Makes an adapter.
    ///
    /// - Parameter instrument: Writes the headers; `nil`, the default, is `InstrumentationSystem.instrument` in the
    ///   task that starts the request.
    public init(_ instrument: (any Instrument)? = nil) { self.instrument = instrument }

    /// The request with the instrument's headers.
    public func adapt(_ request: TransportRequest, context: RequestContext) async throws -> TransportRequest {
        guard let current = ServiceContext.current else { return request }
        var request = request
        (instrument ?? InstrumentationSystem.instrument).inject(
            current, into: &request.head.headers, using: HeaderInjector())
        return request
    }

    /// Returns the request unchanged: AsyncNet calls the other method.
    public func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest { request }
}

/// Writes what an instrument passes on into headers.
struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout HTTPHeaders) {
        carrier.update(name: key, value: value)
    }
}

// Interceptors with Alamofire's functions, which nothing would call, and with one function of two.
import AsyncNet
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

final class RequestAdapterState: Sendable {}
enum RetryResult: Sendable { case doNotRetry }

struct AlamofiresAdapter: RequestInterceptor {  // error: does not conform to protocol
    func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) { completion(.success(urlRequest)) }
}

struct AlamofiresAdapterWithState: RequestInterceptor {  // error: does not conform to protocol
    func adapt(
        _ urlRequest: URLRequest, using state: RequestAdapterState,
        completion: @escaping (Result<URLRequest, Error>) -> Void
    ) { completion(.success(urlRequest)) }
}

struct AlamofiresRetrier: RequestInterceptor {  // error: does not conform to protocol
    func retry(
        _ request: any Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) { completion(.doNotRetry) }
}

/// The adapter is AsyncNet's, the retrier still Alamofire's.
struct HalfMoved: RequestInterceptor {  // error: does not conform to protocol
    func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest { request }

    func retry(
        _ request: any Request, for session: Session, dueTo error: any Error,
        completion: @escaping (RetryDecision) -> Void
    ) { completion(.doNotRetry) }
}

struct MisspeltRetrier: RequestInterceptor {  // error: does not conform to protocol
    func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest { request }
    func retry(after error: any Error, context: RequestContext) async -> RetryDecision { .doNotRetry }
}

struct AlamofiresRequestAdapter: RequestAdapter {  // error: does not conform to protocol
    func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) { completion(.success(urlRequest)) }
}

struct AlamofiresRequestRetrier: RequestRetrier {  // error: does not conform to protocol
    func retry(
        _ request: any Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) { completion(.doNotRetry) }
}

/// What must compile: the functions of AsyncNet.
struct AdapterAlone: RequestAdapter {
    func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest { request }
}

struct RetrierAlone: RequestRetrier {
    func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision { .doNotRetry }
}

struct Both: RequestInterceptor {
    func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest { request }
    func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision { .doNotRetry }
}

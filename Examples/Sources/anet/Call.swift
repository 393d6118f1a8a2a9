import AsyncNet
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request as the options describe it.
///
/// The URL is read when the request starts, so that a malformed one is the library's error and not a crash or a guess.
struct Call: URLRequestConvertible {
    let text: String
    let method: HTTPMethod
    let headers: HTTPHeaders
    let body: Data?

    func asURLRequest() throws -> URLRequest {
        var request = HTTPRequestHead(method: method, url: try text.asURL(), headers: headers).urlRequest
        request.httpBody = body
        return request
    }
}

import Foundation

@testable import AsyncNet

extension CacheRequest {
    /// A request of a fixed URL.
    static func get(
        _ headers: HTTPHeaders = [:], mode: CacheMode = .standard, method: HTTPMethod = .get, credential: String? = nil,
        trust: ResponseTrust = .verified()
    ) -> CacheRequest {
        let url = URL(fileURLWithPath: "/").absoluteURL
        return CacheRequest(
            HTTPRequestHead(method: method, url: URL(string: "http://a/x") ?? url, headers: headers), mode: mode,
            trust: trust, credential: credential)
    }
}

extension StoredResponse {
    /// When the fixtures were received.
    static let date = Date(timeIntervalSince1970: 784_111_777)
    /// The same in the words of `Date`.
    static let dateText = "Sun, 06 Nov 1994 08:49:37 GMT"

    /// A response that was received at `date`, with that `Date` unless the headers have another.
    static func fixture(
        _ headers: HTTPHeaders, status: Int = 200, for request: CacheRequest = .get(), delay: Double = 0
    ) throws -> StoredResponse {
        var headers = headers
        if !headers.contains(name: "Date") { headers.add(name: "Date", value: dateText) }
        let head = HTTPResponseHead(statusCode: status, url: request.url, headers: headers)
        guard let variant = CacheVariant(of: headers, to: request) else { throw AsyncNetError(.invalidRequest) }
        return StoredResponse(
            head, headers: headers, variant: variant, isContentDecoded: true,
            requested: date.addingTimeInterval(-delay), received: date)
    }
}

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

enum URLSessionRequest {
    static func make(
        _ request: TransportRequest, _ body: URLSessionBody, _ onFailure: @escaping (AsyncNetError) -> Void
    ) -> URLRequest {
        var urlRequest = head(request).urlRequest
        if let url = urlRequest.url { urlRequest.url = loweringScheme(of: url) }
        urlRequest.timeoutInterval = 1e9
        urlRequest.cachePolicy = .reloadIgnoringLocalCacheData
        urlRequest.httpShouldHandleCookies = false
        if !body.isEmpty { attach(body, to: &urlRequest, onFailure) }
        return urlRequest
    }

    /// FoundationNetworking accepts only schemes in lower case.
    private static func loweringScheme(of url: URL) -> URL {
        guard let scheme = url.scheme, scheme != scheme.lowercased() else { return url }
        var reference = URLReference(url.absoluteString)
        reference.scheme = scheme.lowercased()
        return reference.url ?? url
    }

    private static func refuseBody(_ request: TransportRequest) throws(AsyncNetError) {
        guard request.head.method == .get, !request.body.isNone, request.body.data?.isEmpty != true else { return }
        throw AsyncNetError(.unsupportedByTransport, "URLSession cannot send a body with GET")
    }

    #if canImport(FoundationNetworking)
        /// Sets the body as a stream, the only body that FoundationNetworking sends again after a kept connection was
        /// closed. A value of one space removes a header: the stream has a length instead of chunks, and a POST
        /// without Content-Type does not become a form.
        private static func attach(
            _ body: URLSessionBody, to request: inout URLRequest, _ onFailure: @escaping (AsyncNetError) -> Void
        ) {
            request.httpBodyStream = body.makeStream(onFailure: onFailure)
            request.setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
            request.setValue("\(body.length ?? 0)", forHTTPHeaderField: "Content-Length")
            if request.value(forHTTPHeaderField: "Content-Type") == nil {
                request.setValue(" ", forHTTPHeaderField: "Content-Type")
            }
        }

        static func refuseWhatIsUnsupported(_ request: TransportRequest) throws(AsyncNetError) {
            try refuseBody(request)
            if request.head.url.host?.contains(":") == true {
                throw AsyncNetError(
                    .unsupportedByTransport, "URLSession on Linux cannot connect to an IPv6 address in a URL")
            }
            try refuseEncodedDots(request.head.url)
        }

        /// libcurl 8.23, which URLSession may use, would send a request for another resource.
        private static func refuseEncodedDots(_ url: URL) throws(AsyncNetError) {
            let path = url.path(percentEncoded: true)
            guard path.contains("%2"), path.split(separator: "/").contains(where: PercentEncoding.isEncodedDotSegment)
            else { return }
            throw AsyncNetError(
                .unsupportedByTransport,
                "URLSession on Linux cannot send a path with an escaped . or .. segment; .sockets() can")
        }
        /// FoundationNetworking omits a header whose value is one space, the value of ``HTTPHeader/omitting(_:)``.
        private static func head(_ request: TransportRequest) -> HTTPRequestHead { request.head }
    #else
        private static func head(_ request: TransportRequest) -> HTTPRequestHead {
            var head = request.head
            head.headers = HTTPHeaders(head.headers.filter { !$0.isOmission })
            return head
        }

        private static func attach(
            _ body: URLSessionBody, to request: inout URLRequest, _ onFailure: @escaping (AsyncNetError) -> Void
        ) {
            if let data = body.data { return request.httpBody = data }
            request.httpBodyStream = body.makeStream(onFailure: onFailure)
            request.setValue("\(body.length ?? 0)", forHTTPHeaderField: "Content-Length")
        }

        static func refuseWhatIsUnsupported(_ request: TransportRequest) throws(AsyncNetError) {
            try refuseBody(request)
        }
    #endif
}

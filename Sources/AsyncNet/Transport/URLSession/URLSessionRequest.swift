import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Makes URLSession's form of a request.
enum URLSessionRequest {
    static func make(_ request: TransportRequest) -> URLRequest {
        var urlRequest = head(request).urlRequest
        urlRequest.timeoutInterval = 1e9
        urlRequest.cachePolicy = .reloadIgnoringLocalCacheData
        urlRequest.httpShouldHandleCookies = false
        if let data = request.body.data, !data.isEmpty { attach(data, to: &urlRequest) }
        return urlRequest
    }

    private static func refuse(_ tls: TLSConfiguration, _ body: RequestBody) throws(AsyncNetError) {
        guard tls.isDefault else {
            throw AsyncNetError(
                .unsupportedByTransport,
                "URLSession does not enforce trust anchors, pins, a client identity, a minimum version or a host name check of one's own; the libcurl transport, .libcurl(tls:), does")
        }
        guard body.isNone || body.data != nil else {
            throw AsyncNetError(.unsupportedByTransport, "A body from a file or a stream needs the libcurl transport, .libcurl()")
        }
    }

    #if canImport(FoundationNetworking)
    /// As a stream, the only body that FoundationNetworking sends again from its start after a connection that was kept
    /// alive broke. A value of one space removes a header: the stream is sent with its length instead of in chunks, and
    /// a POST without Content-Type does not become a form.
    private static func attach(_ data: Data, to request: inout URLRequest) {
        request.httpBodyStream = InputStream(data: data)
        request.setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
        request.setValue("\(data.count)", forHTTPHeaderField: "Content-Length")
        if request.value(forHTTPHeaderField: "Content-Type") == nil {
            request.setValue(" ", forHTTPHeaderField: "Content-Type")
        }
    }

    static func refuseWhatIsUnsupported(_ request: TransportRequest, _ tls: TLSConfiguration) throws(AsyncNetError) {
        try refuse(tls, request.body)
        if request.head.method == .get, (request.body.length ?? 0) > 0 {
            throw AsyncNetError(.unsupportedByTransport, "URLSession cannot send a body with GET")
        }
        if request.head.url.host?.contains(":") == true {
            throw AsyncNetError(.unsupportedByTransport, "URLSession on Linux cannot connect to an IPv6 address in a URL")
        }
    }
    /// FoundationNetworking leaves out a header whose value is one space, as ``HTTPHeader/omitting(_:)`` has it.
    private static func head(_ request: TransportRequest) -> HTTPRequestHead { request.head }
    #else
    private static func head(_ request: TransportRequest) -> HTTPRequestHead {
        var head = request.head
        head.headers = HTTPHeaders(head.headers.filter { !$0.isOmission })
        return head
    }

    private static func attach(_ data: Data, to request: inout URLRequest) {
        request.httpBody = data
    }

    static func refuseWhatIsUnsupported(_ request: TransportRequest, _ tls: TLSConfiguration) throws(AsyncNetError) {
        try refuse(tls, request.body)
        if request.head.method == .get, (request.body.length ?? 0) > 0 {
            throw AsyncNetError(.unsupportedByTransport, "URLSession cannot send a body with GET")
        }
    }
    #endif
}

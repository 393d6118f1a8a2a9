import Foundation

/// Streams: requests whose response's body is read as it arrives.
extension Session {
    /// A stream from a URL. An invalid argument is the error of the first read.
    ///
    /// - Parameters:
    ///   - url: A `String`, `URL` or `URLComponents`; relative URLs need a session with a base URL.
    ///   - method: GET by default.
    ///   - headers: Replace the session's headers of the same names.
    ///   - options: Policies and limits of this request.
    ///   - modifier: Changes the request after URL, method and headers are set.
    public nonisolated func stream(
        _ url: some URLConvertible, method: HTTPMethod = .get, headers: HTTPHeaders = [:],
        options: RequestOptions = RequestOptions(), modifier: RequestModifier? = nil
    ) -> StreamRequest {
        let assembly = RequestAssembly(configuration)
        return stream(
            options,
            RequestBlueprint(mayBlock: modifier != nil) {
                try assembly.transportRequest(to: url, method, headers, modifier: modifier, encode: nil)
            })
    }

    /// A stream with parameters, which an encoder puts into the request's body or query.
    public nonisolated func stream(
        _ url: some URLConvertible, method: HTTPMethod = .get, parameters: some Encodable & Sendable,
        encoder: some ParameterEncoder,
        headers: HTTPHeaders = [:], options: RequestOptions = RequestOptions(), modifier: RequestModifier? = nil
    ) -> StreamRequest {
        let assembly = RequestAssembly(configuration)
        return stream(
            options,
            RequestBlueprint(mayBlock: modifier != nil || !(encoder is any NonBlocking)) {
                try assembly.transportRequest(to: url, method, headers, modifier: modifier) {
                    try encoder.encode(parameters, into: $0)
                }
            })
    }

    /// A stream from a `URLRequest` or a router.
    public nonisolated func stream(
        _ request: some URLRequestConvertible, options: RequestOptions = RequestOptions(),
        modifier: RequestModifier? = nil
    ) -> StreamRequest {
        let assembly = RequestAssembly(configuration)
        return stream(
            options,
            RequestBlueprint(mayBlock: modifier != nil) {
                try assembly.transportRequest(from: request.asURLRequest(), modifier: modifier)
            })
    }

    private nonisolated func stream(_ options: RequestOptions, _ blueprint: RequestBlueprint) -> StreamRequest {
        let sink = StreamSink()
        return StreamRequest(register(blueprint, kind: .stream, target: .stream(sink), options: options), sink)
    }
}

/// A stream on ``Session/shared``.
public func stream(
    _ url: some URLConvertible, method: HTTPMethod = .get, headers: HTTPHeaders = [:], modifier: RequestModifier? = nil
) -> StreamRequest {
    Session.shared.stream(url, method: method, headers: headers, modifier: modifier)
}

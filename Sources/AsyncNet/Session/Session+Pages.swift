/// Pages: the parts of a list, one request after another.
extension Session {
    /// The decoded pages of a list, from a URL on.
    ///
    /// By default each page's `Link` with relation `next` leads to the next page (RFC 8288). An invalid argument is the
    /// error of the first page.
    ///
    /// - Parameters:
    ///   - type: What each page is decoded as.
    ///   - url: The first page's URL: a `String`, `URL`, `URLComponents` or ``URLTemplate``; relative URLs need a
    ///     session with a base URL.
    ///   - parameters: The first page's parameters, in the query unless another encoder is given.
    ///   - encoder: See ``request(_:method:parameters:encoder:headers:options:)-8tv95``.
    ///   - headers: Replace the session's headers of the same names, for each page of the first page's origin.
    ///   - options: Policies and limits of each page's request; its credential is for the first page's origin only, and its
    ///     modifier changes the first page's request, which is the model for the requests of linked pages.
    ///   - decoder: Decodes each page; `nil` stands for the session's ``SessionConfiguration/decoder``.
    ///   - next: How the next page is found.
    public nonisolated func pages<Page: Decodable & Sendable>(
        _ type: Page.Type, from url: some URLConvertible, parameters: (some Encodable & Sendable)? = JSON?.none,
        encoder: (any ParameterEncoder)? = nil, headers: HTTPHeaders = [:],
        options: RequestOptions = RequestOptions(), decoder: (any DataDecoder)? = nil,
        next: NextPage<Page> = .linked
    ) -> Pages<Page> {
        Pages(assembly.blueprint(url, .get, headers, parameters, encoder), options, decoder, next, in: self)
    }

    /// The decoded pages of a list, beginning with the response to a request, such as a `URLRequest`.
    ///
    /// A link or URL of a next page is requested with GET, whatever the first request's method is; for another request
    /// use ``NextPage/request(_:)``.
    public nonisolated func pages<Page: Decodable & Sendable>(
        _ type: Page.Type, from request: some URLRequestConvertible, options: RequestOptions = RequestOptions(),
        decoder: (any DataDecoder)? = nil, next: NextPage<Page> = .linked
    ) -> Pages<Page> {
        Pages(assembly.blueprint(request), options, decoder, next, in: self)
    }
}

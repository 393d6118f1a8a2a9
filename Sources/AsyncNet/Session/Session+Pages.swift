extension Session {
    /// The decoded pages of a list, from a URL on. An invalid argument is the error of the first page.
    ///
    /// By default each page's `Link` with relation `next` leads to the next page (RFC 8288). `parameters` are those of
    /// the first page, in the query by default; `headers` are sent for each page of the first page's origin. `options`
    /// apply to each page's request, but their credential is for the first page's origin only, and their modifier
    /// changes the first page's request, on which the requests of linked pages are modelled. Without a `decoder`, the
    /// session's ``SessionConfiguration/decoder`` decodes. The other arguments are as for
    /// ``request(_:method:parameters:encoder:headers:options:)-8tv95``.
    public nonisolated func pages<Page: Decodable & Sendable>(
        _ type: Page.Type, from url: some URLConvertible, parameters: (some Encodable & Sendable)? = JSON?.none,
        encoder: (any ParameterEncoder)? = nil, headers: HTTPHeaders = [:],
        options: RequestOptions = RequestOptions(), decoder: (any DataDecoder)? = nil,
        next: NextPage<Page> = .linked
    ) -> Pages<Page> {
        pages(assembly.blueprint(url, .get, headers, parameters, encoder), options, decoder, next)
    }

    /// The decoded pages of a list, from a `URLRequest` or a router on.
    ///
    /// A link or URL of a next page is requested with GET, whatever the first request's method is; for another request
    /// use ``NextPage/request(_:)``.
    public nonisolated func pages<Page: Decodable & Sendable>(
        _ type: Page.Type, from request: some URLRequestConvertible, options: RequestOptions = RequestOptions(),
        decoder: (any DataDecoder)? = nil, next: NextPage<Page> = .linked
    ) -> Pages<Page> {
        pages(assembly.blueprint(request), options, decoder, next)
    }

    private nonisolated func pages<Page>(
        _ first: RequestBlueprint, _ options: RequestOptions, _ decoder: (any DataDecoder)?,
        _ next: NextPage<Page>
    ) -> Pages<Page> {
        var pageOptions = options
        pageOptions.modifier = nil
        return Pages(
            first: first.modified(by: options.modifier), options: pageOptions,
            redirects: options.redirects ?? configuration.redirects,
            decoder: decoder ?? configuration.decoder, next: next, session: self)
    }
}

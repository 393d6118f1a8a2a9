/// Policies and limits of a request, in place of its session's or in addition to them.
///
///     let options = RequestOptions(interceptors: [RetryPolicy()], deadline: .seconds(10))
///     try await session.request(url, options: options).serializing(User.self).value
///
/// The same options may be given to any number of requests of any kind.
public struct RequestOptions: Sendable {
    /// Adapters and retriers, which are called after the session's.
    public var interceptors: [any RequestPolicy]
    /// Which responses the request accepts; by default ``SessionConfiguration/validation`` decides.
    public var validation: Validation
    /// How long the server may be silent before an attempt ends with `.timedOut`, in place of the timeout of the
    /// request or the session.
    public var timeout: Duration?
    /// How long the request may take in all, retries and every wait included, before it ends with `.deadlineExceeded`;
    /// in place of ``SessionConfiguration/deadline``.
    public var deadline: Duration?
    /// Whether redirects are followed, in place of ``SessionConfiguration/redirects``.
    public var redirects: RedirectHandler?
    /// Credentials for a 401 of the origin of the request's URL, sent by Digest (RFC 7616) or Basic (RFC 7617).
    public var credential: PasswordCredential?
    /// Which of the requests that wait for ``SessionConfiguration/concurrencyLimit`` is sent first; normal by default.
    public var priority: RequestPriority
    /// How the request uses ``SessionConfiguration/cache``. `nil` stands for what the `cachePolicy` of its `URLRequest`
    /// says, or for ``CacheMode/standard``.
    public var cacheMode: CacheMode?
    /// How many bytes the response's body may have, after decoding of its `Content-Encoding`, in place of
    /// ``SessionConfiguration/maximumBodySize``; a longer body ends the request with `.bodyTooLarge`. `.max` is no
    /// limit.
    public var maximumBodySize: Int64?
    /// Which addresses may be connected to, in place of ``SessionConfiguration/addresses``.
    public var addresses: AddressPolicy?
    /// Whether the response's body is decoded by its `Content-Encoding` (RFC 9110 §8.4); `true` by default.
    ///
    /// With `false` the body is delivered as it was sent, and `Content-Encoding` says how; the request has
    /// `Accept-Encoding: identity` unless it has an `Accept-Encoding` of its own. A request whose own `Accept-Encoding`
    /// accepts nothing but `identity` gets the body as it was sent too. URLSession on Apple platforms decodes by itself
    /// all the same.
    public var decodesContent: Bool
    /// Changes the request after URL, method and headers are set, before its parameters are encoded.
    public var modifier: RequestModifier?
    /// Tags that adapters, retriers and monitors of the request can read, see ``RequestValueKey``; none by default.
    public var values = RequestValues()

    /// Makes options with the given values; without a value the session's setting applies.
    public init(
        interceptors: [any RequestPolicy] = [], validation: Validation = .session, timeout: Duration? = nil,
        deadline: Duration? = nil, redirects: RedirectHandler? = nil, credential: PasswordCredential? = nil,
        priority: RequestPriority = .normal, cacheMode: CacheMode? = nil, maximumBodySize: Int64? = nil,
        addresses: AddressPolicy? = nil, decodesContent: Bool = true, modifier: RequestModifier? = nil
    ) {
        self.interceptors = interceptors
        self.validation = validation
        self.timeout = timeout
        self.deadline = deadline
        self.redirects = redirects
        self.credential = credential
        self.priority = priority
        self.cacheMode = cacheMode
        self.maximumBodySize = maximumBodySize
        self.addresses = addresses
        self.decodesContent = decodesContent
        self.modifier = modifier
    }

    /// These options with a tag: `RequestOptions().setting(\.tenant, "a")`, see ``RequestValueKey``.
    public func setting<Value>(_ tag: WritableKeyPath<RequestValues, Value>, _ value: Value) -> RequestOptions {
        var options = self
        options.values[keyPath: tag] = value
        return options
    }
}

extension RequestOptions: CustomReflectable {
    /// What `print` and `dump` show: no secrets, and only the types of interceptors.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "interceptors": interceptors.map { "\(type(of: $0))" },
            "validators": validation.validators?.count as Any, "timeout": timeout as Any,
            "deadline": deadline as Any, "redirects": redirects as Any, "credential": credential as Any,
            "priority": priority, "cacheMode": cacheMode as Any, "maximumBodySize": maximumBodySize as Any,
            "addresses": addresses as Any, "decodesContent": decodesContent, "modifier": modifier as Any,
            "values": values,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

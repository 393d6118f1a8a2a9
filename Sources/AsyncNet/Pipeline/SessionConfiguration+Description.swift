extension SessionConfiguration: CustomReflectable {
    /// What `print` and `dump` show, without secrets: the base URL without userinfo and query, and only the types of
    /// interceptors.
    public var customMirror: Mirror {
        let base = baseURL.map { base in (try? base.asURL().withoutSecrets) ?? "no URL" }
        let children: KeyValuePairs<String, Any> = [
            "baseURL": base as Any, "headers": headers, "defaultHeaders": defaultHeaders,
            "decoder": "\(type(of: decoder))", "encoder": "\(type(of: encoder))",
            "interceptors": interceptors.map { "\(type(of: $0))" },
            "timeout": timeout, "deadline": deadline as Any, "cookieJar": cookieJar as Any,
            "cache": cache as Any,
            "concurrencyLimit": concurrencyLimit, "rateLimit": rateLimit as Any,
            "circuitBreaker": circuitBreaker as Any,
            "retryBudget": retryBudget as Any, "coalescesRequests": coalescesRequests,
            "maximumRedirects": maximumRedirects, "maximumBodySize": maximumBodySize as Any,
            "addresses": addresses,
            "startsRequestsImmediately": startsRequestsImmediately,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

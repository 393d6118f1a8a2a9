extension RequestAssembly {
    func blueprint(_ url: some URLConvertible, _ method: HTTPMethod, _ headers: HTTPHeaders) -> RequestBlueprint {
        RequestBlueprint(making(url)) {
            try self.transportRequest(to: url, method, headers, modifier: $0, encode: nil)
        }
    }

    func blueprint(
        _ url: some URLConvertible, _ method: HTTPMethod, _ headers: HTTPHeaders,
        _ parameters: (some Encodable & Sendable)?, _ encoder: (any ParameterEncoder)?
    ) -> RequestBlueprint {
        guard let parameters else { return blueprint(url, method, headers) }
        let encoder = self.encoder(encoder, for: method)
        return RequestBlueprint(encoder is any NonBlocking ? .plain : .blocking) {
            try self.transportRequest(to: url, method, headers, modifier: $0) {
                try encoder.encode(parameters, into: $0)
            }
        }
    }

    func blueprint(
        _ url: some URLConvertible, _ method: HTTPMethod, _ headers: HTTPHeaders, _ body: RequestBody
    ) -> RequestBlueprint {
        RequestBlueprint(body.isInMemory ? making(url) : .plain) {
            let request = try self.transportRequest(to: url, method, headers, modifier: $0, encode: nil)
            return try self.uploading(body, with: request)
        }
    }

    func blueprint(_ request: some URLRequestConvertible) -> RequestBlueprint {
        RequestBlueprint(.plain) { try self.transportRequest(from: request.asURLRequest(), modifier: $0) }
    }

    func blueprint(_ body: RequestBody, with request: some URLRequestConvertible) -> RequestBlueprint {
        RequestBlueprint(.plain) {
            try self.uploading(body, with: self.transportRequest(from: request.asURLRequest(), modifier: $0))
        }
    }

    /// Encodes the parameters now, since they must not leave the caller's actor.
    func blueprint(
        _ url: some URLConvertible, _ method: HTTPMethod, _ headers: HTTPHeaders, _ modifier: RequestModifier?,
        immediately parameters: some Encodable, _ encoder: (any ImmediateParameterEncoder)?
    ) -> RequestBlueprint {
        let made = Result { () throws(AsyncNetError) in
            try transportRequest(to: url, method, headers, modifier: modifier, immediately: parameters, encoder)
        }
        return RequestBlueprint(.instant) { _ in try made.get() }
    }
}

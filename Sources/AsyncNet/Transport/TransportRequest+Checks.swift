extension TransportRequest {
    /// Refuses an invalid URL, method, header or body.
    func check() throws(AsyncNetError) {
        _ = try head.url.checkedForHTTP()
        try head.validate()
        try body.check()
    }

    /// The request with the boundary of its form, if its body is a form, chosen and named in `Content-Type`.
    func settled() throws(AsyncNetError) -> TransportRequest {
        guard let form = try body.form?.settled() else { return self }
        var request = self
        request.body = .multipart(form)
        guard let own = head.headers["Content-Type"] else {
            request.head.headers.add(.contentType(form.contentType))
            return request
        }
        if let type = MediaType(own), type.type == "multipart", type.parameters["boundary"] == nil {
            request.head.headers.update(.contentType("\(own); \(form.boundaryParameter)"))
            return request
        }
        guard MediaType(own).map({ $0.type != "multipart" || $0.parameters["boundary"] == form.boundary }) == true
        else {
            throw AsyncNetError(
                .invalidRequest,
                "The request's Content-Type names another boundary than its form; give the form that boundary")
        }
        return request
    }
}

extension TransportRequest {
    func check() throws(AsyncNetError) {
        _ = try head.url.checkedForHTTP()
        try head.validate()
        try body.check()
    }

    /// The request with the `Content-Type` of a body that is JSON or a form. The form's boundary is chosen here.
    func settled() throws(AsyncNetError) -> TransportRequest {
        var request = self
        if body.isJSON, !head.headers.contains(name: "Content-Type") {
            request.head.headers.add(.contentType("application/json"))
        }
        guard let form = try body.form?.settled() else { return request }
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
                "The request's Content-Type is invalid, or has another boundary than its form: give both the same")
        }
        return request
    }
}

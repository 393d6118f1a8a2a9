import Foundation

extension RequestBody {
    /// The body with its secret fields redacted, in the parts of it that are in memory.
    ///
    /// - Parameter contentType: The value of `Content-Type`; `nil` if there is none.
    func redacted(by rule: RedactionRule, contentType: String?) -> RequestBody {
        switch content {
        case .data(let data): .data(rule.body(data, contentType: contentType))
        case .multipart(let form): .multipart(form.mapParts { $0.redacted(by: rule) })
        case .none, .file, .stream, .compressed: self
        }
    }

    /// How many bytes of the body are in memory.
    var bytesInMemory: Int {
        switch content {
        case .data(let data): data.count
        case .multipart(let form): form.parts.reduce(0) { $0 + $1.body.bytesInMemory }
        case .compressed(let body, _): body.bytesInMemory
        case .none, .file, .stream: 0
        }
    }
}

extension MultipartForm.Part {
    fileprivate func redacted(by rule: RedactionRule) -> MultipartForm.Part {
        let headers = HTTPHeaders(headers.map { HTTPHeader(name: $0.name, value: rule.value(of: $0)) })
        return MultipartForm.Part(name: name, fileName: fileName, headers: headers, body: redactedBody(by: rule))
    }

    private func redactedBody(by rule: RedactionRule) -> RequestBody {
        if let data = body.data,
            let replacement = rule.replacement(for: name, in: .formField, String(decoding: data, as: UTF8.self))
        {
            return .data(Data(replacement.utf8))
        }
        return body.redacted(by: rule, contentType: headers["Content-Type"] ?? "text/plain")
    }
}

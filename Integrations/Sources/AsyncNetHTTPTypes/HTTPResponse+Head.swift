public import AsyncNet
public import Foundation
public import HTTPTypes

extension HTTPResponse {
    /// The head of AsyncNet's response as swift-http-types has it, with the reason phrase if there was one.
    ///
    /// AsyncNet decodes the bodies of responses: `Content-Encoding` and `Content-Length` describe the body as it was
    /// sent.
    ///
    /// - Throws: `.badServerResponse` if the status is not between 100 and 999, or a header is invalid, see
    ///   `HTTPFields.init(_:)`. Responses of libcurl and URLSession are always valid.
    public init(_ head: HTTPResponseHead) throws(AsyncNetError) {
        guard 100...999 ~= head.statusCode else {
            throw AsyncNetError(.badServerResponse, "The status \(head.statusCode) is not between 100 and 999")
        }
        let fields = try HTTPFields(head.headers, otherwise: .badServerResponse)
        self.init(
            status: Status(code: head.statusCode, reasonPhrase: head.reasonPhrase ?? ""), headerFields: fields)
    }
}

extension HTTPResponseHead {
    /// A response of swift-http-types as AsyncNet's head, for transports and stubs that are made with those types.
    ///
    /// - Parameters:
    ///   - response: Status and fields.
    ///   - url: The URL of the response.
    ///   - httpVersion: The version, such as `HTTP/2`; `nil` if it is not known.
    /// - Throws: `.invalidRequest` if the bytes of a value are not UTF-8.
    public init(_ response: HTTPResponse, url: URL, httpVersion: String? = nil) throws(AsyncNetError) {
        let phrase = response.status.reasonPhrase
        self.init(
            statusCode: response.status.code, url: url, headers: try HTTPHeaders(response.headerFields),
            httpVersion: httpVersion, reasonPhrase: phrase.isEmpty ? nil : phrase)
    }
}

import AsyncNet
import Foundation

/// One request as the options describe it.
///
/// The URL is read when the request starts, so that a malformed one is the library's error and not a crash or a guess.
struct Call: Sendable {
    /// From 0, in the order of the URLs.
    let number: Int
    let text: String
    let method: HTTPMethod
    let headers: HTTPHeaders
    let body: RequestBody
    let credential: PasswordCredential?
    /// `nil` is standard output, as far as a terminal can show the body.
    let output: OutputArgument?
    /// Whether a part of the body is asked for, which is no reason to refuse a 206 response.
    let isRanged: Bool
    /// `-T`: a body that a server may want to refuse before it is sent.
    let isFile: Bool

    func request(on session: Session) async -> UploadRequest {
        let request = session.upload(body, to: text, method: method, headers: headers)
        if let credential { request.authenticate(with: credential) }
        return request
    }

    /// The URL without userinfo, query and fragment, which may be secret; `nil` if it is malformed.
    var place: String? {
        URL(string: text).map { String("\(HTTPRequestHead(method: .get, url: $0))".dropFirst("GET ".count)) }
    }

    /// Whether sending takes longer than receiving, as far as anyone can tell.
    var isUpload: Bool { body.length != 0 && body.replay == .once || (body.length ?? 0) > 0 }

    /// Whether there is no body, or one that downloads and streams can send.
    var hasSimpleBody: Bool { body.data != nil || body.length == nil && body.replay == .repeatable }
}

extension Call {
    /// What curl asks a server for before it sends much or an unknown length (RFC 9110 §10.1.1). Not over HTTPS, which
    /// may turn out to be HTTP/2, where curl does not ask.
    var expectingContinue: Call {
        let isLarge = body.length.map { $0 > 1 << 20 } ?? (body.replay == .once)
        guard isFile || isLarge, body.length != 0, !headers.contains(name: "Expect"),
            text.lowercased().hasPrefix("http://")
        else { return self }
        return Call(
            number: number, text: text, method: method,
            headers: HTTPHeaders(headers + [HTTPHeader(name: "Expect", value: "100-continue")]), body: body,
            credential: credential, output: output, isRanged: isRanged, isFile: isFile)
    }
}

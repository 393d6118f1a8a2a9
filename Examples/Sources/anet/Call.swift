import AsyncNet
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request as the options describe it.
///
/// The URL is read when the request starts, so that a malformed one is the library's error and not a crash or a guess.
struct Call: Sendable {
    let text: String
    let method: HTTPMethod
    let headers: HTTPHeaders
    let body: RequestBody
    let credential: Credential?

    func request(on session: Session) async -> UploadRequest {
        let request = session.upload(body, to: text, method: method, headers: headers)
        if let credential { await request.authenticate(with: credential) }
        return request
    }

    /// Whether sending takes longer than receiving, as far as anyone can tell.
    var isUpload: Bool { body.length != 0 && body.replay == .once || (body.length ?? 0) > 0 }
}

import Foundation

extension HTTPResponseHead {
    /// A name for the body as a file: from `Content-Disposition` (RFC 6266), else the URL's last component, else
    /// `download`.
    ///
    /// Of several lines of `Content-Disposition` the first that can be read counts: RFC 6266 allows one only, and a
    /// line that somebody adds on the way comes after it. It is safe on every platform, whatever the server says: never
    /// a path, hidden, reserved or empty, at most 255 bytes of UTF-8.
    public var suggestedFileName: String {
        let disposition = values(of: .contentDisposition).lazy.compactMap { ContentDisposition($0) }.first
        return FileName.suggested(by: disposition, url: url, mediaType: mediaType)
    }
}

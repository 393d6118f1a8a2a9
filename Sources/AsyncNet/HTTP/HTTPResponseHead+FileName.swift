import Foundation

extension HTTPResponseHead {
    /// A name for the body as a file: from `Content-Disposition` (RFC 6266), else the URL's last component, else `download`.
    ///
    /// It is safe on every platform, whatever the server says: never a path, hidden, reserved or empty, at most 255 bytes of UTF-8.
    public var suggestedFileName: String {
        FileName.suggested(by: value(for: "Content-Disposition").flatMap { ContentDisposition($0) }, url: url, mediaType: mediaType)
    }
}

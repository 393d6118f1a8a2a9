extension HTTPResponseHead {
    /// A file name for the body: from `Content-Disposition` (RFC 6266), else the URL's last component, else `download`.
    ///
    /// Safe on all platforms: never a path, hidden, reserved or empty, at most 255 bytes of UTF-8. The first valid
    /// `Content-Disposition` is used: RFC 6266 allows only one, and intermediaries append theirs.
    public var suggestedFileName: String {
        let disposition = values(of: .contentDisposition).lazy.compactMap { ContentDisposition($0) }.first
        return FileName.suggested(by: disposition, url: url, mediaType: mediaType)
    }
}

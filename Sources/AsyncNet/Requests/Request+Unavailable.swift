/// Calls as in other libraries, for which the compiler would otherwise only say that a property is no function.
extension Request {
    /// A handler of progress, as other libraries have it: loop over ``downloadProgress`` instead.
    @available(
        *, unavailable,
        message: "write 'for await progress in request.downloadProgress { }' while another task awaits the value"
    )
    public func downloadProgress(_ handler: (TransferProgress) -> Void) -> Self { self }

    /// A handler of progress, as other libraries have it: loop over ``uploadProgress`` instead.
    @available(
        *, unavailable,
        message: "write 'for await progress in request.uploadProgress { }' while another task awaits the value"
    )
    public func uploadProgress(_ handler: (TransferProgress) -> Void) -> Self { self }
}

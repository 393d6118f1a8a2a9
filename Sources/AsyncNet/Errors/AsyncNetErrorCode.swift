extension AsyncNetError {
    /// What went wrong, for programs.
    ///
    /// A struct with static members, so that new codes do not break a `switch`.
    public struct Code: Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// The code's stable name, with which every description of an error ends.
        public let rawValue: String
        package let summary: String
        let advice: String

        public var description: String { rawValue }

        private init(_ rawValue: String, _ summary: String, _ advice: String) {
            self.rawValue = rawValue
            self.summary = summary
            self.advice = advice
        }
    }
}

extension AsyncNetError.Code {
    /// The request was cancelled: with a task that awaited it, by `cancel()`, by ``Session/cancelAll()``, or by
    /// releasing what reads its body.
    public static let cancelled = Self(
        "cancelled", "The request was cancelled",
        "The awaiting task was cancelled, or cancel() or cancelAll() was called.")

    /// The URL is invalid, has no host, or has a host that a SOCKS proxy, `tlsForHosts` or a certificate cannot name;
    /// or a `URLTemplate` cannot be expanded.
    public static let malformedURL = Self(
        "malformedURL", "The URL is malformed",
        "A request needs an absolute URL such as https://example.com/path, or a session with a base URL.")

    /// The URL's scheme is neither `http` nor `https`.
    public static let unsupportedScheme = Self(
        "unsupportedScheme", "The URL's scheme is not supported",
        "Use http or https, or ws or wss for a WebSocket.")

    /// The call or the request contradicts itself or HTTP: for example a method or header that HTTP does not allow (RFC
    /// 9110 §5.5, §9.1), a `URLRequest` with an `httpBodyStream`, a download with a `Range` of its own, a download that
    /// is continued without resume data, a write after ``StreamConnection/finishWriting()``, or an invalid close code.
    /// The message says which.
    public static let invalidRequest = Self(
        "invalidRequest", "The request is not valid HTTP",
        "Correct what the message names. A method or header name has no space, a header value no line break.")

    /// Parameters, a JSON value, a form or a compressed body or message could not be encoded, or a `URLConvertible`, a
    /// `URLRequestConvertible` or a request modifier threw an error.
    public static let encodingFailed = Self(
        "encodingFailed", "The request could not be encoded",
        "See the message, and underlyingError if an encoder threw one.")

    /// A `RequestAdapter` threw the underlying error.
    public static let adaptationFailed = Self(
        "adaptationFailed", "An adapter could not prepare the request",
        "See underlyingError for the adapter's error.")

    /// An `AuthenticationInterceptor` has no credential for the request.
    public static let missingCredential = Self(
        "missingCredential", "There is no credential to authenticate the request with",
        "Log in, and set the new credential with the AuthenticationInterceptor's setCredential.")

    /// An expired credential could not be refreshed; the `Authenticator` threw the underlying error.
    public static let refreshFailed = Self(
        "refreshFailed", "The credential to authenticate the request with could not be refreshed",
        "See underlyingError for the authenticator's error. If the server rejects the credential, log in again.")

    /// A credential would have to be refreshed more often than its `RefreshWindow` allows.
    public static let excessiveRefresh = Self(
        "excessiveRefresh", "The credential was refreshed too often",
        "The server rejects new credentials too, or they expire at once. Check its response and this machine's clock.")

    /// A file does not exist, is not readable, or is not a regular file: a file of the body, a downloaded file that is
    /// serialized, a stored response's, a cookie jar's or a HAR recorder's. The underlying error is the system's.
    public static let fileNotReadable = Self(
        "fileNotReadable", "A file to send cannot be read",
        "Check that it exists, that this program may read it, and that it is a regular file; send a pipe as a stream.")

    /// A file of the body was modified, truncated or replaced while it was sent.
    public static let fileChanged = Self(
        "fileChanged", "A file changed while it was sent",
        "Send a copy that no other program modifies, or send a growing file as a stream of unknown length.")

    /// The sequence or `InputStream` of a body failed, with the underlying error if it threw one, or would have to be
    /// read a second time.
    public static let bodyStreamFailed = Self(
        "bodyStreamFailed", "The stream of the request's body failed",
        "See the message, and underlyingError if the stream threw one; a stream can be sent only once.")

    /// A body's stream has more or fewer bytes than the length that the caller gave.
    public static let bodyLengthMismatch = Self(
        "bodyLengthMismatch", "The request's body does not have the given length",
        "Give the correct length, or nil if it is unknown.")

    /// A temporary file for a request's or a response's body, which URLSession may need, could not be written or read;
    /// the underlying error is the system's.
    public static let temporaryFileFailed = Self(
        "temporaryFileFailed", "A temporary file for a body could not be written",
        "Check the free space for temporary files, or use a transport that streams: .sockets().")

    /// zlib, which compresses request bodies, is not installed.
    public static let compressionUnavailable = Self(
        "compressionUnavailable", "Request bodies cannot be compressed on this machine",
        "Install zlib (libz.so.1), or send the body without compression.")

    /// ``Session/finish()`` was called before the request started, or while its WebSocket or raw stream was open.
    public static let sessionFinished = Self(
        "sessionFinished", "The session is finished and starts no more requests",
        "Keep the session while requests are made, or create another one.")

    /// The request's deadline passed, or would pass before it may be sent.
    public static let deadlineExceeded = Self(
        "deadlineExceeded", "The request's deadline passed",
        "All attempts and the delays between them count. Allow more time, or make fewer requests at once.")

    /// The request may only use a stored response, and the session's cache has none. It was not sent.
    public static let notCached = Self(
        "notCached", "The cache has no response to the request",
        "Allow the request to be sent: with CacheMode.preferCache it is sent if nothing is stored.")

    /// A `CircuitBreaker` refused the request, since too many requests to its origin failed.
    public static let circuitOpen = Self(
        "circuitOpen", "Requests to the origin failed too often",
        "The errors before this one show why. Try again later, or allow more failures with CircuitBreaker.")

    /// No address of the host was found: the lookup failed, the name has no address of a wanted IP version, or an IPv6
    /// address has a zone that this machine does not have.
    public static let hostNotFound = Self(
        "hostNotFound", "The host was not found",
        "The name is misspelt, or no name server responds. Check the host's spelling and the network.")

    /// The host refused the connection or could not be reached, or the system refused a setting of the connection, such
    /// as the local interface.
    public static let cannotConnect = Self(
        "cannotConnect", "The host could not be connected to",
        "Check host and port, that the server runs, and that no firewall is in the way.")

    /// The server closed the connection without a response.
    public static let emptyReply = Self(
        "emptyReply", "The server closed the connection without a response",
        "It may have crashed or use another protocol on that port. Check its log; retry if the request is idempotent.")

    /// The connection of a request, WebSocket or raw stream was lost, or a kept connection ended before the response to
    /// a request that must not be sent twice.
    public static let connectionLost = Self(
        "connectionLost", "The connection was lost",
        "The server or the network closed the connection. Retry if the request is idempotent.")

    /// The connection ended before the complete body was received, or a body, or the file of a download, has fewer
    /// bytes than the server announced.
    public static let bodyEndedEarly = Self(
        "bodyEndedEarly", "The response body ended early",
        "The server closed the connection before the end of the body. Retry if the request is idempotent.")

    /// The request made no progress for the time of the timeout: no byte of a body and no whole head was sent or
    /// received. A head that trickles is no progress. Or an attempt took longer than its ``RetryPolicy`` allows, the
    /// connection was not made within the transport's limit, or the server answered none of a WebSocket's pings. The
    /// message says which.
    public static let timedOut = Self(
        "timedOut", "The request timed out",
        "The server was too slow. Retry, or allow more time with the limit that the message names.")

    /// The next event of a stream did not arrive in time, see
    /// ``StreamRequest/serverSentEvents(reconnection:contentTypes:maximumLength:firstEventTimeout:eventTimeout:)``.
    public static let eventTimedOut = Self(
        "eventTimedOut", "The next event did not arrive in time",
        "The connection may be open; comments are no events. Send again, or raise firstEventTimeout or eventTimeout.")

    /// The response is not valid HTTP, is longer than its `Content-Range`, has another range than the requested one, or
    /// exceeds a limit of the transport for heads, trailers and the like.
    public static let badServerResponse = Self(
        "badServerResponse", "The server's response is not valid HTTP",
        "Check that the port speaks HTTP and that the server's status line and headers are well-formed.")

    /// The body is larger than `maximumBodySize`.
    public static let bodyTooLarge = Self(
        "bodyTooLarge", "The response's body is larger than the limit",
        "Raise maximumBodySize if a response may be so large. A small one that decodes to a huge one may be an attack.")

    /// A file could not be written: a download's, a form's, a cookie jar's, a cache's, a HAR recorder's or a recording's.
    /// The underlying error is the system's if the system refused it.
    public static let fileNotWritable = Self(
        "fileNotWritable", "A file could not be written",
        "Check that the folder exists and is writable, that the disk has space, and whether the file exists already.")

    /// A download does not match its checksum.
    public static let checksumMismatch = Self(
        "checksumMismatch", "A download's checksum is wrong",
        "The file was removed. Download it again; if that fails too, the checksum or the server's file is wrong.")

    /// The caller read a response too slowly, over a transport that cannot pause, and more bytes than the limit were
    /// buffered.
    public static let readerTooSlow = Self(
        "readerTooSlow", "The response's body is read more slowly than it is received",
        "Read faster, raise URLSessionTransport.Configuration's limit, or use a transport that pauses: .sockets().")

    /// A response's stream was read before, and its bytes are not kept.
    public static let bodyAlreadyRead = Self(
        "bodyAlreadyRead", "The response's body has been read already",
        "Read a stream in one loop only, or send the request again.")

    /// The body is not valid in its `Content-Encoding`, or the library for the coding was not found.
    public static let badContentEncoding = Self(
        "badContentEncoding", "The response's body is not valid in its Content-Encoding",
        "The server compressed it wrongly. Send Accept-Encoding: identity, which also delivers the bytes as sent.")

    /// The TLS handshake failed.
    public static let tlsHandshakeFailed = Self(
        "tlsHandshakeFailed", "The TLS handshake failed",
        "The port may not use TLS, versions and ciphers may not match, or a client certificate may be required.")

    /// The server's certificate is not signed by an authority that the settings trust, a revocation list that the
    /// settings require is missing, out of date or not valid, or the settings refuse the host, see
    /// ``TLSConfiguration/refused``.
    public static let certificateNotTrusted = Self(
        "certificateNotTrusted", "The server's certificate is not trusted",
        "It is self-signed, or its authority is unknown to this machine. Install the authority's certificate.")

    /// The server's certificate has expired, or is not valid yet.
    public static let certificateExpired = Self(
        "certificateExpired", "The server's certificate is out of date",
        "Check this machine's clock; otherwise the server needs a new certificate.")

    /// The server's certificate is not for this host.
    public static let certificateHostMismatch = Self(
        "certificateHostMismatch", "The server's certificate is for another host",
        "Check the host in the URL; it must be a name that the certificate contains.")

    /// The server's public key is not one of the pinned keys.
    public static let certificatePinMismatch = Self(
        "certificatePinMismatch", "The server's public key is not one of the pinned ones",
        "The server has a new key, or the connection is intercepted. Compare the key, and pin it if it is genuine.")

    /// The server's certificate is revoked, by ``TLSConfiguration/revocationLists`` or its stapled status, or the
    /// server did not prove otherwise, as ``TLSConfiguration/requiresStapledStatus`` demands.
    public static let certificateRevoked = Self(
        "certificateRevoked", "The server's certificate is revoked, or the server does not prove that it is not",
        "The server needs a new certificate, or must staple a valid OCSP response. Check its settings and its clock.")

    /// The client's certificate or key cannot be used.
    public static let clientCertificateInvalid = Self(
        "clientCertificateInvalid", "The client's certificate or key cannot be used",
        "Check that both can be read, that the key belongs to the certificate, and that the password is correct.")

    /// The request's or the transport's `AddressPolicy` does not allow the host's address. Nothing was sent, and no
    /// policy of this library tries again.
    public static let addressNotAllowed = Self(
        "addressNotAllowed", "The host's address is not allowed",
        "See SessionConfiguration.addresses; AddressPolicy.allowing makes exceptions, as for a service of your own.")

    /// The proxy's name has no address.
    public static let proxyNotFound = Self(
        "proxyNotFound", "The proxy was not found",
        "Check the spelling of the proxy's host.")

    /// The proxy refused to connect to the host, or its response was not valid or did not arrive. `statusCode` is the
    /// status of an HTTP proxy's response to CONNECT (RFC 9110 §9.3.6), where the transport shows it. With 400 to 499,
    /// such as 407 for a wrong password, no policy of this library sends the request again.
    public static let proxyFailed = Self(
        "proxyFailed", "The proxy refused to connect to the host",
        "Check the proxy's user and password, and whether it may reach that host and port.")

    /// There were more redirects than the limit, or they form a loop.
    public static let tooManyRedirects = Self(
        "tooManyRedirects", "There were too many redirects",
        "The server's redirects form a loop, or the limit, SessionConfiguration.maximumRedirects, is too low.")

    /// A redirect cannot or must not be followed: its target is not an HTTP URL, it leads from https to http and the
    /// handler does not allow that, the handler's closure failed, or the request's body, which must be sent again, can
    /// be sent only once.
    public static let redirectFailed = Self(
        "redirectFailed", "A redirect could not be followed",
        "Check the Location header that the server sent.")

    /// The next page cannot or must not be requested: it was requested before, its URL is not valid, or its rule threw
    /// the underlying error.
    public static let pagingFailed = Self(
        "pagingFailed", "The next page could not be requested",
        "Check the link to the next page that the server sent; prefix(_:) limits the number of pages.")

    /// The transport does not support the request or one of the transport's settings, on this platform or on any.
    public static let unsupportedByTransport = Self(
        "unsupportedByTransport", "The transport does not support the request",
        "Use another transport for this request, or change the request.")

    /// Settings of the transport, of an `AddressPolicy`, of ``Endpoints`` or of a stream are invalid, contradict each
    /// other or cannot be read.
    public static let invalidConfiguration = Self(
        "invalidConfiguration", "The configuration of the transport or stream is not valid",
        "Correct the setting that the message names.")

    /// A library that the transport needs, OpenSSL or libcurl, is not available on this machine.
    public static let transportUnavailable = Self(
        "transportUnavailable", "A library that the transport needs is not available on this machine",
        "Install what the message names: OpenSSL 3 or 1.1.1, or for LibcurlTransport libcurl 7.66 or newer.")

    /// The server's response to the handshake of a WebSocket does not accept it, or is not valid (RFC 6455 §4.1).
    public static let webSocketHandshakeFailed = Self(
        "webSocketHandshakeFailed", "The server did not open a WebSocket",
        "Check that the URL is a WebSocket's, and that each proxy passes Upgrade on. See response for the status.")

    /// The server sent invalid frames or compressed bytes, or a text that is not UTF-8 (RFC 6455).
    public static let webSocketProtocolViolated = Self(
        "webSocketProtocolViolated", "The server violated the protocol of WebSocket",
        "The connection was closed. If only compressed messages fail, switch the compression off.")

    /// A message or frame of a WebSocket is larger than the limit.
    public static let webSocketMessageTooLarge = Self(
        "webSocketMessageTooLarge", "A message of the WebSocket is larger than the limit",
        "Raise maximumMessageSize and maximumFrameSize. A small frame that inflates to a huge one may be an attack.")

    /// The WebSocket is closed. A call that sends ends with this code, and so does a loop over the messages if the
    /// server closed the WebSocket with another code than 1000, 1001 or none.
    public static let webSocketClosed = Self(
        "webSocketClosed", "The WebSocket is closed",
        "See closeCode and closeReason of the WebSocket for what the server said; open another one to go on.")

    /// The transport failed for a reason without a code of its own; see the underlying error.
    public static let transportFailed = Self(
        "transportFailed", "The transport failed",
        "See underlyingError.")

    /// The response's status is not acceptable: to a validator, to a stream of events or a download, or to a retrier
    /// that ended the request.
    public static let unacceptableStatus = Self(
        "unacceptableStatus", "The response's status is not acceptable",
        "The response's body often says why; see the response's data.")

    /// The response's media type is not acceptable to a validator or to a stream of events.
    public static let unacceptableContentType = Self(
        "unacceptableContentType", "The response's Content-Type is not acceptable",
        "Check the URL and the Accept header; proxies and log-in pages respond with HTML.")

    /// A validator of the user's threw the underlying error.
    public static let validationFailed = Self(
        "validationFailed", "A validator refused the response",
        "See underlyingError.")

    /// The response has no body, and the value needs one.
    public static let emptyBody = Self(
        "emptyBody", "The response has no body",
        "Serialize NoContent, Data or an EmptyResponse type if the server may send no body.")

    /// The body could not be decoded as the requested value.
    public static let decodingFailed = Self(
        "decodingFailed", "The response body could not be decoded",
        "Compare what was received (the error's data, if it has any) with what the type expects.")

    /// A line, item or event of a streamed response is longer than the limit.
    public static let lineTooLong = Self(
        "lineTooLong", "A line of the response is too long",
        "Check that it is lines, items or events, or raise maximumLength of lines, decoding or serverSentEvents.")

    /// All codes.
    public static let allCases: [Self] = [
        .cancelled, .malformedURL, .unsupportedScheme, .invalidRequest, .encodingFailed, .adaptationFailed,
        .missingCredential, .refreshFailed, .excessiveRefresh, .fileNotReadable, .fileChanged, .bodyStreamFailed,
        .bodyLengthMismatch, .temporaryFileFailed, .compressionUnavailable, .sessionFinished, .circuitOpen, .notCached,
        .hostNotFound, .cannotConnect, .emptyReply, .connectionLost, .bodyEndedEarly, .timedOut, .eventTimedOut,
        .deadlineExceeded, .badServerResponse, .bodyTooLarge, .fileNotWritable, .checksumMismatch, .readerTooSlow,
        .bodyAlreadyRead, .badContentEncoding, .tlsHandshakeFailed, .certificateNotTrusted, .certificateExpired,
        .certificateHostMismatch, .certificatePinMismatch, .certificateRevoked, .clientCertificateInvalid,
        .addressNotAllowed, .proxyNotFound, .proxyFailed, .tooManyRedirects, .redirectFailed, .pagingFailed,
        .unsupportedByTransport, .invalidConfiguration, .transportUnavailable, .webSocketHandshakeFailed,
        .webSocketProtocolViolated, .webSocketMessageTooLarge, .webSocketClosed, .transportFailed, .unacceptableStatus,
        .unacceptableContentType, .validationFailed, .emptyBody, .decodingFailed, .lineTooLong,
    ]
}

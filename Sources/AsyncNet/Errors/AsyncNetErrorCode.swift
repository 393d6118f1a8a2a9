extension AsyncNetError {
    /// What went wrong, for programs to branch on.
    ///
    /// A struct with static members, so that codes can be added without breaking a `switch`.
    public struct Code: Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// The code's stable name, as it stands at the end of every error description.
        public let rawValue: String
        let summary: String
        let advice: String

        public var description: String { rawValue }

        public static func == (one: Code, other: Code) -> Bool { one.rawValue == other.rawValue }
        public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

        private init(_ rawValue: String, _ summary: String, _ advice: String) {
            self.rawValue = rawValue
            self.summary = summary
            self.advice = advice
        }
    }
}

// MARK: - Before anything is sent

extension AsyncNetError.Code {
    /// The request was cancelled: by its task, by `cancel()`, or with its session.
    public static let cancelled = Self(
        "cancelled", "The request was cancelled",
        "The task that awaited it, cancel() or cancelAll() ended it; nothing is wrong with the server.")

    /// What was given as URL is none, or has no host.
    public static let malformedURL = Self(
        "malformedURL", "The URL is malformed",
        "A request needs an absolute URL such as https://example.com/path, or a session with a base URL.")

    /// The URL's scheme is neither `http` nor `https`.
    public static let unsupportedScheme = Self(
        "unsupportedScheme", "The URL's scheme is not supported",
        "Use http or https.")

    /// A method or header that HTTP does not allow (RFC 9110 §5.5, §9.1), or a body where the transport cannot send
    /// one.
    public static let invalidRequest = Self(
        "invalidRequest", "The request is not valid HTTP",
        "Check method, header names and header values for spaces, line breaks and control characters.")

    /// The parameters could not be turned into a body, or a `URLRequestConvertible` or request modifier threw.
    public static let encodingFailed = Self(
        "encodingFailed", "The request could not be encoded",
        "See underlyingError for what the encoder refused.")

    /// A `RequestAdapter` threw; its error is the underlying one.
    public static let adaptationFailed = Self(
        "adaptationFailed", "An adapter could not prepare the request",
        "See underlyingError for what the adapter threw.")

    /// An `AuthenticationInterceptor` has no credential to send the request with.
    public static let missingCredential = Self(
        "missingCredential", "There is no credential to authenticate the request with",
        "Log in and give the AuthenticationInterceptor what that brings, with setCredential.")

    /// An expired credential could not be refreshed; what the `Authenticator` threw is the underlying error.
    public static let refreshFailed = Self(
        "refreshFailed", "The credential to authenticate the request with could not be refreshed",
        "See underlyingError for what the authenticator threw. If the server no longer takes the credential, log in again."
    )

    /// A credential would be refreshed more often than its `RefreshWindow` allows; this time it was not.
    public static let excessiveRefresh = Self(
        "excessiveRefresh", "The credential was refreshed too often",
        "The server refuses new credentials too, or they expire at once. Check what it says in the response, and this machine's time."
    )

    /// A file of the body does not exist, may not be read, or is not a regular one; the underlying error is the
    /// system's.
    public static let fileNotReadable = Self(
        "fileNotReadable", "A file to send cannot be read",
        "Check that it exists, that this program may read it, and that it is a regular file; send a pipe as a stream.")

    /// A file of the body was written to, cut or replaced between the moment it was measured and its last byte.
    public static let fileChanged = Self(
        "fileChanged", "A file changed while it was sent",
        "Send a copy that nobody writes to, or send what grows as a stream of unknown length.")

    /// The sequence that gives the body threw, or was to be read a second time; what it threw is the underlying error.
    public static let bodyStreamFailed = Self(
        "bodyStreamFailed", "The stream that gives the request's body failed",
        "See underlyingError for what it threw; a stream can be sent once only.")

    /// A stream gave more or fewer bytes than its length says.
    public static let bodyLengthMismatch = Self(
        "bodyLengthMismatch", "The request's body is not as long as was said",
        "Give the right length, or nil if it is not known.")

    /// A temporary file, needed because the transport cannot stream, could not be written; the underlying error is the
    /// system's.
    public static let temporaryFileFailed = Self(
        "temporaryFileFailed", "A temporary file for a body could not be written",
        "Check the free space of the folder for temporary files, or use a transport that streams, such as .libcurl().")

    /// zlib, which compresses request bodies, is not on this machine.
    public static let compressionUnavailable = Self(
        "compressionUnavailable", "Request bodies cannot be compressed on this machine",
        "Install zlib (libz.so.1), or send the body as it is.")

    /// The session was told to `finish()`; it starts no more requests.
    public static let sessionFinished = Self(
        "sessionFinished", "The session is finished and starts no more requests",
        "Keep the session for as long as requests are made, or make a new one.")

    /// The request's deadline passed, or would pass before it may be sent.
    public static let deadlineExceeded = Self(
        "deadlineExceeded", "The request's deadline passed",
        "All attempts and the waits between them count. Allow more time, or make fewer requests at once.")

    /// A `CircuitBreaker` leaves the host alone, since too many requests to it failed; this one was not sent.
    public static let circuitOpen = Self(
        "circuitOpen", "Requests to the host failed too often",
        "The host has trouble, which is seen in the errors before this one. Try again later, or allow more failures with CircuitBreaker."
    )
}

// MARK: - While bytes move

extension AsyncNetError.Code {
    /// The host's name has no address.
    public static let hostNotFound = Self(
        "hostNotFound", "The host was not found",
        "The name is misspelt, or no name server answers. Check the host's spelling and the network.")

    /// The host refused the connection, or could not be reached.
    public static let cannotConnect = Self(
        "cannotConnect", "The host could not be connected to",
        "Nothing listens on that port, or a firewall is in the way. Check host and port, and that the server runs.")

    /// The server closed a connection without answering.
    public static let emptyReply = Self(
        "emptyReply", "The server closed the connection without an answer",
        "It may have crashed or speak another protocol on that port. Check its log; retry if the request is safe to repeat."
    )

    /// The connection broke while a request or response was on it.
    public static let connectionLost = Self(
        "connectionLost", "The connection was lost",
        "The server or the network dropped it. Retry if the request is safe to repeat.")

    /// The connection ended before the whole body had arrived.
    public static let bodyEndedEarly = Self(
        "bodyEndedEarly", "The response body ended early",
        "The server closed the connection before it had sent what it had announced. Retry if the request is safe to repeat."
    )

    /// Nothing was received or sent for as long as the timeout.
    public static let timedOut = Self(
        "timedOut", "The request timed out",
        "The server was silent for too long. Retry, or allow more time with a larger timeout.")

    /// What the server sent is not HTTP.
    public static let badServerResponse = Self(
        "badServerResponse", "The server's answer is not valid HTTP",
        "Check that the port speaks HTTP and that the server's status line and headers are well-formed.")

    /// The body is larger than `maximumBodySize`.
    public static let bodyTooLarge = Self(
        "bodyTooLarge", "The response's body is larger than is allowed",
        "Allow more with maximumBodySize, or download it to a file; a small response that decodes to a huge one may be an attack."
    )

    /// A download could not be written to its place; the underlying error is the system's.
    public static let fileNotWritable = Self(
        "fileNotWritable", "A file could not be written",
        "Check that the folder exists and may be written to, that the disk has room, and whether a file of that name is there already."
    )

    /// A download is not the file that its checksum says.
    public static let checksumMismatch = Self(
        "checksumMismatch", "A download's checksum is wrong",
        "The file was removed. Download it again; if that does not help, the checksum or the file on the server is wrong."
    )

    /// A stream was not read as fast as it came, over a transport that cannot pause, beyond what may be kept.
    public static let readerTooSlow = Self(
        "readerTooSlow", "The response's body is not read as fast as it comes",
        "Read faster, allow more with URLSessionTransport.Configuration, or use a transport that pauses, such as .libcurl()."
    )

    /// A stream was read before; its bytes are gone.
    public static let bodyAlreadyRead = Self(
        "bodyAlreadyRead", "The response's body has been read already",
        "Read a stream in one loop only, or make the request again.")

    /// The body cannot be decoded as its `Content-Encoding` says.
    public static let badContentEncoding = Self(
        "badContentEncoding", "The response body does not fit its Content-Encoding",
        "The server compressed it wrongly or in an unknown way. Ask for the plain body with Accept-Encoding: identity.")

    /// TLS could not be agreed upon.
    public static let tlsHandshakeFailed = Self(
        "tlsHandshakeFailed", "The TLS handshake failed",
        "The server may not speak TLS on that port, share no version or cipher with this client, or want a client certificate."
    )

    /// The server's certificate is not signed by anyone this machine trusts.
    public static let certificateNotTrusted = Self(
        "certificateNotTrusted", "The server's certificate is not trusted",
        "It is self-signed or its authority is unknown here. Install the authority's certificate.")

    /// The server's certificate has expired, or is not valid yet.
    public static let certificateExpired = Self(
        "certificateExpired", "The server's certificate is out of date",
        "Check this machine's clock; otherwise the server needs a new certificate.")

    /// The server's certificate names another host.
    public static let certificateHostMismatch = Self(
        "certificateHostMismatch", "The server's certificate is for another host",
        "Check the host in the URL; the name must be one that the certificate lists.")

    /// The server's public key is none of those that the transport was given.
    public static let certificatePinMismatch = Self(
        "certificatePinMismatch", "The server's public key is not one of the pinned ones",
        "The server has a new key, or somebody is in between. Compare the key with the pins; add the new one if it is right."
    )

    /// The client's own certificate or key cannot be used.
    public static let clientCertificateInvalid = Self(
        "clientCertificateInvalid", "The client's certificate or key cannot be used",
        "Check that both are PEM, that the key belongs to the certificate, and the key's password.")

    /// The proxy's name has no address.
    public static let proxyNotFound = Self(
        "proxyNotFound", "The proxy was not found",
        "Check the spelling of the proxy's host.")

    /// The proxy did not let the request through.
    public static let proxyFailed = Self(
        "proxyFailed", "The proxy refused to connect to the host",
        "Check the proxy's user and password, and whether it may reach that host and port.")

    /// More redirects than are allowed, or a circle of them.
    public static let tooManyRedirects = Self(
        "tooManyRedirects", "There were too many redirects",
        "The server sends clients in a circle, or the limit is too low.")

    /// A redirect that cannot or must not be followed: its target is no HTTP URL, or its body cannot be sent again.
    public static let redirectFailed = Self(
        "redirectFailed", "A redirect could not be followed",
        "Check the Location header that the server sent.")

    /// The request needs what this transport cannot do on this platform.
    public static let unsupportedByTransport = Self(
        "unsupportedByTransport", "The transport cannot do what the request needs",
        "Use another transport for this request, or change the request.")

    /// The transport was given settings that contradict themselves or cannot be read.
    public static let invalidConfiguration = Self(
        "invalidConfiguration", "The transport's configuration is not valid",
        "Correct the setting that the message names.")

    /// The transport is not there on this machine.
    public static let transportUnavailable = Self(
        "transportUnavailable", "The transport is not available on this machine",
        "Install libcurl 7.66 or newer, or use .automatic or .urlSession.")

    /// The transport failed in a way that has no code of its own; the underlying error says more.
    public static let transportFailed = Self(
        "transportFailed", "The transport failed",
        "See underlyingError.")
}

// MARK: - After the response

extension AsyncNetError.Code {
    /// The response's status is not among the accepted ones.
    public static let unacceptableStatus = Self(
        "unacceptableStatus", "The response's status is not acceptable",
        "The response's body often says why; see the response's data.")

    /// The response's media type is not among the accepted ones.
    public static let unacceptableContentType = Self(
        "unacceptableContentType", "The response's Content-Type is not acceptable",
        "Check the URL and the Accept header; proxies and log-in pages answer in HTML.")

    /// A validator of one's own threw; its error is the underlying one.
    public static let validationFailed = Self(
        "validationFailed", "A validator refused the response",
        "See underlyingError.")

    /// The response has no body where one is needed.
    public static let emptyBody = Self(
        "emptyBody", "The response has no body",
        "Serialize Empty, Data or an EmptyResponse type where the server may send nothing.")

    /// The body could not be turned into the value asked for.
    public static let decodingFailed = Self(
        "decodingFailed", "The response body could not be decoded",
        "Compare the body, in the response's data, with what the type expects.")

    /// A line, item or event of a streamed response is longer than the limit allows.
    public static let lineTooLong = Self(
        "lineTooLong", "A line of the response is too long",
        "Check that the response has lines, items or events at all; raise the limit if they are rightly that long.")

    public static let allCases: [Self] = [
        .cancelled, .malformedURL, .unsupportedScheme, .invalidRequest, .encodingFailed, .adaptationFailed,
        .missingCredential, .refreshFailed, .excessiveRefresh, .fileNotReadable, .fileChanged, .bodyStreamFailed,
        .bodyLengthMismatch, .temporaryFileFailed, .compressionUnavailable, .sessionFinished, .circuitOpen,
        .hostNotFound, .cannotConnect, .emptyReply, .connectionLost, .bodyEndedEarly, .timedOut, .deadlineExceeded,
        .badServerResponse, .bodyTooLarge, .fileNotWritable, .checksumMismatch, .readerTooSlow, .bodyAlreadyRead,
        .badContentEncoding, .tlsHandshakeFailed, .certificateNotTrusted,
        .certificateExpired, .certificateHostMismatch, .certificatePinMismatch, .clientCertificateInvalid,
        .proxyNotFound,
        .proxyFailed, .tooManyRedirects, .redirectFailed, .unsupportedByTransport, .invalidConfiguration,
        .transportUnavailable,
        .transportFailed,
        .unacceptableStatus, .unacceptableContentType, .validationFailed, .emptyBody, .decodingFailed, .lineTooLong,
    ]
}

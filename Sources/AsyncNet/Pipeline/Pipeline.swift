/// The stations that a request passes between its start and its outcome.
enum Pipeline {
    /// The list, in order: each station calls the next one, and the last one calls the transport.
    ///
    /// To add a station, write its type in a file of its own, and put it here.
    static var stations: some Station {
        Deadline( // ends the request when its time is over
            Attempts( // adapters before each attempt, retriers after it
                Sharing( // one transfer for equal requests; several for a request that is hedged
                    // An HTTP cache (RFC 9111) belongs here: above it requests are shared, below it they cost permits.
                    Admission( // circuit breaker, rate, permit
                        AttemptLimits( // silence, and the time that one attempt may take
                            Hops()))))) // cookies, credentials, redirects; each hop over the transport
    }
}

/// A step on the way of a request: it has the response delivered, through the next station or without it.
protocol Station: Sendable {
    /// Returns once the response has been delivered to the sink of the attempt's run.
    func send(_ request: TransportRequest, in attempt: Attempt) async throws -> Next
}

/// What follows the delivery of a response.
enum Next: Sendable {
    /// The request has its response.
    case done
    /// Another attempt.
    case again(after: Duration)
    /// The request ends with this error; retriers are not asked.
    case fail(AsyncNetError)
}

/// One attempt of a run: what all stations know of it.
struct Attempt: Sendable {
    let run: RequestRun
    /// From 1; 0 before the first attempt. An attempt that ends before it is sent has a number too.
    var number = 0
    /// The validators that there were when the attempt began.
    var validators: [Validator] = []
    /// What answers a 401 of its origin.
    var credential: OriginCredential?
}

/// A credential, and the only origin that it is sent to.
struct OriginCredential: Sendable {
    let credential: Credential
    let origin: String
}

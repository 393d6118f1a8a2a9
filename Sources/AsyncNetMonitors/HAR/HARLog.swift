import AsyncNet

/// A file in the HTTP Archive format, HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/). Reading ignores fields
/// that this model does not have.
package struct HARFile: Codable, Sendable {
    package var log: HARLog

    package init(log: HARLog) { self.log = log }
}

package struct HARLog: Codable, Sendable {
    package var version = "1.2"
    package var creator: HARCreator
    package var entries: [HAREntry]
    package var comment: String?

    package init(creator: HARCreator = .asyncNet, entries: [HAREntry] = [], comment: String? = nil) {
        (self.creator, self.entries, self.comment) = (creator, entries, comment)
    }
}

package struct HARCreator: Codable, Sendable, Hashable {
    package var name: String
    package var version: String

    package init(name: String, version: String) { (self.name, self.version) = (name, version) }

    package static let asyncNet = HARCreator(name: "AsyncNet", version: Platform.libraryVersion)
}

/// One exchange of a request and a response. Fields whose names begin with an underscore are AsyncNet's.
package struct HAREntry: Codable, Sendable {
    /// The start of the exchange: ISO 8601, with milliseconds.
    package var startedDateTime: String
    /// The sum of the timings without `ssl`, in milliseconds.
    package var time: Double
    package var request: HARRequest
    package var response: HARResponse
    package var cache = HARCache()
    package var timings: HARTimings
    package var serverIPAddress: String?
    /// The TCP port of the server or the proxy.
    package var connection: String?
    package var comment: String?
    /// The request that the exchange belongs to; exchanges of one request have the same number.
    package var requestID: String?
    package var attempt: Int?
    package var hop: Int?
    /// Why the exchange failed, or why its response was refused.
    package var error: String?
    package var isConnectionReused: Bool?

    package enum CodingKeys: String, CodingKey {
        case startedDateTime, time, request, response, cache, timings, serverIPAddress, connection, comment
        case requestID = "_requestID"
        case attempt = "_attempt"
        case hop = "_hop"
        case error = "_error"
        case isConnectionReused = "_connectionReused"
    }

    package init(
        startedDateTime: String, request: HARRequest, response: HARResponse, timings: HARTimings
    ) {
        (self.startedDateTime, self.request, self.response) = (startedDateTime, request, response)
        (self.timings, time) = (timings, timings.sum)
    }
}

/// The cache of HAR 1.2; AsyncNet writes no values into it.
package struct HARCache: Codable, Sendable, Hashable {
    package init() {}
}

/// Times in milliseconds; -1 for a phase that the exchange does not have.
package struct HARTimings: Codable, Sendable, Hashable {
    package var blocked: Double?
    package var dns: Double?
    package var connect: Double?
    /// The TLS handshake, which is a part of `connect`.
    package var ssl: Double?
    package var send: Double
    package var wait: Double
    package var receive: Double

    package init(
        blocked: Double? = -1, dns: Double? = -1, connect: Double? = -1, ssl: Double? = -1, send: Double = 0,
        wait: Double = 0, receive: Double = 0
    ) {
        (self.blocked, self.dns, self.connect, self.ssl) = (blocked, dns, connect, ssl)
        (self.send, self.wait, self.receive) = (send, wait, receive)
    }

    /// The sum of all phases but `ssl`, which `connect` includes; rounded to microseconds.
    package var sum: Double {
        let parts = [blocked, dns, connect, send, wait, receive].compactMap(\.self).filter { $0 > 0 }
        return (parts.reduce(0, +) * 1000).rounded() / 1000
    }
}

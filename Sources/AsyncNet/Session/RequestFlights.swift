/// What a request asks for: everything that is sent, and what decides where credentials and redirects lead.
struct FlightKey: Hashable {
    let method: HTTPMethod
    let url: String
    let headers: HTTPHeaders
    let credential: Credential?
    let bodyLimit: Int64?
    let timeouts: [Duration?]
    let allowsInsecure: Bool
    let confidentialHeaders: [String]
}

/// Requests on their way that others may share, by what they ask for.
final class RequestFlights: Sendable {
    private let requests = Locked<[FlightKey: DataRequest]>([:])

    /// The request that is on its way already, or the new one.
    func join(_ key: FlightKey, _ make: () -> DataRequest) -> DataRequest {
        requests.withLock { requests in
            if let running = requests[key] { return running }
            let request = make()
            requests[key] = request
            return request
        }
    }

    var all: [DataRequest] { requests.withLock { Array($0.values) } }

    /// It has its outcome: who comes now sends anew.
    func leave(_ key: FlightKey, _ request: DataRequest) {
        requests.withLock { if $0[key] === request { $0[key] = nil } }
    }
}

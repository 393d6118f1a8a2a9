/// Makes the request to send from the caller's arguments: when the request starts, and before that for descriptions. A
/// modifier or encoder of the user's may give another request each time.
struct RequestBlueprint: Sendable {
    /// What runs when the request is made.
    enum Making {
        /// Code of this library that takes a few microseconds.
        case instant
        /// Code that does not block, such as a user's `asURL()` or `encode(to:)`, or that looks at a file.
        case plain
        /// A modifier or encoder of the user's, which may block its thread.
        case blocking

        static func running(_ modifier: RequestModifier?) -> Making { modifier == nil ? .plain : .blocking }
    }

    private let making: Making
    private let makeHere: @Sendable () throws -> TransportRequest

    init(_ making: Making = .plain, _ make: @escaping @Sendable () throws -> TransportRequest) {
        (self.making, makeHere) = (making, make)
    }

    func make() async throws -> TransportRequest {
        guard making == .blocking else { return try makeHere() }
        return try await UserCode.run { [makeHere] in try makeHere() }
    }

    /// The request as descriptions show it before its start; `nil` if making it takes more than a few microseconds.
    var shown: TransportRequest? { making == .instant ? try? makeHere() : nil }
}

/// Makes the request from the caller's arguments when it starts, and before that for descriptions. A modifier or
/// encoder of the user's may give another request each time.
struct RequestBlueprint: Sendable {
    enum Making {
        /// Takes a few microseconds: only code of this library runs, or the request is made already.
        case instant
        /// Does not block, but may take longer: looks at a file, or runs a user's `asURL()`, `asURLRequest()` or
        /// `encode(to:)`.
        case plain
        /// May block its thread: runs a modifier, or an encoder of the user's.
        case blocking
    }

    private let making: Making
    private let makeHere: @Sendable (RequestModifier?) throws -> TransportRequest

    init(_ making: Making = .plain, _ make: @escaping @Sendable (RequestModifier?) throws -> TransportRequest) {
        self.making = making
        makeHere = make
    }

    func modified(by modifier: RequestModifier?) -> RequestBlueprint {
        guard let modifier else { return self }
        return RequestBlueprint(.blocking) { [makeHere] _ in try makeHere(modifier) }
    }

    func make() async throws(AsyncNetError) -> TransportRequest {
        do {
            guard making == .blocking else { return try makeHere(nil) }
            return try await UserCode.run { [makeHere] in try makeHere(nil) }
        } catch {
            throw AsyncNetError(wrapping: error, as: .encodingFailed)
        }
    }

    /// The request as descriptions show it before its start; `nil` if making it takes more than a few microseconds.
    var shown: TransportRequest? { making == .instant ? try? makeHere(nil) : nil }
}

/// Makes a request from what the caller gave: once, when the request starts.
struct RequestBlueprint: Sendable {
    let make: @Sendable () throws -> TransportRequest
    /// Making the request runs code of the user's, which may block its thread.
    let mayBlock: Bool

    init(mayBlock: Bool = false, make: @escaping @Sendable () throws -> TransportRequest) {
        (self.mayBlock, self.make) = (mayBlock, make)
    }

    func makeApart() async throws -> TransportRequest {
        try await UserCode.run { [make] in try make() }
    }
}

/// What a request is made from: runs when it starts, and again for a retry.
package struct RequestBlueprint: Sendable {
    package let make: @Sendable () throws -> TransportRequest
    /// It calls code of the user's, which may block its thread.
    package let mayBlock: Bool

    package init(mayBlock: Bool = false, make: @escaping @Sendable () throws -> TransportRequest) {
        (self.mayBlock, self.make) = (mayBlock, make)
    }

    package func makeApart() async throws -> TransportRequest {
        try await UserCode.run { [make] in try make() }
    }
}

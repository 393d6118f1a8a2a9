/// What a request is made from: runs when it starts, and again for a retry.
package struct RequestBlueprint: Sendable {
    /// `nil` takes the session's.
    package var timeout: Duration?
    package let make: @Sendable () throws -> TransportRequest

    package init(timeout: Duration? = nil, make: @escaping @Sendable () throws -> TransportRequest) {
        self.timeout = timeout
        self.make = make
    }
}

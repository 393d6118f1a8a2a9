/// What a request is made from: runs when it starts, and again for a retry.
package struct RequestBlueprint: Sendable {
    package let make: @Sendable () throws -> TransportRequest

    package init(make: @escaping @Sendable () throws -> TransportRequest) {
        self.make = make
    }
}

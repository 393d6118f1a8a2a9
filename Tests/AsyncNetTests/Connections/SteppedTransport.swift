import AsyncNetTesting
import Foundation

@testable import AsyncNet

/// A transport that tells of each step which its connections take, before it is taken: opening, receiving, sending, closing.
final class SteppedTransport: DuplexTransport {
    private let transport: any DuplexTransport
    private let onStep: @Sendable (Int) -> Void
    private let lastStep = Locked(0)

    /// - Parameter onStep: Gets the number of the step, from 1.
    init(over transport: any DuplexTransport, onStep: @escaping @Sendable (Int) -> Void) {
        (self.transport, self.onStep) = (transport, onStep)
    }

    fileprivate func step() {
        let number = lastStep.withLock { last in
            last += 1
            return last
        }
        onStep(number)
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse { try await transport.send(request) }
    func shutdown() async { await transport.shutdown() }

    func open(_ request: DuplexRequest) async throws -> any DuplexConnection {
        step()
        let connection = try await transport.open(request)
        step()
        return Connection(over: connection, of: self)
    }

    private final class Connection: DuplexConnection {
        private let connection: any DuplexConnection
        private let owner: SteppedTransport

        init(over connection: any DuplexConnection, of owner: SteppedTransport) {
            (self.connection, self.owner) = (connection, owner)
        }

        var info: ConnectionInfo { connection.info }

        func receive() async throws -> Data? {
            owner.step()
            defer { owner.step() }
            return try await connection.receive()
        }

        func send(_ data: Data) throws {
            owner.step()
            try connection.send(data)
        }

        func sendingRoom() async throws {
            owner.step()
            try await connection.sendingRoom()
        }

        func finishSending() throws {
            owner.step()
            try connection.finishSending()
        }

        func close() async {
            owner.step()
            await connection.close()
            owner.step()
        }

        func abort(_ error: AsyncNetError?) { connection.abort(error) }
    }
}

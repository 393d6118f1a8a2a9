/// Connections that carry several transfers at once.
extension SocketEngine {
    /// A transfer on a shared connection has ended.
    func endedTransfer(on connection: PooledConnection) {
        guard connections[connection.number] === connection else { return }
        if connection.isIdle { rest(connection, for: configuration.idleTimeout) }
        perform(pool.endedTransfer(on: connection.number, of: connection.route, room: connection.room ?? 0))
    }

    func changedRoom(of connection: PooledConnection) {
        perform(pool.changedRoom(connection.number, of: connection.route, to: connection.room ?? 0))
    }

    func closeShared(_ connection: PooledConnection) {
        guard connections[connection.number] === connection else { return }
        forget(connection)
        perform(pool.closedShared(connection.number, of: connection.route))
    }

    /// How many streams a server takes, as far as is known.
    func streamLimit(of route: ConnectionRoute) -> Int? { versions.streams[route] }

    func note(_ streams: Int, of route: ConnectionRoute) { versions.note(streams, of: route) }

    /// The server says that it takes a request over HTTP/1.1 only.
    func requireHTTP1(_ route: ConnectionRoute) { versions.requireHTTP1(route) }
}

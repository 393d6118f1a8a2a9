extension SocketEngine {
    func endedTransfer(on connection: PooledConnection) {
        guard connections[connection.number] === connection else { return }
        if connection.isIdle { rest(connection, for: configuration.idleTimeout) }
        perform(pool.endedTransfer(on: connection.number, of: connection.route, room: connection.room ?? 0))
    }

    func changedRoom(of connection: PooledConnection) {
        perform(
            pool.changedRoom(
                connection.number, of: connection.route, to: connection.room ?? 0, isDraining: connection.isDraining))
    }

    func closeShared(_ connection: PooledConnection) {
        guard connections[connection.number] === connection else { return }
        forget(connection)
        perform(pool.closedShared(connection.number, of: connection.route))
    }
}

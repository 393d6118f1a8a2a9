/// What is said to a proxy, and heard from it, until the connection is one to the server: a value without I/O.
protocol ProxyNegotiation {
    /// The bytes to send first, on each connection.
    mutating func begin() throws(AsyncNetError) -> [UInt8]
    /// How many bytes may be given at most: those behind them may be the server's.
    var wanted: Int { get }
    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(AsyncNetError) -> ProxyStep
    /// The proxy has closed the connection.
    mutating func receiveEnd() throws(AsyncNetError) -> ProxyStep
}

/// What follows on what a proxy has said.
enum ProxyStep: Equatable {
    /// The proxy has more to say.
    case wait
    case send([UInt8])
    /// The connection is one to the server.
    case done
    /// Begin again on a new connection to the proxy.
    case reconnect
}

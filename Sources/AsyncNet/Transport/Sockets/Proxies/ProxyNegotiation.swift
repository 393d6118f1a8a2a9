/// What is said to a proxy, and heard from it, until the connection is one to the server: a value without I/O.
protocol ProxyNegotiation {
    mutating func begin() throws(AsyncNetError) -> [UInt8]
    /// How many bytes may be given at most: those behind them may be the server's.
    var wanted: Int { get }
    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(AsyncNetError) -> ProxyStep
    mutating func receiveEnd() throws(AsyncNetError) -> ProxyStep
}

enum ProxyStep: Equatable {
    case wait
    case send([UInt8])
    case done
    case reconnect
}

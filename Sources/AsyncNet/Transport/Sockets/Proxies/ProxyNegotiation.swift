/// The bytes that are sent to a proxy and received from it until it has connected to the server: a value without I/O.
protocol ProxyNegotiation {
    mutating func begin() throws(AsyncNetError) -> [UInt8]
    /// How many bytes `receive` may get at most: later bytes may be the server's.
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

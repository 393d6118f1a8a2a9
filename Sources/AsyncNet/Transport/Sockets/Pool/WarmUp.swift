struct WarmUp: Sendable {
    let route: ConnectionRoute
    let count: Int
    let end = Promise<Void>()
}

/// The session as requests see it that belong to another one, which is listed already: the parts of a download, hedges,
/// and what several requests share. They are not refused where that runs, but are waited for themselves: a transport
/// may not let go of them at once when it ends.
final class PartHost: RequestHost {
    private let session: Session

    private let scope: Pipeline.Scope

    init(_ session: Session, scope: Pipeline.Scope = .whole) { (self.session, self.scope) = (session, scope) }

    nonisolated var mailbox: Mailbox { session.mailbox }

    func begin(_ request: any Request) async -> AsyncNetError? {
        session.beginPart()
        return nil
    }

    func end(_ id: RequestID) async {}
    nonisolated func drained() { session.drained() }

    @concurrent
    nonisolated func perform(_ request: DataRequest) async -> TransferOutcome {
        var pipeline = Pipeline(session: session, request: request, scope: scope)
        return await pipeline.run()
    }
}

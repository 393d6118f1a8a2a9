/// The session as requests see it that belong to another one, which is listed and waited for already: the parts of a download, hedges, and what
/// several requests share.
final class PartHost: RequestHost {
    private let session: Session

    private let scope: Pipeline.Scope

    init(_ session: Session, scope: Pipeline.Scope = .whole) { (self.session, self.scope) = (session, scope) }

    nonisolated var mailbox: Mailbox { session.mailbox }

    func begin(_ request: any Request) async -> AsyncNetError? { nil }
    func end(_ id: RequestID) async {}
    nonisolated func drained() {}

    @concurrent
    nonisolated func perform(_ request: DataRequest) async -> TransferOutcome {
        var pipeline = Pipeline(session: session, request: request, scope: scope)
        return await pipeline.run()
    }
}

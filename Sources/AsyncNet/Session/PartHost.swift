/// The session as the parts of a download see it: they belong to a request that is listed already, and are not refused where that runs, but
/// are waited for themselves: a transport may not let go of them at once when the download ends.
final class PartHost: RequestHost {
    private let session: Session

    init(_ session: Session) { self.session = session }

    nonisolated var mailbox: Mailbox { session.mailbox }

    func begin(_ request: any Request) async -> AsyncNetError? {
        session.beginPart()
        return nil
    }

    func end(_ id: RequestID) async {}
    nonisolated func drained() { session.drained() }

    @concurrent
    nonisolated func perform(_ request: DataRequest) async -> TransferOutcome { await session.perform(request) }
}

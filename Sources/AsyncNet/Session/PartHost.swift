/// The session as the parts of a download see it: they belong to a request that is listed and waited for already.
final class PartHost: RequestHost {
    private let session: Session

    init(_ session: Session) { self.session = session }

    nonisolated var mailbox: Mailbox { session.mailbox }

    func begin(_ request: any Request) async -> AsyncNetError? { nil }
    func end(_ id: RequestID) async {}
    nonisolated func drained() {}

    @concurrent
    nonisolated func perform(_ request: DataRequest) async -> TransferOutcome { await session.perform(request) }
}

/// The progress and events that observers of a request receive.
struct RequestObservers: Sendable {
    let downloads = Broadcast<TransferProgress>(keepsLatest: true)
    let uploads = Broadcast<TransferProgress>(keepsLatest: true)
    let events = Broadcast<RequestEvent>(keepsLatest: false)

    func finish(_ error: AsyncNetError?) {
        events.send(.finished(error))
        events.finish()
        downloads.finish()
        uploads.finish()
    }
}

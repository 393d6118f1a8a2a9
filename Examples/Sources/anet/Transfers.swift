import AsyncNet
import Foundation

/// Makes the requests, several at a time, and has the replies printed in the order of the arguments.
struct Transfers: Sendable {
    let session: Session
    let printing: Printing
    let failsOnStatus: Bool
    let showsProgress: Bool

    /// - Throws: The first failure, once every reply has been printed; at once if standard output takes no more.
    func run(_ calls: [Call], atATime limit: Int) async throws(ExitError) {
        var printer = Printer(printing)
        await withTaskGroup { group in
            var waiting = calls.enumerated().makeIterator()
            for (index, call) in waiting.take(limit) { group.addTask { (index, await reply(to: call, index)) } }
            while !printer.isClosed, let (index, reply) = await group.next() {
                printer.take(reply, index)
                for (index, call) in waiting.take(1) { group.addTask { (index, await self.reply(to: call, index)) } }
            }
            group.cancelAll()
        }
        // A process that ends while a transport's threads still close connections may trip over them.
        await session.finish()
        if let failure = printer.failure { throw failure }
    }

    private func reply(to call: Call, _ index: Int) async -> Reply {
        let request = await call.request(on: session)
        if failsOnStatus { await request.validate(statusCode: ..<400) }
        // All are read before the request starts, so that nothing is missed.
        let events = request.events
        let (sent, received) = (request.uploadProgress, request.downloadProgress)
        async let narration: Void = Narrator(printing.options, label: printing.label(index)).tell(events)
        async let sending: Void = showsProgress && call.isUpload ? ProgressLine().follow(sent) : ()
        async let receiving: Void = showsProgress && !call.isUpload ? ProgressLine().follow(received) : ()
        let response = await request.serializing(Data.self).response
        _ = await (narration, sending, receiving)
        return response
    }
}

extension IteratorProtocol {
    /// The next elements, fewer at the end.
    fileprivate mutating func take(_ count: Int) -> [Element] {
        var taken: [Element] = []
        while taken.count < count, let element = next() { taken.append(element) }
        return taken
    }
}

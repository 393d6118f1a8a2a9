import AsyncNet
import Foundation

/// Five requests that wait for the network.
struct Fetching {
    let url: String
    let timeout: Duration

    /// Prints a line for each failed attempt and each outcome.
    func succeeds() async -> Bool {
        let narrator = Retrier { error, context in
            Netwatch.write("attempt \(context.attempt) failed: \(error.code)")
            return .doNotRetry
        }
        let session = Session(configuration: .init(interceptors: [narrator, OfflineRetrier(timeout: timeout)]))
        let successes = await withTaskGroup { group in
            for _ in 0..<5 { group.addTask { await succeeds(session) } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        await session.finish()
        return successes == 5
    }

    private func succeeds(_ session: Session) async -> Bool {
        let response = await session.request(url).validate().serializing(Data.self).response
        switch response.result {
        case .success(let body): Netwatch.write("\(body.count) bytes with attempt \(response.metrics.attempts)")
        case .failure(let error): Netwatch.write("\(error)")
        }
        return response.result.isSuccess
    }
}

extension Result {
    fileprivate var isSuccess: Bool { (try? get()) != nil }
}

import AsyncNet
import Foundation

/// Hundreds of requests over the same sessions: some one after the other, some at once.
struct Sequence: Sendable {
    let seed: UInt64
    let length: Int
    let kinds: [Kind]
    let world: World
    let tally: Tally
    let carrier: Carrier

    private static let widest = 24

    func run() async throws {
        world.begin(seed)
        let folder = FileManager.default.temporaryDirectory.appending(path: "fuzz-sequences-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let sessions = Sessions(world, seed: seed, carrier: carrier)
        let client = Client(sessions: sessions, folder: folder)
        var random = Randomness(seed: seed, -3)
        var number = 0
        while number < length {
            let count = min(length - number, random.number(1...40))
            await send(
                number..<(number + count), width: random.chance(0.2) ? 1 : random.number(2...Self.widest), client)
            number += count
        }
        await sessions.end()
    }

    /// - Parameter width: How many are on their way at a time.
    private func send(_ numbers: Range<Int>, width: Int, _ client: Client) async {
        await withTaskGroup(of: Void.self) { group in
            for number in numbers {
                if number - numbers.lowerBound >= width { await group.next() }
                let plan = Plan(seed, number, kinds, world)
                group.addTask {
                    let ticket = tally.begin(plan)
                    tally.end(ticket, await client.outcome(of: plan))
                }
            }
        }
    }
}

import Foundation

/// Carries bytes both ways between two connections, on the thread that calls it, until both are at their end.
enum Relay {
    /// - Parameter change: Of what the server sends.
    static func run(client: Socket, server: Socket, change: (Data) -> Data = { $0 }) {
        var entries = [client, server].map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        while entries.contains(where: { $0.fd >= 0 }) {
            guard poll(&entries, 2, Int32(Socket.patience * 1000)) > 0 else { return }
            for (index, from, to) in [(0, client, server), (1, server, client)] where entries[index].revents != 0 {
                guard let data = from.receive() else {
                    to.endWriting()
                    entries[index].fd = -1
                    continue
                }
                guard to.send(index == 1 ? change(data) : data) else { return }
            }
        }
    }

    /// Changes a few bytes somewhere, mostly near the beginning, where handshakes are.
    static func flipping(_ random: Randomness) -> (Data) -> Data {
        var random = random
        var place = random.size(upTo: 30_000)
        var flips = random.number(0...3)
        return { data in
            guard flips > 0 else { return data }
            guard place < data.count else {
                place -= data.count
                return data
            }
            flips -= 1
            var changed = data
            changed[changed.startIndex + place] ^= UInt8(1 << random.number(0...7))
            if random.chance(0.2) { changed = ByteMutations.mutate(changed, &random) }
            place = random.size(upTo: 5000)
            return changed
        }
    }
}

import Foundation

/// What a server of HTTP/2 sends for a request on a stream: a valid response, and changes to its frames.
enum HTTP2Replies {
    static func response(on stream: UInt32, _ random: inout Randomness) -> [HTTP2Frame] {
        var frames = valid(on: stream, &random)
        guard random.chance(0.85) else { return frames }
        for _ in 0...random.size(upTo: 3) { change(&frames, stream, &random) }
        return frames
    }

    static func settings(_ random: inout Randomness) -> HTTP2Frame {
        if random.chance(0.85) { return .settings([(3, 100)]) }
        let pairs = (0..<random.size(upTo: 12)).map { _ in
            (
                UInt16(random.number(0...9)),
                random.pick([0, 1, 2, 100, 16383, 16384, 65535, 1 << 24, 0x7FFF_FFFF, 0x8000_0000, .max] as [UInt32])
            )
        }
        return .settings(pairs)
    }

    private static func valid(on stream: UInt32, _ random: inout Randomness) -> [HTTP2Frame] {
        let body = random.bytes(random.size(upTo: 40_000))
        var frames: [HTTP2Frame] = []
        for _ in 0..<(random.chance(0.1) ? random.size(upTo: 20) : 0) {
            frames += headers(HPACKBlock.valid(status: 103, [], &random), stream)
        }
        let fields = random.chance(0.7) ? [("content-length", String(body.count))] : []
        frames += headers(HPACKBlock.valid(fields + HPACKBlock.fields(&random), &random), stream)
        var rest = body[...]
        while !rest.isEmpty {
            frames.append(data(rest.prefix(16384), stream, &random))
            rest = rest.dropFirst(16384)
        }
        if random.chance(0.3) {
            frames += headers(HPACKBlock.literal("x-trailer", "t", 0), stream)
            frames[frames.count - 1].flags |= HTTP2Frame.endStream
        } else {
            frames.append(HTTP2Frame(.data, flags: HTTP2Frame.endStream, stream: stream))
        }
        return frames
    }

    private static func headers(_ block: Data, _ stream: UInt32) -> [HTTP2Frame] {
        var frames = [HTTP2Frame(.headers, stream: stream, block.prefix(16384))]
        var rest = block.dropFirst(16384)
        while !rest.isEmpty {
            frames.append(HTTP2Frame(.continuation, stream: stream, rest.prefix(16384)))
            rest = rest.dropFirst(16384)
        }
        frames[frames.count - 1].flags |= HTTP2Frame.endHeaders
        return frames
    }

    private static func data(_ bytes: Data, _ stream: UInt32, _ random: inout Randomness) -> HTTP2Frame {
        guard random.chance(0.3) else { return HTTP2Frame(.data, stream: stream, bytes) }
        let padding = random.number(0...255)
        let room = bytes.prefix(max(0, 16384 - 1 - padding))
        return HTTP2Frame(
            .data, flags: HTTP2Frame.padded, stream: stream, Data([UInt8(padding)]) + room + Data(count: padding))
    }

    // MARK: Changes

    private static func change(_ frames: inout [HTTP2Frame], _ stream: UInt32, _ random: inout Randomness) {
        let place = random.number(0...(frames.count - 1))
        switch random.number(0...11) {
        case 0 where frames.count > 1: frames.remove(at: place)
        case 1: frames.insert(frames[place], at: place)
        case 2:
            frames[place].stream = random.pick([0, 1, 2, stream &+ 1, stream &+ 2, 0x7FFF_FFFF, 0xFFFF_FFFF, stream])
        case 3: frames[place].flags = UInt8(random.number(0...255))
        case 4: frames[place].type = UInt8(random.number(0...20))
        case 5:
            frames[place].statedLength = random.pick([
                0, 1, frames[place].payload.count + 1, max(0, frames[place].payload.count - 1), 16385, 0xFF_FFFF,
            ])
        case 6: frames[place].payload = ByteMutations.mutate(frames[place].payload, &random)
        case 7: frames.replaceSubrange(place...place, with: headers(HPACKBlock.hostile(&random), stream))
        case 8: frames.swapAt(place, random.number(0...(frames.count - 1)))
        default: frames.insert(contentsOf: extra(stream, &random), at: place)
        }
    }

    private static func extra(_ stream: UInt32, _ random: inout Randomness) -> [HTTP2Frame] {
        let number = HTTP2Frame.number
        let target = random.pick([0, stream, stream, stream &+ 2, 1, 2])
        let error = number(random.pick([0, 1, 2, 3, 5, 7, 8, 11, 13, 14, 255, .max] as [UInt32]))
        switch random.number(0...13) {
        case 0: return [HTTP2Frame(.resetStream, stream: target, error)]
        case 1: return [HTTP2Frame(.resetStream, stream: target, error + Data([0]))]
        case 2:
            return [
                HTTP2Frame(
                    .goAway, stream: random.pick([0, 0, stream]),
                    number(random.pick([0, stream, stream &- 2, .max])) + error + random.bytes(random.size(upTo: 300))
                )
            ]
        case 3: return [HTTP2Frame(.goAway, random.bytes(random.number(0...8)))]
        case 4:
            return [
                HTTP2Frame(
                    .pushPromise, flags: 4, stream: target,
                    number(random.pick([0, 2, 4, 3, stream])) + HPACKBlock.valid(HPACKBlock.fields(&random), &random))
            ]
        case 5: return [HTTP2Frame(.windowUpdate, stream: target, number(random.pick([0, 1, 0x7FFF_FFFF, .max])))]
        case 6: return [settings(&random)]
        case 7:
            return (0..<random.size(upTo: 400)).map { _ in
                random.chance(0.5) ? .settings([]) : HTTP2Frame(.ping, Data(count: 8))
            }
        case 8: return (0..<random.size(upTo: 400)).map { _ in HTTP2Frame(.data, stream: stream) }
        case 9: return flood(stream, &random)
        case 10: return [HTTP2Frame(.priority, stream: target, number(target) + Data([255]))]
        case 11:
            return [
                HTTP2Frame(
                    .settings, flags: 1, stream: random.pick([0, 0, stream]), random.bytes(random.pick([0, 0, 6, 5])))
            ]
        case 12: return [HTTP2Frame(.continuation, flags: 4, stream: target, HPACKBlock.hostile(&random))]
        default:
            return [
                HTTP2Frame(
                    random.pick(HTTP2Frame.Kind.allCases), flags: UInt8(random.number(0...255)), stream: target,
                    random.bytes(random.size(upTo: 100)))
            ]
        }
    }

    /// CONTINUATION frames without an end.
    private static func flood(_ stream: UInt32, _ random: inout Randomness) -> [HTTP2Frame] {
        let frame = HTTP2Frame(
            .continuation, stream: stream, HPACKBlock.literal("x-flood", random.word(random.size(upTo: 5000)), 0))
        return [HTTP2Frame(.headers, stream: stream, HPACKBlock.valid([], &random))]
            + (0..<random.size(upTo: 200)).map { _ in frame }
    }
}

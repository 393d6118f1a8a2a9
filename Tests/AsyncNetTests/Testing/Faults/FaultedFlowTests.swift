import Foundation
import Testing

@testable import AsyncNetTestSupport

/// What each fault does to bytes, and when, without sockets and without time.
@Suite("FaultedFlow")
struct FaultedFlowTests {
    typealias Fault = FaultProxy.Fault

    @Test("Without faults, bytes and the end pass at once and in order")
    func plain() {
        var run = FlowRun()
        run.receive("abc", at: 1)
        run.receive("de", at: 2)
        run.finish(.finished, at: 3)
        #expect(run.steps == ["1 abc", "2 de", "3 finish"])
        #expect(run.flow.isDone)
        var other = FlowRun()
        other.receive("abc", at: 1)
        other.finish(.reset, at: 1)
        #expect(other.steps == ["1 abc", "1 reset"])
    }

    @Test(
        "Each fault passes, delays, cuts or drops bytes that arrive at 100 and 200 ms, and their end at 300 ms",
        arguments: [
            ([.latency(.milliseconds(500))], ["600 abcdefgh", "700 ijkl", "800 finish"]),
            (
                [.latency(.milliseconds(500)), .latency(.milliseconds(7)), .latency(.milliseconds(-7))],
                ["607 abcdefgh", "707 ijkl", "807 finish"]
            ),
            (
                [.bandwidth(bytesPerSecond: 80)],
                ["150 abcd", "200 efgh", "250 ijkl", "300 finish"]
            ),
            (
                [.bandwidth(bytesPerSecond: 40), .bandwidth(bytesPerSecond: 4000)],
                ["150 ab", "200 cd", "250 ef", "300 gh", "350 ij", "400 kl", "400 finish"]
            ),
            (
                [.bandwidth(bytesPerSecond: 80), .latency(.seconds(1))],
                ["1150 abcd", "1200 efgh", "1250 ijkl", "1300 finish"]
            ),
            ([.slowClose(delay: .seconds(5))], ["100 abcdefgh", "200 ijkl", "5300 finish"]),
            (
                [.slicer(averageSize: 3)],
                ["100 abc", "100 def", "100 gh", "200 ijk", "200 l", "300 finish"]
            ),
            (
                [.slicer(averageSize: 4, delay: .milliseconds(70))],
                ["100 abcd", "170 efgh", "240 ijkl", "300 finish"]
            ),
            ([.slicer(averageSize: 0), .limitData(bytes: 2)], ["100 a", "100 b", "100 close"]),
            ([.limitData(bytes: 8)], ["100 abcdefgh", "100 close"]),
            ([.limitData(bytes: 10)], ["100 abcdefgh", "200 ij", "200 close"]),
            ([.limitData(bytes: 12)], ["100 abcdefgh", "200 ijkl", "200 close"]),
            ([.limitData(bytes: 13)], ["100 abcdefgh", "200 ijkl", "300 finish"]),
            ([.limitData(bytes: 0)], ["100 close"]),
            ([.limitData(bytes: 9), .limitData(bytes: 3)], ["100 abc", "100 close"]),
            ([.resetPeer()], ["100 reset"]),
            ([.resetPeer(after: .milliseconds(150))], ["250 reset"]),
            ([.resetPeer(after: .milliseconds(150)), .latency(.milliseconds(10))], ["250 reset"]),
            ([.resetPeer(after: .milliseconds(50)), .halfOpen], ["150 reset"]),
            ([.resetPeer(after: .milliseconds(50)), .timeout(after: .seconds(9))], ["150 reset"]),
            ([.timeout(after: .milliseconds(150))], ["150 close"]),
            ([.timeout(after: .seconds(9))], ["9000 close"]),
            ([.halfOpen], []),
            ([.halfOpen, .timeout(after: .milliseconds(250)), .latency(.seconds(1))], ["250 close"]),
        ] as [([Fault], [String])])
    func faults(_ faults: [Fault], _ steps: [String]) {
        var run = FlowRun(faults)
        run.receive("abcdefgh", at: 100)
        run.receive("ijkl", at: 200)
        run.finish(.finished, at: 300)
        run.advance(to: 1_000_000)
        #expect(run.steps == steps)
    }

    @Test("Bytes delayed with jitter keep their order, and the delay stays within its limit")
    func jitter() {
        var run = FlowRun([.latency(.milliseconds(100), jitter: .milliseconds(50))])
        for number in 0..<100 { run.receive("\(number)", at: number * 10) }
        run.advance(to: 10_000)
        #expect(run.writes.map(\.text) == (0..<100).map { "\($0)" })
        let times = run.writes.map(\.time)
        #expect(times == times.sorted())
        #expect(zip(times, 0...).allSatisfy { ($1 * 10 + 100...$1 * 10 + 151).contains($0) })
        #expect(Set(zip(times, 0...).map { $0 - $1 * 10 }).count > 10)
    }

    @Test("Slices differ from the average size by at most the variation, and no byte is lost")
    func slices() {
        var run = FlowRun([.slicer(averageSize: 10, variation: 4)])
        run.receive(String(repeating: "x", count: 10_000), at: 0)
        let sizes = run.writes.map(\.text.count)
        #expect(sizes.reduce(0, +) == 10_000)
        #expect(sizes.dropLast().allSatisfy { (6...14).contains($0) })
        #expect(Set(sizes.dropLast()).count == 9)
        var wide = FlowRun([.slicer(averageSize: .max, variation: .max, delay: .seconds(-1))])
        wide.receive("abc", at: 0)
        #expect(wide.writes.map(\.text).joined() == "abc")
    }

    @Test("A destination that takes two bytes at a time gets each byte once, in order")
    func partialWrites() {
        var run = FlowRun([.slicer(averageSize: 5)])
        run.room = 2
        run.receive("abcdefghijkl", at: 0)
        run.finish(.finished, at: 0)
        #expect(run.steps == ["0 ab", "0 cd", "0 e", "0 fg", "0 hi", "0 j", "0 kl", "0 finish"])
    }

    @Test("A full flow takes no more bytes until some have passed; .halfOpen drops bytes and never fills up")
    func capacity() {
        var run = FlowRun([.latency(.seconds(1))])
        #expect(run.flow.wantsBytes)
        run.receive(String(repeating: "x", count: FaultedFlow.capacity), at: 0)
        #expect(!run.flow.wantsBytes)
        run.advance(to: 1000)
        #expect(run.flow.wantsBytes)
        run.finish(.finished, at: 1000)
        #expect(!run.flow.wantsBytes)
        var dropping = FlowRun([.halfOpen])
        dropping.receive(String(repeating: "x", count: FaultedFlow.capacity), at: 0)
        #expect(dropping.flow.wantsBytes)
        #expect(dropping.flow.droppedBytes == FaultedFlow.capacity)
    }

    @Test("Bytes held back by a fault pass when the fault is removed or changed")
    func release() {
        for fault in [
            Fault.latency(.seconds(100)), .bandwidth(bytesPerSecond: 1), .slicer(averageSize: 1, delay: .seconds(9)),
            .resetPeer(after: .seconds(9)),
        ] {
            var run = FlowRun([fault])
            run.receive("abcdefgh", at: 0)
            run.change([], at: 5)
            #expect(run.writes.map(\.text).joined() == "abcdefgh")
            #expect(run.writes.last?.time == 5)
        }
        var faster = FlowRun([.bandwidth(bytesPerSecond: 1)])
        faster.receive("abcd", at: 0)
        faster.change([.bandwidth(bytesPerSecond: 4000)], at: 500)
        faster.advance(to: 1000)
        #expect(faster.writes.map(\.time) == [501])
    }

    @Test(".limitData continues counting bytes when another fault is added")
    func additions() {
        var run = FlowRun([.limitData(bytes: 6)])
        run.receive("abcd", at: 0)
        run.change([.limitData(bytes: 6), .latency(.milliseconds(10))], at: 1)
        run.receive("efgh", at: 1)
        run.advance(to: 100)
        #expect(run.steps == ["0 abcd", "11 ef", "11 close"])
    }

    @Test("After a dropping fault is removed, a flow that lost bytes is reset, and one that lost none continues")
    func dropped() {
        for fault in [Fault.halfOpen, .timeout(after: .seconds(100))] {
            var broken = FlowRun([fault])
            broken.receive("abc", at: 1)
            broken.change([], at: 5)
            #expect(broken.steps == ["5 reset"])
            var whole = FlowRun([fault])
            whole.change([], at: 5)
            whole.receive("abc", at: 6)
            #expect(whole.steps == ["6 abc"])
            var ended = FlowRun([fault])
            ended.finish(.finished, at: 1)
            ended.change([], at: 5)
            #expect(ended.steps == ["5 finish"])
        }
        var changed = FlowRun([.halfOpen])
        changed.receive("abc", at: 1)
        changed.change([.timeout(after: .seconds(1))], at: 5)
        #expect(changed.steps.isEmpty)
        changed.advance(to: 2000)
        #expect(changed.steps == ["1005 close"])
    }

    @Test(
        "With faults added and removed at random, no byte is lost, repeated or out of order",
        arguments: 1...200 as ClosedRange<UInt64>)
    func fuzz(_ seed: UInt64) {
        var random = SplitMix(seed: seed)
        var run = FlowRun()
        var sent = ""
        for step in 0..<60 {
            let time = step * 50
            run.room = Int.random(in: 1...40, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let text = String(
                    (0..<Int.random(in: 1...80, using: &random)).map { _ in
                        "abcdef".randomElement(using: &random) ?? "x"
                    })
                sent += text
                run.receive(text, at: time)
            case 2: run.advance(to: time)
            default:
                let all: [Fault] = [
                    .latency(.milliseconds(30), jitter: .milliseconds(80)), .bandwidth(bytesPerSecond: 700),
                    .slicer(averageSize: 7, variation: 5, delay: .milliseconds(3)), .slowClose(delay: .seconds(1)),
                    .limitData(bytes: 1_000_000), .bandwidth(bytesPerSecond: 90),
                ]
                run.change(all.filter { _ in Bool.random(using: &random) }, at: time)
            }
        }
        run.finish(.finished, at: 3000)
        run.advance(to: 10_000_000)
        #expect(run.writes.map(\.text).joined() == sent)
        #expect(run.steps.last?.hasSuffix("finish") == true)
        #expect(run.flow.isDone)
    }
}

/// A flow with a destination that writes down what it gets, in milliseconds.
private struct FlowRun {
    var flow = FaultedFlow(random: SplitMix(seed: 1))
    var room = Int.max
    private(set) var writes: [(time: Int, text: String)] = []
    private(set) var steps: [String] = []
    private var now = 0

    init(_ faults: [FaultProxy.Fault] = []) { apply(faults, at: 0) }

    private mutating func apply(_ faults: [FaultProxy.Fault], at time: Int) {
        let entries = faults.map { fault in
            // The same kind of fault is the same fault, changed.
            FaultTable.Entry(id: .init(number: fault.kind), fault: fault, direction: .upstream, share: 1)
        }
        flow.change(entries, now: .milliseconds(time))
    }

    mutating func receive(_ text: String, at time: Int) {
        advance(to: time)
        flow.receive(Data(text.utf8), now: .milliseconds(time))
        advance(to: time)
    }

    mutating func finish(_ end: FaultedFlow.End, at time: Int) {
        advance(to: time)
        flow.finish(end, now: .milliseconds(time))
        advance(to: time)
    }

    mutating func change(_ faults: [FaultProxy.Fault], at time: Int) {
        advance(to: time)
        apply(faults, at: time)
        advance(to: time)
    }

    /// Does what is due until this time.
    mutating func advance(to time: Int) {
        while true {
            switch flow.next(now: .milliseconds(now)) {
            case .write(let bytes): write(bytes)
            case .finish: steps.append("\(now) finish")
            case .close: steps.append("\(now) close")
            case .reset: steps.append("\(now) reset")
            case .wait(let due):
                guard let due, due <= .milliseconds(time) else {
                    now = time
                    return
                }
                now = Int((due / .milliseconds(1)).rounded(.up))
            }
        }
    }

    private mutating func write(_ bytes: Data) {
        let taken = bytes.prefix(room)
        flow.wrote(taken.count)
        let text = String(decoding: taken, as: UTF8.self)
        writes.append((now, text))
        steps.append("\(now) \(text)")
    }
}

extension FaultProxy.Fault {
    /// Two latencies, or two limits, with other values count as two faults.
    fileprivate var kind: Int {
        switch self {
        case .latency(let latency, _): Int(latency / .milliseconds(1)) + 1_000_000
        case .bandwidth: 2
        case .slowClose: 3
        case .timeout, .halfOpen: 4
        case .resetPeer: 5
        case .slicer: 6
        case .limitData(let bytes): 7_000_000 + bytes
        case .down: 9
        }
    }
}

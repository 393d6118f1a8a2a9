import Testing

@testable import AsyncNetTestSupport

/// When bytes have passed over a link, as tables.
@Suite("LinkSchedule")
struct LinkScheduleTests {
    @Test(
        "Bytes pass a link one after the other, at its bandwidth",
        arguments: [
            (1000, [(1000, 0)], [1000]),
            (1000, [(500, 0), (500, 0)], [500, 1000]),
            (1000, [(500, 0), (500, 2000)], [500, 2500]),
            (1000, [(500, 0), (500, 100), (1, 100)], [500, 1000, 1001]),
            (1000, [(0, 0), (0, 7)], [0, 7]),
            (0, [(2, 0)], [2000]),
            (nil, [(1_000_000, 0), (1_000_000, 3)], [0, 3]),
        ] as [(Int?, [(Int, Int)], [Int])])
    func passing(_ rate: Int?, _ sent: [(Int, Int)], _ passed: [Int]) {
        var schedule = LinkSchedule(bytesPerSecond: rate)
        let times = sent.map { schedule.pass($0.0, now: .milliseconds($0.1)) }
        #expect(times == passed.map { .milliseconds($0) })
    }

    @Test("The times of 30,000 bytes at 3 bytes a second add up to the nanosecond")
    func exactness() {
        var schedule = LinkSchedule(bytesPerSecond: 3)
        var last = Duration.zero
        for _ in 0..<30_000 { last = schedule.pass(1, now: .zero) }
        #expect(.seconds(10_000) - last < .nanoseconds(1))
    }

    @Test(
        "A link passes the bytes of 50 milliseconds at once, from 1 to 65,536; without a rate it passes all",
        arguments: [(nil, Int.max), (1, 1), (19, 1), (40, 2), (50_000, 2500), (100_000_000, 65_536)] as [(Int?, Int)])
    func quanta(_ rate: Int?, _ quantum: Int) {
        #expect(LinkSchedule(bytesPerSecond: rate).quantum == quantum)
    }
}

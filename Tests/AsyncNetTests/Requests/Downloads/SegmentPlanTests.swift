import Testing

@testable import AsyncNet

@Suite("Segment plan")
struct SegmentPlanTests {
    private static let mebi: Int64 = 1 << 20

    @Test(
        "Segments cover all bytes once, in order",
        arguments: [
            (0, 1, 4), (0, 100 << 20, 4), (5, 5, 4), (5, 6, 1), (3 << 20, (1 << 30) + 17, 8), (7, 7, 1), (9, 5, 2),
            (0, Int64.max, 1),
        ] as [(Int64, Int64, Int)])
    func covers(_ start: Int64, _ total: Int64, _ segments: Int) {
        var plan = SegmentPlan(from: start, total: total, segments: segments)
        var position = min(start, total)
        for _ in 0..<2000 {
            guard let part = plan.take() else {
                #expect(position == total)
                return
            }
            #expect(part.lowerBound == position && !part.isEmpty && part.count <= 16 << 20)
            position = part.upperBound
            plan.finish(part)
            #expect(plan.contiguous == position)
        }
        #expect(total == .max)
    }

    @Test("The contiguous bytes end at the first unfinished segment")
    func contiguous() throws {
        var plan = SegmentPlan(from: 10, total: 10 + 3 * Self.mebi, segments: 3)
        let parts = (0..<3).compactMap { _ in plan.take() }
        try #require(parts.count == 3)
        #expect(plan.take() == nil)
        plan.finish(parts[1])
        #expect(plan.contiguous == 10)
        plan.finish(parts[0])
        #expect(plan.contiguous == parts[2].lowerBound)
        plan.finish(parts[2])
        #expect(plan.contiguous == plan.total)
    }
}

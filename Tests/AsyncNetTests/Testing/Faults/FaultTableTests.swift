import Testing

@testable import AsyncNetTestSupport

@Suite("FaultTable")
struct FaultTableTests {
    @Test("A share selects the same connections for the same seed, and others for another fault or seed")
    func shares() {
        func affected(_ seed: UInt64, _ share: Double) -> [[Int]] {
            var table = FaultTable(seed: seed)
            let ids = (0..<2).map { _ in table.add(.halfOpen, .upstream, share: share) }
            return ids.map { id in
                (1...1000).filter { number in table.faults(of: number, .upstream).contains { $0.id == id } }
            }
        }
        let quarter = affected(1, 0.25)
        #expect(quarter == affected(1, 0.25))
        #expect(quarter[0] != quarter[1])
        #expect(affected(2, 0.25)[0] != quarter[0])
        #expect(quarter.allSatisfy { (200..<300).contains($0.count) })
        #expect(affected(1, 0).allSatisfy { $0.isEmpty })
        #expect(affected(1, 1).allSatisfy { $0.count == 1000 })
        // A larger share has the connections of a smaller one.
        #expect(Set(affected(1, 0.5)[0]).isSuperset(of: quarter[0]))
    }

    @Test("Each fault belongs to one direction, and is changed or removed by its id")
    func changes() {
        var table = FaultTable(seed: 0)
        let first = table.add(.slowClose(delay: .seconds(1)), .upstream, share: 1)
        let second = table.add(.halfOpen, .downstream, share: 1)
        #expect(table.faults(of: 1, .upstream).map(\.id) == [first])
        table.change(first, to: .bandwidth(bytesPerSecond: 1), share: nil)
        #expect(table.faults(of: 1, .upstream).map(\.fault) == [.bandwidth(bytesPerSecond: 1)])
        table.change(first, to: .halfOpen, share: 0)
        #expect(table.faults(of: 1, .upstream).isEmpty)
        table.remove(second)
        table.change(second, to: .halfOpen, share: 1)
        #expect(table.faults(of: 1, .downstream).isEmpty)
        #expect(table.add(.halfOpen, .downstream, share: 1) != second)
        table.removeAll()
        #expect(table.entries.isEmpty)
    }

    @Test(".down applies to all connections, or to the given share of them")
    func down() {
        var table = FaultTable(seed: 0)
        let id = table.add(.down, .upstream, share: 0.5)
        #expect(!table.isDown)
        #expect((300..<700).contains((1...1000).filter { table.isDown(for: $0) }.count))
        #expect(table.faults(of: 1, .upstream).isEmpty)
        table.change(id, to: .down, share: 1)
        #expect(table.isDown)
        table.remove(id)
        #expect(!table.isDown && !table.isDown(for: 1))
    }
}

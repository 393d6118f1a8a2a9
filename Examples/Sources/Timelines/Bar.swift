/// A request's phases as a row of cells on a scale.
package struct Bar: Sendable {
    private let scale: Scale
    private let columns: Int

    package init(_ scale: Scale, columns: Int) { (self.scale, self.columns) = (scale, max(1, columns)) }

    /// The phase that has most of each cell's time, `nil` outside of the segments.
    package func cells(of segments: [Segment]) -> [Phase?] {
        var cells = [Phase?](repeating: nil, count: columns)
        var shares = [Double](repeating: 0, count: columns)
        for segment in segments {
            for (column, share) in overlaps(of: segment) where share > shares[column] {
                (cells[column], shares[column]) = (segment.phase, share)
            }
        }
        return cells
    }

    /// The cells that a segment has a part of, and which part.
    private func overlaps(of segment: Segment) -> [(column: Int, share: Double)] {
        let start = scale.fraction(of: segment.start) * Double(columns)
        let end = scale.fraction(of: segment.end) * Double(columns)
        guard end > start else { return [] }
        let last = min(columns - 1, Int(end.rounded(.up)) - 1)
        return (min(last, Int(start))...last).map { column in
            (column, min(end, Double(column + 1)) - max(start, Double(column)))
        }
    }

    /// The row as text of `columns` columns: blocks, of which each shows two cells, or letters.
    package func text(of segments: [Segment], _ ink: Ink) -> String {
        guard ink.drawsBlocks else { return cells(of: segments).map { $0?.letter ?? " " }.joined() }
        let halves = Bar(scale, columns: columns * 2).cells(of: segments)
        return ink.blocks(stride(from: 0, to: halves.count, by: 2).map { (halves[$0], halves[$0 + 1]) })
    }
}

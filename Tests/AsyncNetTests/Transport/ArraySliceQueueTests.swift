import Testing

@testable import AsyncNet

@Suite("ArraySlice as a queue")
struct ArraySliceQueueTests {
    private final class Element: Sendable {}

    @Test("takeFirst() releases the element that it returned while other elements are still queued")
    func releases() {
        let empty = Element()
        weak var taken: Element?
        var queue: ArraySlice<Element> = []
        do {
            let element = Element()
            taken = element
            queue.append(element)
            queue.append(Element())
        }
        #expect(queue.takeFirst(leaving: empty) === taken)
        #expect(taken == nil)
        #expect(queue.takeFirst(leaving: empty) != nil)
        #expect(queue.takeFirst(leaving: empty) == nil)
        #expect(queue.startIndex == 0)
    }
}

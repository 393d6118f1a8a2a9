/// Hands elements from one task to another, one at a time: `offer` returns when the element has been taken. Either
/// side may end the handover, and the first end counts: `finish`, `close`, or a cancel of the taker. A cancelled
/// giver withdraws its element.
final class Handover<Element: Sendable>: Sendable {
    private struct State {
        var offered: Element?
        /// How many elements were offered, and the numbers of the withdrawn elements.
        var number = 0
        var withdrawn: Set<Int> = []
        var end: Result<Void, AsyncNetError>?
        var isClosed = false

        var isTakeable: Bool { offered != nil || end != nil || isClosed }

        /// - Returns: The element's number; `nil` if it is refused.
        mutating func offer(_ element: Element) -> Int? {
            guard !isClosed, end == nil, !Task.isCancelled else { return nil }
            offered = element
            number += 1
            return number
        }

        mutating func withdraw(_ number: Int) {
            guard number == self.number, offered != nil else { return }
            offered = nil
            withdrawn.insert(number)
        }

        mutating func endOffer(_ number: Int) -> Bool {
            withdraw(number)
            return withdrawn.remove(number) == nil
        }

        mutating func take() -> Result<Element?, AsyncNetError>? {
            if isClosed, end == nil { return .failure(AsyncNetError(.cancelled)) }
            if !isClosed, let element = offered.take() { return .success(element) }
            return end.map { end in end.map { nil } }
        }
    }

    private let state = AwaitedState(State())

    /// Waits until the element is taken; `false` if the taker has closed or the task is cancelled.
    func offer(_ element: Element) async -> Bool {
        guard let number = state.change({ $0.offer(element) }) else { return false }
        await withTaskCancellationHandler {
            await state.wait { $0.offered == nil || $0.number != number || $0.isClosed }
        } onCancel: {
            // At once, since another task may be about to offer the next element.
            state.change { $0.withdraw(number) }
        }
        return state.change { $0.endOffer(number) }
    }

    func finish(_ end: Result<Void, AsyncNetError>) { state.change { $0.end = $0.end ?? end } }

    /// The next element, `nil` after an end without an error. Only one task may wait for elements at a time.
    func next() async throws(AsyncNetError) -> Element? {
        while true {
            await state.wait { $0.isTakeable }
            if Task.isCancelled { close() }
            // If nothing is taken, the task that offered the element was cancelled and has withdrawn the element.
            if let taken = state.change({ $0.take() }) { return try taken.get() }
        }
    }

    func close() { state.change { $0.isClosed = true } }
}

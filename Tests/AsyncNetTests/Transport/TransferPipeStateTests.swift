import Foundation
import Testing

@testable import AsyncNet

/// Each event of the transport and each call of the reader with the action that must follow, without a pipe.
@Suite("TransferPipeState")
struct TransferPipeStateTests {
    enum Step: Sendable {
        case head(Int, isUrgent: Bool = false)
        case encoded
        case chunk(Int)
        case finish
        case finishWith(Int)
        case fail
        case abort
        case wait(Interest)
        case receivedHead
        case read
    }

    enum Interest: Sendable { case head, body }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var delivery = TransportRequest.Delivery.asItArrives
        var limit = Int64.max
        let steps: [(Step, String)]
    }

    private static let mark = TransferPipeState.highWaterMark

    @Test("Each event of a transfer pipe leads to the action of the table", arguments: orders + backPressure + ends)
    func actions(_ test: Case) throws {
        let url = try "http://a/".asURL()
        var pipe = Simulation(state: TransferPipeState(test.delivery, limit: test.limit))
        for (index, (step, expected)) in test.steps.enumerated() {
            #expect(pipe.apply(step, url) == expected, "step \(index): \(step)")
        }
    }

    static let orders = [
        Case(
            testDescription: "A reader of chunks is resumed by the head, then by each chunk",
            steps: [
                (.wait(.head), "none"), (.head(200), "resume"), (.receivedHead, "200"),
                (.wait(.body), "none"), (.chunk(1), "store, resume"), (.read, "deliver 1"),
                (.chunk(2), "store"), (.chunk(3), "store"), (.wait(.body), "resume"), (.read, "deliver 2 3"),
                (.wait(.body), "none"), (.finish, "resume"), (.read, "end"),
            ]),
        Case(
            testDescription: "A reader of the whole is resumed at the end only", delivery: .whole,
            steps: [
                (.wait(.head), "none"), (.head(200), "none"), (.chunk(1), "store"), (.chunk(2), "store"),
                (.finishWith(3), "resume"), (.receivedHead, "200"), (.wait(.body), "resume"), (.read, "deliver 1 2 3"),
                (.wait(.body), "resume"), (.read, "end"),
            ]),
        Case(
            testDescription: "An urgent head is delivered at once to a reader of the whole, as are the chunks",
            delivery: .whole,
            steps: [
                (.wait(.head), "none"), (.head(404, isUrgent: true), "resume"),
                (.wait(.body), "none"), (.chunk(1), "store, resume"), (.read, "deliver 1"),
            ]),
        Case(
            testDescription: "A reader of the whole that decodes the body gets the head and each chunk",
            delivery: .whole,
            limit: 1,
            steps: [
                (.encoded, ""), (.wait(.head), "none"), (.head(200), "resume"),
                (.wait(.body), "none"), (.chunk(2), "store, resume"), (.read, "deliver 2"),
            ]),
        Case(
            testDescription: "A reader of the whole is resumed when the buffer is full", delivery: .whole,
            steps: [
                (.head(200), "none"), (.wait(.head), "none"), (.chunk(mark), "store"),
                (.chunk(1), "store, resume"), (.wait(.body), "resume"), (.read, "deliver \(mark) 1"),
                (.wait(.body), "none"), (.chunk(1), "store"), (.finish, "resume"), (.read, "deliver 1"),
            ]),
    ]

    static let backPressure = [
        Case(
            testDescription: "A full buffer pauses the transport, and reading resumes it",
            steps: [
                (.head(200), "none"), (.chunk(mark), "store"), (.chunk(1), "pause"),
                (.read, "deliver \(mark) 1, resume transport"), (.chunk(1), "store"), (.read, "deliver 1"),
            ]),
        Case(
            testDescription: "A chunk that resumes the reader does not pause the transport, however large it is",
            steps: [(.wait(.body), "none"), (.chunk(mark + 1), "store, resume"), (.read, "deliver \(mark + 1)")]
        ),
    ]

    static let ends = [
        Case(
            testDescription: "A failure follows the bytes that were received before it",
            steps: [
                (.head(200), "none"), (.chunk(1), "store"), (.fail, "none"), (.receivedHead, "200"),
                (.read, "deliver 1"), (.read, "fail connectionLost"),
            ]),
        Case(
            testDescription: "A failure before the head is thrown in place of the head",
            steps: [(.fail, "none"), (.receivedHead, "connectionLost")]),
        Case(
            testDescription: "An end without a head is an empty reply",
            steps: [(.finish, "none"), (.receivedHead, "emptyReply")]),
        Case(
            testDescription: "A cancel hides the head and drops the bytes",
            steps: [
                (.head(200), "none"), (.chunk(1), "store"), (.wait(.body), "resume"), (.abort, "abort"),
                (.receivedHead, "cancelled"), (.read, "fail cancelled"),
            ]),
        Case(
            testDescription: "Steps after an abort change nothing",
            steps: [
                (.wait(.body), "none"), (.abort, "abort, resume"), (.abort, "none"), (.finish, "none"), (.fail, "none"),
                (.head(200), "none"), (.chunk(1), "store"), (.read, "fail cancelled"),
            ]),
        Case(
            testDescription: "A chunk beyond the limit ends the transfer", limit: 3,
            steps: [(.chunk(3), "store"), (.chunk(1), "abort bodyTooLarge")]),
        Case(
            testDescription: "A last chunk beyond the limit ends the transfer after the chunks before it", limit: 3,
            steps: [
                (.chunk(3), "store"), (.finishWith(1), "none"), (.read, "deliver 3"), (.read, "fail bodyTooLarge"),
            ]),
    ]
}

/// A state with a reader that may wait.
private struct Simulation {
    var state: TransferPipeState
    private var interest: TransferPipeStateTests.Interest?

    init(state: TransferPipeState) { self.state = state }

    /// What follows from a step, as the tables write it.
    mutating func apply(_ step: TransferPipeStateTests.Step, _ url: URL) -> String {
        let action = perform(step, url)
        guard let interest, interest == .head ? state.hasHeadToRead : state.hasBytesToRead else {
            return action.isEmpty && isEvent(step) ? "none" : action
        }
        self.interest = nil
        return action.isEmpty ? "resume" : "\(action), resume"
    }

    private func isEvent(_ step: TransferPipeStateTests.Step) -> Bool {
        if case .encoded = step { false } else { true }
    }

    private mutating func perform(_ step: TransferPipeStateTests.Step, _ url: URL) -> String {
        switch step {
        case .head(let status, let isUrgent):
            state.receive(HTTPResponseHead(statusCode: status, url: url), isUrgent: isUrgent)
        case .encoded: state.expectEncodedBody()
        case .chunk(let count): return text(state.receive(Data(count: count)))
        case .finish: state.finish(nil, nil, .success(()))
        case .finishWith(let count): state.finish(nil, Data(count: count), .success(()))
        case .fail: state.finish(nil, nil, .failure(AsyncNetError(.connectionLost)))
        case .abort: return state.abort(AsyncNetError(.cancelled)) ? "abort" : ""
        case .wait(let interest): self.interest = interest
        case .receivedHead:
            do { return "\(try state.receivedHead.get().statusCode)" } catch { return "\(error.code)" }
        case .read:
            let (chunks, resumesTransport) = state.read()
            return text(chunks) + (resumesTransport ? ", resume transport" : "")
        }
        return ""
    }

    private func text(_ action: TransferPipeState.ChunkAction) -> String {
        switch action {
        case .store: "store"
        case .pause: "pause"
        case .abort(let error): "abort \(error.code)"
        }
    }

    private func text(_ chunks: Result<[Data]?, AsyncNetError>) -> String {
        switch chunks {
        case .success(let chunks?): "deliver " + chunks.map { "\($0.count)" }.joined(separator: " ")
        case .success(nil): "end"
        case .failure(let error): "fail \(error.code)"
        }
    }
}

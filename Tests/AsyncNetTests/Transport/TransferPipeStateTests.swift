import Foundation
import Testing

@testable import AsyncNet

/// Each event of the transport and each call of the reader with the action that must follow, without a pipe.
@Suite("Transfer pipe state")
struct TransferPipeStateTests {
    enum Step: Sendable {
        case head(Int, isUrgent: Bool = false)
        case encoded
        case chunk(Int)
        case takeTail
        case spilled(Int)
        case finish
        case finishWith(Int)
        case fail
        case abort
        case wait(TransferPipeState.Interest)
        case receivedHead
        case read
        case fileRead(Int)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var delivery = TransportRequest.Delivery.asItArrives
        var limit = Int64.max
        var spillLimit: Int64?
        let steps: [(Step, String)]
    }

    private static let mark = TransferPipeState.highWaterMark

    @Test("Each event has its action", arguments: orders + backPressure + spills + ends)
    func actions(_ test: Case) throws {
        let url = try "http://a/".asURL()
        var state = TransferPipeState(test.delivery, limit: test.limit, spillLimit: test.spillLimit)
        for (index, (step, expected)) in test.steps.enumerated() {
            #expect(state.apply(step, url) == expected, "step \(index): \(step)")
        }
    }

    static let orders = [
        Case(
            testDescription: "A reader of chunks is resumed by the head, then by each chunk",
            steps: [
                (.wait(.head), "none"), (.head(200), "resume"), (.receivedHead, "200"),
                (.wait(.body), "none"), (.chunk(1), "storeAndResumeReader"), (.read, "deliver 1"),
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
                (.wait(.body), "none"), (.chunk(1), "storeAndResumeReader"), (.read, "deliver 1"),
            ]),
        Case(
            testDescription: "A reader of the whole that decodes the body gets the head and each chunk",
            delivery: .whole,
            limit: 1,
            steps: [
                (.encoded, ""), (.wait(.head), "none"), (.head(200), "resume"),
                (.wait(.body), "none"), (.chunk(2), "storeAndResumeReader"), (.read, "deliver 2"),
            ]),
        Case(
            testDescription: "A reader of the whole is resumed when the buffer is full", delivery: .whole,
            steps: [
                (.head(200), "none"), (.wait(.head), "none"), (.chunk(mark), "store"),
                (.chunk(1), "storeAndResumeReader"), (.wait(.body), "resume"), (.read, "deliver \(mark) 1"),
                (.wait(.body), "none"), (.chunk(1), "store"), (.finish, "resume"), (.read, "deliver 1"),
            ]),
    ]

    static let backPressure = [
        Case(
            testDescription: "A full buffer pauses the transport, and reading resumes it",
            steps: [
                (.head(200), "none"), (.chunk(mark), "store"), (.chunk(1), "storeAndPauseTransport"),
                (.read, "deliver \(mark) 1, resume transport"), (.chunk(1), "store"), (.read, "deliver 1"),
            ]),
        Case(
            testDescription: "A chunk that resumes the reader does not pause the transport, however large it is",
            steps: [(.wait(.body), "none"), (.chunk(mark + 1), "storeAndResumeReader"), (.read, "deliver \(mark + 1)")]
        ),
    ]

    static let spills = [
        Case(
            testDescription: "What does not fit into memory is written to the file and read in order",
            spillLimit: .max,
            steps: [
                (.chunk(mark + 1), "store"), (.chunk(5), "store"), (.chunk(mark), "spill"),
                (.takeTail, "write \(mark + 5)"), (.read, "deliver \(mark + 1)"), (.wait(.body), "none"),
                (.read, "wait"), (.spilled(mark + 5), "resume"), (.chunk(6), "store"),
                (.read, "file 0 \(mark)"), (.fileRead(mark), ""), (.read, "file \(mark) 5"), (.fileRead(5), ""),
                (.read, "deliver 6"), (.chunk(7), "store"), (.read, "deliver 7"),
            ]),
        Case(
            testDescription: "A tail that is not full is read from memory", spillLimit: .max,
            steps: [
                (.chunk(mark + 1), "store"), (.chunk(5), "store"), (.read, "deliver \(mark + 1)"),
                (.wait(.body), "resume"), (.read, "deliver 5"), (.takeTail, ""),
            ]),
        Case(
            testDescription: "A full tail that the reader has taken is not written", spillLimit: .max,
            steps: [
                (.chunk(mark + 1), "store"), (.chunk(mark), "spill"), (.read, "deliver \(mark + 1)"),
                (.read, "deliver \(mark)"), (.takeTail, ""), (.finish, "none"), (.read, "end"),
            ]),
        Case(
            testDescription: "More unread bytes than the file may hold end the transfer", spillLimit: Int64(mark) + 9,
            steps: [
                (.chunk(mark + 1), "store"), (.chunk(mark), "spill"), (.takeTail, "write \(mark)"),
                (.spilled(mark), "none"), (.chunk(mark), "abort spilledBytes \(mark + 9)"),
            ]),
        Case(
            testDescription: "Bytes that have been read do not count against the file's limit", spillLimit: Int64(mark),
            steps: [
                (.chunk(mark + 1), "store"), (.chunk(mark), "spill"), (.takeTail, "write \(mark)"),
                (.spilled(mark), "none"), (.read, "deliver \(mark + 1)"), (.read, "file 0 \(mark)"),
                (.fileRead(mark), ""), (.chunk(mark), "spill"), (.takeTail, "write \(mark)"), (.spilled(mark), "none"),
                (.read, "file \(mark) \(mark)"),
            ]),
        Case(
            testDescription: "After an abort nothing is written, and what was being written is forgotten",
            spillLimit: .max,
            steps: [
                (.chunk(mark + 1), "store"), (.chunk(mark), "spill"), (.takeTail, "write \(mark)"),
                (.abort, "abort none"), (.spilled(mark), "none"), (.chunk(1), "drop"), (.takeTail, ""),
                (.read, "fail cancelled"),
            ]),
        Case(
            testDescription: "The last chunk is read after the bytes of the file", spillLimit: .max,
            steps: [
                (.chunk(mark + 1), "store"), (.chunk(mark), "spill"), (.takeTail, "write \(mark)"),
                (.spilled(mark), "none"), (.finishWith(3), "none"), (.read, "deliver \(mark + 1)"),
                (.read, "file 0 \(mark)"), (.fileRead(mark), ""), (.read, "deliver 3"), (.read, "end"),
            ]),
    ]

    static let ends = [
        Case(
            testDescription: "A failure follows the bytes that were received before it",
            steps: [
                (.head(200), "none"), (.chunk(1), "store"), (.fail, "none"), (.receivedHead, "200"),
                (.read, "deliver 1"), (.read, "fail connectionLost"),
            ]),
        Case(
            testDescription: "A failure before the head is the head's",
            steps: [(.fail, "none"), (.receivedHead, "connectionLost")]),
        Case(
            testDescription: "An end without a head is an empty reply",
            steps: [(.finish, "none"), (.receivedHead, "emptyReply")]),
        Case(
            testDescription: "A cancel hides the head and drops the bytes",
            steps: [
                (.head(200), "none"), (.chunk(1), "store"), (.wait(.body), "resume"), (.abort, "abort none"),
                (.receivedHead, "cancelled"), (.read, "fail cancelled"),
            ]),
        Case(
            testDescription: "The first end counts",
            steps: [
                (.wait(.body), "none"), (.abort, "abort resume"), (.abort, "none"), (.finish, "none"), (.fail, "none"),
                (.head(200), "none"), (.chunk(1), "drop"), (.read, "fail cancelled"),
            ]),
        Case(
            testDescription: "A chunk beyond the limit ends the transfer", limit: 3,
            steps: [(.chunk(3), "store"), (.chunk(1), "abort bodySize 3")]),
        Case(
            testDescription: "So does a last chunk beyond the limit", limit: 3,
            steps: [
                (.chunk(3), "store"), (.finishWith(1), "none"), (.read, "deliver 3"), (.read, "fail bodyTooLarge"),
            ]),
    ]
}

extension TransferPipeState {
    /// The action that follows from a step, as the tables write it.
    fileprivate mutating func apply(_ step: TransferPipeStateTests.Step, _ url: URL) -> String {
        switch step {
        case .head(let status, let isUrgent):
            return "\(receive(HTTPResponseHead(statusCode: status, url: url), isUrgent: isUrgent))"
        case .encoded:
            expectEncodedBody()
            return ""
        case .chunk(let count): return Self.text(receive(Data(count: count)))
        case .takeTail: return takeFullTail().map { "write \($0.count)" } ?? ""
        case .spilled(let count): return "\(didSpill(count, reusing: Data()))"
        case .finish: return "\(finish(nil, nil, .success(())))"
        case .finishWith(let count): return "\(finish(nil, Data(count: count), .success(())))"
        case .fail: return "\(finish(nil, nil, .failure(AsyncNetError(.connectionLost))))"
        case .abort:
            guard case .abortTransport(let action) = abort(AsyncNetError(.cancelled)) else { return "none" }
            return "abort \(action)"
        case .wait(let interest): return "\(wait(for: interest))"
        case .receivedHead:
            do { return "\(try receivedHead().statusCode)" } catch { return "\(error.code)" }
        case .read:
            let (action, resumesTransport) = read()
            return Self.text(action) + (resumesTransport ? ", resume transport" : "")
        case .fileRead(let count):
            didReadFile(count)
            return ""
        }
    }

    private static func text(_ action: ChunkAction) -> String {
        switch action {
        case .abort(.bodySize(let limit)): "abort bodySize \(limit)"
        case .abort(.spilledBytes(let limit)): "abort spilledBytes \(limit)"
        default: "\(action)"
        }
    }

    private static func text(_ action: ReadAction) -> String {
        switch action {
        case .deliver(let chunks): "deliver " + chunks.map { "\($0.count)" }.joined(separator: " ")
        case .readFile(let offset, let count): "file \(offset) \(count)"
        case .end(.success): "end"
        case .end(.failure(let error)): "fail \(error.code)"
        case .wait: "wait"
        }
    }
}

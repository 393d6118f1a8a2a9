import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetLibcurl

/// Whether a transfer succeeded, from libcurl's result and what was received, without a transfer.
@Suite("Outcome of a libcurl transfer")
struct LibcurlOutcomeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var result: Int32 = 0
        var contentLength: Int64?
        var hasHead = true
        var received: Int64 = 0
        var hasFirstByte = true
        var isComplete = false
        var isPeerGone = false
        var failure: AsyncNetError.Code?
        var bodyFailure: AsyncNetError.Code?
        var text = "text"
        let expected: AsyncNetError.Code?
    }

    @Test("libcurl's result and the response decide the outcome of a transfer", arguments: successes + failures)
    func outcome(_ test: Case) throws {
        _ = try Libcurl.version.get() // libcurl names results that have no text.
        let url = try "http://a/".asURL()
        let headers: HTTPHeaders = test.contentLength.map { ["Content-Length": "\($0)"] } ?? [:]
        let outcome = LibcurlOutcome(
            result: test.result,
            head: test.hasHead ? HTTPResponseHead(statusCode: 200, url: url, headers: headers) : nil,
            receivedBytes: test.received, hasFirstByte: test.hasFirstByte, isComplete: test.isComplete,
            isPeerGone: test.isPeerGone, failure: test.failure.map { AsyncNetError($0) },
            bodyFailure: test.bodyFailure.map { AsyncNetError($0) })
        let error: AsyncNetError? =
            if case .failure(let error) = outcome.end(LibcurlErrors.Circumstances(text: test.text)) { error } else {
                nil
            }
        #expect(error?.code == test.expected)
    }

    static let successes = [
        Case(testDescription: "A result of 0 with a head", expected: nil),
        Case(
            testDescription: "A complete response, whatever the result is", result: 55, isComplete: true, expected: nil),
        Case(
            testDescription: "A complete response before the body's failure", result: 42, isComplete: true,
            bodyFailure: .fileNotReadable, expected: nil),
        Case(
            testDescription: "Sending failed after a response of the announced length", result: 55, contentLength: 5,
            received: 5, expected: nil),
        Case(
            testDescription: "Receiving failed after a response of the announced length", result: 56, contentLength: 5,
            received: 5, expected: nil),
        Case(
            testDescription: "The server closed the connection after a response of the announced length", result: 42,
            contentLength: 5, received: 5, isPeerGone: true, expected: nil),
        Case(
            testDescription: "The server closed the stream after a response of the announced length", result: 92,
            contentLength: 5, received: 5, text: "", expected: nil),
        Case(
            testDescription: "libcurl's result 18 after a response of the announced length", result: 18,
            contentLength: 5, received: 5,
            text: "",
            expected: nil),
    ]

    static let failures = [
        Case(
            testDescription: "A failure found by a callback comes before the body's failure", isComplete: true,
            failure: .badServerResponse,
            bodyFailure: .fileNotReadable, expected: .badServerResponse),
        Case(
            testDescription: "The body's failure ends the transfer", result: 42, bodyFailure: .fileNotReadable,
            expected: .fileNotReadable),
        Case(
            testDescription: "The server closed the connection while the body had nothing to send", result: 42,
            contentLength: 5, received: 4, isPeerGone: true, expected: .connectionLost),
        Case(
            testDescription: "Sending failed inside the response's body", result: 55, contentLength: 5, received: 4,
            expected: .connectionLost),
        Case(
            testDescription: "Sending failed, and the response's length is not known", result: 55, received: 4,
            expected: .connectionLost),
        Case(
            testDescription: "The server closed the stream inside the response's body", result: 92, contentLength: 5,
            received: 4, text: "", expected: .connectionLost),
        Case(
            testDescription: "The server reset the stream after a response of the announced length", result: 92,
            contentLength: 5, received: 5, expected: .connectionLost),
        Case(testDescription: "A result of 0 without a head", hasHead: false, expected: .connectionLost),
        Case(
            testDescription: "A header that is too large", result: 27, hasHead: false, expected: .badServerResponse),
        Case(
            testDescription: "No byte of a response", result: 52, hasHead: false, hasFirstByte: false,
            expected: .emptyReply),
        Case(testDescription: "A body that is too short", result: 18, expected: .bodyEndedEarly),
    ]
}

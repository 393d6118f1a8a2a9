import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Timeline")
struct TimelineTests {
    private let timeline = ResponseTimeline(
        requestStartTime: Date(timeIntervalSinceReferenceDate: 100), latency: .milliseconds(123),
        requestDuration: .milliseconds(150), serializationDuration: .microseconds(2600))

    @Test("The description of a timeline has Alamofire 4's form")
    func description() {
        let intervals = """
            "Latency": 0.123 secs, "Request Duration": 0.150 secs, "Serialization Duration": 0.003 secs, \
            "Total Duration": 0.153 secs
            """
        #expect("\(timeline)" == "Timeline: { \(intervals) }")
        #expect(
            timeline.debugDescription == """
                Timeline: { "Request Start Time": 100.000, "Initial Response Time": 100.123, \
                "Request Completed Time": 100.150, "Serialization Completed Time": 100.153, \(intervals) }
                """)
    }

    @Test("The times of a timeline follow from the start and the intervals")
    func times() {
        #expect(timeline.totalDuration == .microseconds(152_600))
        #expect(abs(timeline.initialResponseTime.timeIntervalSinceReferenceDate - 100.123) < 1e-6)
        #expect(abs(timeline.requestCompletedTime.timeIntervalSinceReferenceDate - 100.15) < 1e-6)
        #expect(abs(timeline.serializationCompletedTime.timeIntervalSinceReferenceDate - 100.1526) < 1e-6)
    }

    @Test("The latency of a timeline without a response is the duration of the request")
    func failure() {
        var metrics = RequestMetrics()
        metrics.total = .seconds(2)
        #expect(metrics.timeline.latency == .seconds(2))
        metrics.timeToResponse = .seconds(1)
        metrics.serialization = .seconds(3)
        #expect(metrics.timeline.latency == .seconds(1))
        #expect(metrics.timeline.totalDuration == .seconds(5))
    }

    @Test("The responses of a data request and of a download have a timeline with its durations")
    func responses() async throws {
        let clock = TestClock()
        let session = Session(
            transport: StubTransport { _ in .text("a").delayed(by: .seconds(3)) }, configuration: .init(clock: clock))
        try await clock.run {
            let response = await session.request("http://a/").serializing(String.self).response
            #expect(response.timeline.latency == .seconds(3) && response.timeline.requestDuration == .seconds(3))
            #expect(response.timeline.serializationDuration == response.metrics.serialization)
            #expect(response.timeline.requestStartTime == response.metrics.start)
            let download = await session.download("http://a/").response
            #expect(download.timeline.requestDuration == .seconds(3))
            try FileManager.default.removeItem(at: download.result.get())
        }
    }
}

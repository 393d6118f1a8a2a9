import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

/// The cases of W3C's own tests of `traceparent` (w3c/trace-context, test/test.py), and of the specification's text.
@Suite("Trace Context", .timeLimit(.minutes(5)))
struct TraceContextTests {
    private static let trace = "12345678901234567890123456789012"
    private static let span = "1234567890123456"
    private static let valid = "00-\(trace)-\(span)-01"

    @Test(
        "A valid traceparent is parsed, and written in version 00",
        arguments: [
            (valid, "01"), ("00-\(trace)-\(span)-00", "00"), ("00-\(trace)-\(span)-03", "03"),
            ("00-\(trace)-\(span)-ff", "03"), ("00-\(trace)-\(span)-fc", "00"), (" \t\(valid)\t ", "01"),
            ("cc-\(trace)-\(span)-01", "01"), ("01-\(trace)-\(span)-09", "01"),
            ("cc-\(trace)-\(span)-01-what-the-future-will-be-like", "01"), ("fe-\(trace)-\(span)-02-", "02"),
        ])
    func accepted(_ text: String, _ flags: String) throws {
        let context = try #require(TraceContext(traceparent: text))
        #expect(context.traceparent == "00-\(Self.trace)-\(Self.span)-\(flags)")
        #expect(context.description == context.traceparent)
        #expect(context.isSampled == ["01", "03"].contains(flags))
    }

    @Test(
        "A malformed traceparent is not parsed",
        arguments: [
            "", "-", "00", "---", "00-\(trace)-\(span)", "00-\(trace)-\(span)-", "00-\(trace)-\(span)-1",
            "\(valid).", "\(valid)-", "\(valid)-what-the-future-will-be-like", "\(valid),\(valid)",
            "cc-\(trace)-\(span)-01.what-the-future-will-be-like", "cc-\(trace)-\(span)-010",
            "ff-\(trace)-\(span)-01", "FF-\(trace)-\(span)-01", ".0-\(trace)-\(span)-01", "0.-\(trace)-\(span)-01",
            "CC-\(trace)-\(span)-01", "000-\(trace)-\(span)-01", "0000-\(trace)-\(span)-01", "0-\(trace)-\(span)-01",
            "00-\(String(repeating: "0", count: 32))-\(span)-01", "00-\(trace)-0000000000000000-01",
            "00-.\(trace.dropFirst())-\(span)-01", "00-\(trace.dropLast()).-\(span)-01", "00-\(trace)3-\(span)-01",
            "00-\(trace.dropLast())-\(span)-01", "00-\(trace)-.\(span.dropFirst())-01",
            "00-\(trace)-\(span.dropLast()).-01", "00-\(trace)-\(span)7-01", "00-\(trace)-\(span.dropLast())-01",
            "00-\(trace)-\(span)-.0", "00-\(trace)-\(span)-0.", "00-\(trace)-\(span)-001", "00-\(trace)-\(span)-0A",
            "00-A\(trace.dropFirst())-\(span)-01", "00-\(trace)-A\(span.dropFirst())-01", "00_\(trace)-\(span)-01",
            "00-\(trace)_\(span)-01", "00-\(trace)-\(span)_01", "00- \(trace.dropFirst())-\(span)-01",
            "00-é\(trace.dropFirst(2))-\(span)-01", "00-+\(trace.dropFirst())-\(span)-01",
        ])
    func refused(_ text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }

    @Test("Random bytes never trap the parser of traceparent")
    func fuzzing() {
        var random = Fuzzing.random(41)
        let (valid, bytes) = (Array(Self.valid.utf8), Array("0123456789abcdefABF-, \t;%=\u{e9}".utf8) + [0, 0xFF])
        for _ in 0..<Fuzzing.inputs(3000) {
            var text = valid
            for _ in 0..<Int.random(in: 0...4, using: &random) where !text.isEmpty {
                let index = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: text[index] = bytes.randomElement(using: &random) ?? 0
                case 1: text.remove(at: index)
                default: text.insert(bytes.randomElement(using: &random) ?? 0, at: index)
                }
            }
            guard let context = TraceContext(traceparent: String(decoding: text, as: UTF8.self)) else { continue }
            #expect(TraceContext(traceparent: context.traceparent) == context)
        }
    }

    @Test("Lines of tracestate and of baggage are joined when they are parsed; a second traceparent is refused")
    func headers() throws {
        var headers: HTTPHeaders = [
            HTTPHeader(name: "TraceParent", value: Self.valid), "tracestate: a=1,b=2", "TRACESTATE: c=3",
            "baggage: user=ada", "Baggage: key=a%20b;p",
        ]
        let context = try #require(TraceContext(headers))
        #expect(context.tracestate == "a=1,b=2,c=3")
        #expect(context.headers.map(\.name) == ["traceparent", "tracestate", "baggage"])
        #expect(context.headers.map(\.value) == [Self.valid, "a=1,b=2,c=3", "user=ada, key=a%20b;p"])
        #expect(TraceContext(context.headers) == context)
        headers.add(name: "traceparent", value: Self.valid)
        #expect(TraceContext(headers) == nil)
        #expect(TraceContext(["trace-parent": Self.valid]) == nil)
    }

    @Test("An invalid tracestate does not invalidate the traceparent")
    func invalidState() {
        #expect(TraceContext(traceparent: Self.valid, tracestate: "a=1,b")?.headers.count == 1)
        #expect(TraceContext(traceparent: Self.valid, tracestate: "a=1")?.tracestate == "a=1")
    }

    @Test(
        "Baggage or tracestate with control characters is not sent",
        arguments: ["user=x\r\nAuthorization: evil", "a=\u{0}", "a=b\n\nGET / HTTP/1.1"])
    func injected(_ text: String) {
        var context = TraceContext()
        context.baggage = text
        context.tracestate = text
        #expect(context.headers.map(\.name) == ["traceparent"])
    }

    @Test("A new trace has random identifiers and the random flag, and a child differs only by its span identifier")
    func random() {
        let (one, other) = (TraceContext(), TraceContext(isSampled: false))
        #expect(one.traceID != other.traceID && one.spanID != other.spanID)
        #expect(one.traceparent.hasSuffix("-03") && other.traceparent.hasSuffix("-02"))
        var child = one.child()
        #expect(child.spanID != one.spanID)
        child.spanID = one.spanID
        #expect(child == one)
    }

    @Test("A trace identifier has 16 bytes and a span identifier 8, not all zero")
    func identifiers() {
        #expect(TraceContext.TraceID(high: 0, low: 0) == nil && TraceContext.SpanID(0) == nil)
        #expect(TraceContext.TraceID(high: 1, low: 2)?.bytes == [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2])
        #expect(TraceContext.SpanID(0x0102_0304_0506_0708)?.bytes == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(TraceContext.SpanID(255)?.description == "00000000000000ff")
        #expect(TraceContext.SpanID("00000000000000FF") == nil && TraceContext.TraceID("1") == nil)
    }

    @Test("The description and dump of a TraceContext do not contain the baggage")
    func noBaggageShown() {
        var context = TraceContext()
        context.baggage = "user=planted-secret"
        var dumped = ""
        dump(context, to: &dumped)
        #expect(!"\(context) \(dumped)".contains("planted-secret"))
    }
}

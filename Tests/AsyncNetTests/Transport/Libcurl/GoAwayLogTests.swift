import Testing

@testable import AsyncNet

/// What libcurl says of HTTP/2 streams that a server will not process (RFC 9113 §6.8): its texts in 7.88 and 8.23, and
/// what follows from them.
@Suite("GOAWAY log")
struct GoAwayLogTests {
    private func remark(_ text: String) -> GoAwayLog.Message? {
        var text = text
        return text.withUTF8 { GoAwayLog.Message(UnsafeRawBufferPointer($0)) }
    }

    @Test("Relevant verbose lines are recognized, others ignored")
    func remarks() {
        for (text, expected) in [
            ("recveived GOAWAY, error=0, last_stream=99", GoAwayLog.Message.goAway(lastStream: 99)),
            ("received GOAWAY, error=0, last_stream=2147483647\n", .goAway(lastStream: 2_147_483_647)),
            ("Using Stream ID: 101 (easy handle 0x7f00)", .stream(101)),
            ("[HTTP/2] [13] OPENED stream for https://localhost/last_stream=7", .stream(13)),
            ("REFUSED_STREAM, retrying a fresh connect", .refused),
            ("Connection died, retrying a fresh connect (retry count: 1)", .connectionDied), ("", nil),
            ("h2h3 [:path: /x?received GOAWAY, error=0, last_stream=0]", nil),
            ("[HTTP/2] [1] [:path: /] OPENED stream for ]", nil),
            ("GOAWAY&last_stream=0", nil),
            ("received GOAWAY, error=0, last_stream=99999999999", nil),
            (String(repeating: "GOAWAY last_stream=1", count: 20), nil),
        ] { #expect(remark(text) == expected, "\(text)") }
    }

    @Test("Streams after the last processed stream are unprocessed, until another connection has the port")
    func unprocessed() {
        var log = GoAwayLog()
        #expect(!log.isUnprocessed(5, onPort: 1))
        log.note(lastStream: 2_147_483_647, onPort: 1)
        #expect(!log.isUnprocessed(5, onPort: 1))
        log.note(lastStream: 3, onPort: 1)
        log.note(lastStream: 9, onPort: 1)
        #expect(log.isUnprocessed(5, onPort: 1) && !log.isUnprocessed(3, onPort: 1) && !log.isUnprocessed(5, onPort: 2))
        log.forget(port: 1)
        #expect(!log.isUnprocessed(5, onPort: 1))
    }
}

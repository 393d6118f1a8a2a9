import CLibcurl
import Foundation
import Testing

@testable import AsyncNet

@Suite("Sockets taken from libcurl")
struct TakenSocketTests {
    @Test("Whoever reads and closes libcurl's descriptor gets no byte of the connection, which stays open")
    func takes() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { lc_close(ends[1]) }
        #expect(lc_send_directly(ends[1], "early", 5) == 5)
        let taken = lc_take_socket(ends[0])
        try #require(taken >= 0)
        defer { lc_close(taken) }
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(lc_receive_directly(ends[0], &bytes, 8) < 0)
        lc_close(ends[0])
        #expect(lc_receive_directly(taken, &bytes, 8) == 5)
        #expect(bytes.prefix(5).elementsEqual("early".utf8))
        #expect(lc_send_directly(taken, "late", 4) == 4)
        #expect(lc_receive_directly(ends[1], &bytes, 8) == 4)
    }
}

import Foundation
import Testing

@testable import AsyncNet

@Suite("OutgoingPieces")
struct OutgoingPiecesTests {
    /// What is passed to the socket in each call, with room for 8 bytes and a socket that takes at most `limit`.
    private func calls(_ pieces: [String], limit: Int) throws -> [String] {
        var outgoing = OutgoingPieces()
        outgoing.append(pieces.map { Data($0.utf8) })
        var calls: [String] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 1)
        defer { buffer.deallocate() }
        for _ in 0..<100 where !outgoing.isEmpty {
            let sent = try outgoing.sendNext(buffer) { bytes throws(AsyncNetError) in
                calls.append(String(decoding: bytes, as: UTF8.self))
                return min(limit, bytes.count)
            }
            #expect(sent > 0)
        }
        #expect(outgoing.isEmpty)
        return calls
    }

    @Test(
        "Short pieces are sent in one call, long ones in several, in order",
        arguments: [
            ([], 8, []), (["a"], 8, ["a"]), (["ab", "c", "d"], 8, ["abcd"]),
            (["abcdefghij"], 8, ["abcdefgh", "ij"]), (["ab", "cdefghijklm"], 8, ["abcdefgh", "ijklm"]),
            (["abcdefghij", "k"], 8, ["abcdefgh", "ijk"]), (["ab", "c"], 1, ["abc", "bc", "c"]),
            (["abc", "defghijkl"], 5, ["abcdefgh", "fghijkl", "kl"]),
        ] as [([String], Int, [String])])
    func pieces(_ pieces: [String], _ limit: Int, _ expected: [String]) throws {
        #expect(try calls(pieces, limit: limit) == expected)
    }

    @Test("The same bytes are sent again after the socket has taken none")
    func blocked() throws {
        var outgoing = OutgoingPieces()
        outgoing.append([Data("ab".utf8), Data("c".utf8)])
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 1)
        defer { buffer.deallocate() }
        var seen: [String] = []
        for _ in 0..<2 {
            _ = try outgoing.sendNext(buffer) { bytes throws(AsyncNetError) in
                seen.append(String(decoding: bytes, as: UTF8.self))
                return 0
            }
        }
        #expect(seen == ["abc", "abc"])
        outgoing.removeAll()
        #expect(outgoing.isEmpty)
    }
}

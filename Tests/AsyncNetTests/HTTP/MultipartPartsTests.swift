import Testing

@testable import AsyncNet

@Suite("Parts of a multipart body", .timeLimit(.minutes(5)))
struct MultipartPartsTests {
    private func parts(_ text: String, _ boundary: String?) -> [String] {
        MultipartParts(ArraySlice(text.utf8), boundary: boundary).parts.map {
            "\($0.name ?? "-")=\(String(decoding: $0.content, as: UTF8.self))"
        }
    }

    private func part(_ name: String, _ content: String) -> String {
        "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(content)\r\n"
    }

    @Test(
        "Parts of a multipart body are found even if the boundary given is missing or wrong",
        arguments: ["B", nil, "", "C"])
    func boundaries(_ boundary: String?) {
        #expect(parts(part("a", "1") + part("b", "") + "--B--", boundary) == ["a=1", "b="])
    }

    @Test("A multipart delimiter counts only at the beginning of a line, and not as the beginning of a longer word")
    func delimiters() {
        #expect(parts(part("a", "x--B\r\n--Bold\r\n --B") + "--B--", "B") == ["a=x--B\r\n--Bold\r\n --B"])
    }

    @Test("A truncated multipart body is parsed without losing a byte, wherever it ends", arguments: 0...60)
    func cut(_ length: Int) {
        let body = Array(part("a", "1234").utf8.prefix(length))
        let pieces = MultipartParts(body[...], boundary: "B").pieces
        let joined = pieces.flatMap { piece -> [UInt8] in
            switch piece {
            case .part(let part): Array(part.head + part.content + part.end)
            case .other(let bytes): Array(bytes)
            }
        }
        #expect(joined == body)
    }

    @Test("Parts separated by bare line feeds are found; a body without a delimiter has no parts")
    func lenient() {
        #expect(parts("--B\nContent-Disposition: form-data; name=a\n\n1\n--B--", "B") == ["a=1"])
        #expect(parts("no parts here\r\n\r\nat all", "B").isEmpty)
        #expect(parts("", "B").isEmpty)
    }
}

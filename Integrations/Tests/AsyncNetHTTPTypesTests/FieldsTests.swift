import AsyncNet
import AsyncNetHTTPTypes
import HTTPTypes
import Testing

@Suite("Fields of swift-http-types and headers of AsyncNet")
struct FieldsTests {
    @Test("Repeated fields keep their order and spelling, both ways")
    func repetitions() throws {
        let headers: HTTPHeaders = [
            "X-Trace: 1", "Accept: text/html", "x-trace: 2", "Set-Cookie: a=1, b", "Set-Cookie: c=2", "Empty:",
        ]
        let fields = try HTTPFields(headers)
        #expect(fields.map(\.name.rawName) == headers.map(\.name))
        #expect(fields.map(\.value) == headers.map(\.value))
        #expect(Array(try HTTPHeaders(fields)) == Array(headers))
        #expect(try HTTPHeaders(fields).map(\.name) == headers.map(\.name))
    }

    @Test("Cookie fields become one header in the place of the first, and its pairs become fields")
    func cookies() throws {
        let name = HTTPField.Name.cookie
        var fields: HTTPFields = [.accept: "*/*"]
        fields.append(HTTPField(name: name, value: "a=1"))
        fields.append(HTTPField(name: .init("X-After")!, value: "1"))
        fields.append(HTTPField(name: name, value: "b=2"))
        let headers = try HTTPHeaders(fields)
        #expect(headers.map(\.name) == ["Accept", "Cookie", "X-After"])
        #expect(headers.values(for: "Cookie") == ["a=1; b=2"])
        #expect(try HTTPFields(headers)[values: name] == ["a=1", "b=2"])
        #expect(try HTTPFields(headers) == fields)
    }

    @Test("A header that must not be sent becomes no field, and a field of spaces does not become that mark")
    func omissions() throws {
        #expect(try HTTPFields([.omitting("Accept-Encoding"), "X: 1"]).map(\.value) == ["1"])
        let spaces = HTTPField(name: .init("Accept-Encoding")!, lenientValue: " \t ".utf8)
        var fields = HTTPFields()
        fields.append(spaces)
        #expect(try HTTPHeaders(fields).map(\.value) == [""])
    }

    @Test("Text beyond ASCII is kept as UTF-8; other bytes are refused")
    func beyondASCII() throws {
        #expect(try HTTPFields([HTTPHeader(name: "X", value: "é✓")]).first?.value == "é✓")
        var fields = HTTPFields()
        fields.append(HTTPField(name: .init("X-Name")!, value: [0x41, 0xE9]))
        let error = #expect(throws: AsyncNetError.self) { try HTTPHeaders(fields) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message == "The value of field X-Name is not UTF-8")
    }

    @Test(
        "A header that would break a message is refused",
        arguments: [
            HTTPHeader(name: "", value: "1"), HTTPHeader(name: "a b", value: "1"),
            HTTPHeader(name: ":path", value: "/"),
            HTTPHeader(name: "X", value: "1\r\nY: 2"), HTTPHeader(name: "X", value: "\0"),
            HTTPHeader(name: "Cookie", value: "a=1; b=\n"),
        ])
    func refused(_ header: HTTPHeader) {
        let error = #expect(throws: AsyncNetError.self) { try HTTPFields([header]) }
        #expect(error?.code == .invalidRequest)
    }
}

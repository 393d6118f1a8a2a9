import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Serializers", .timeLimit(.minutes(5)))
struct SerializerTests {
    private func response(
        _ body: String, type: String? = nil, status: Int = 200, method: HTTPMethod = .get
    ) throws -> RawResponse {
        try response(Data(body.utf8), type: type, status: status, method: method)
    }

    private func response(
        _ body: Data, type: String? = nil, status: Int = 200, method: HTTPMethod = .get
    ) throws -> RawResponse {
        let url = try "http://a/".asURL()
        return RawResponse(
            requestHead: HTTPRequestHead(method: method, url: url),
            head: HTTPResponseHead(statusCode: status, url: url, headers: type.map { ["Content-Type": $0] } ?? [:]),
            data: body)
    }

    @Test("Decodable types are decoded from JSON and property lists")
    func decodable() async throws {
        #expect(try await DecodableSerializer(User.self).serialize(response(User.json)) == .ada)
        let plist = try PropertyListEncoder().encode(User.ada)
        #expect(
            try await DecodableSerializer(User.self, decoder: PropertyListDecoder()).serialize(response(plist)) == .ada)
        #expect(try await PropertyListSerializer().serialize(response(plist))["name"] == .string("Ada"))
    }

    @Test(
        "decodingFailed names the invalid value",
        arguments: [
            (#"{"id":1}"#, "name is missing"), (#"{"id":"x","name":"y"}"#, "id is not Int"),
            (#"{"id":null,"name":"y"}"#, "id is null"), ("{", "not well-formed"),
            (#"{"id":12345678901234567890,"name":"y"}"#, "id is 12345678901234567890, which is no Int"),
            (#"{"id":1.5,"name":"y"}"#, "id is 1.5, which is no Int"),
            (#"{"id":9223372036854775808,"name":"y"}"#, "id is 9223372036854775808, which is no Int"),
        ])
    func decodingErrors(_ body: String, _ words: String) async throws {
        let input = try response(body)
        let error = await #expect(throws: AsyncNetError.self) {
            try await DecodableSerializer(User.self).serialize(input)
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(error?.underlyingError is DecodingError)
    }

    @Test("Data? and String? are the body as it is, and nil without a body, whatever the status is")
    func optionals() async throws {
        let stub = StubTransport { request in
            switch request.path {
            case "/json": .json("null")
            case "/latin": .init(headers: ["Content-Type": "text/plain; charset=latin1"], body: Data([0xE4]))
            default: .status(request.path == "/204" ? 204 : 200)
            }
        }
        let session = Session(transport: stub)
        func request(_ path: String) -> DataRequest { session.request("http://a\(path)") }
        for path in ["/204", "/200"] {
            #expect(try await request(path).serializing(Data?.self).value == nil)
            #expect(try await request(path).serializing(String?.self).value == nil)
        }
        #expect(try await request("/json").serializing(Data?.self).value == Data("null".utf8))
        #expect(try await request("/json").serializing(String?.self).value == "null")
        #expect(try await request("/latin").serializing(String?.self).value == "ä")
        #expect(try await request("/json").serializing(String?.self, encoding: .ascii).value == "null")
        let empty = await request("/200").serializing(Data?.self, emptyBodies: EmptyBodies()).result
        #expect(empty.failure?.code == .emptyBody)
    }

    private struct Levels: Decodable {
        struct Level: Decodable { let size: Int8, factor: Float, password: Int8? }
        var id: Int64?
        let levels: [Level]
    }

    @Test(
        "The error of a number out of range has its path and type, and the number unless its name is secret",
        arguments: [
            (#"{"levels":[{"size":1,"factor":1},{"factor":2,"size":300}]}"#, "levels[1].size is 300, which is no Int8"),
            (
                #"{"a":[[1],{"b":2}],"levels":[{"size":1,"factor":1e99}]}"#,
                "levels[0].factor is 1e99, which is no Float"
            ),
            (
                #"{"id":1234567890123456789,"levels":[{"size":300,"factor":1}]}"#,
                "levels[0].size is 300, which is no Int8"
            ),
            (#"{"levels":[{"size":1,"factor":1,"password":300}]}"#, "levels[0].password is a number, which is no Int8"),
        ])
    func misfits(_ body: String, _ words: String) async throws {
        let input = try response(body)
        let error = await #expect(throws: AsyncNetError.self) {
            try await DecodableSerializer(Levels.self).serialize(input)
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.hasSuffix(words) == true, "\(error?.message ?? "")")
    }

    @Test("The error cuts and escapes member names; if a type refuses a scalar, it calls the document well-formed")
    func hostileNames() async throws {
        let name = #"a\n\u001b\u009b\u202e"# + String(repeating: "x", count: 10_000)
        let input = try response(#"{"\#(name)":"x"}"#)
        let error = await #expect(throws: AsyncNetError.self) {
            try await DecodableSerializer([String: Int].self).serialize(input)
        }
        #expect(error?.code == .decodingFailed)
        let text = error?.description ?? ""
        #expect(text.contains(#"a\n\u{1B}\u{009B}\u{202E}xxx"#), "\(text)")
        #expect(text.count < 1000)
        let scalar = try response(#""q""#)
        let refusal = await #expect(throws: AsyncNetError.self) {
            try await DecodableSerializer(UUID.self).serialize(scalar)
        }
        #expect(refusal?.code == .decodingFailed)
        #expect(refusal?.message.contains("It is well-formed") == true, "\(refusal?.message ?? "")")
    }

    @Test("The error of a document that is a single number out of range names the number")
    func lonelyMisfit() async throws {
        let input = try response("300")
        let error = await #expect(throws: AsyncNetError.self) {
            try await DecodableSerializer(Int8.self).serialize(input)
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.hasSuffix("The document is 300, which is no Int8") == true)
    }

    struct Nothing: Decodable, EmptyResponse, Equatable {
        var isEmpty = true
        static let emptyValue = Nothing()
    }

    @Test(
        "An empty body is allowed for HEAD, 204 and 205, and as configured",
        arguments: [
            (HTTPMethod.head, 200, true), (.get, 204, true), (.get, 205, true), (.get, 200, false), (.post, 201, false),
        ])
    func emptyBodies(_ method: HTTPMethod, _ status: Int, _ isAllowed: Bool) async throws {
        let input = try response("", status: status, method: method)
        if isAllowed {
            #expect(try await DecodableSerializer(Nothing.self).serialize(input) == .emptyValue)
            #expect(try await JSONSerializer().serialize(input).isNull)
            #expect(try await DecodableSerializer(User?.self).serialize(input) == nil)
            let error = await #expect(throws: AsyncNetError.self) {
                try await DecodableSerializer(User.self).serialize(input)
            }
            #expect(error?.code == .emptyBody)
        } else {
            #expect(
                await AsyncNetError.code { _ = try await DecodableSerializer(Nothing.self).serialize(input) }
                    == .emptyBody)
            #expect(await AsyncNetError.code { _ = try await JSONSerializer().serialize(input) } == .emptyBody)
            let allowing = EmptyBodies(methods: [method], statusCodes: [])
            #expect(try await DecodableSerializer(Nothing.self, emptyBodies: allowing).serialize(input) == .emptyValue)
        }
        #expect(try await DataSerializer().serialize(input).isEmpty)
        #expect(try await StringSerializer().serialize(input).isEmpty)
        #expect(try await EmptySerializer().serialize(input) == .emptyValue)
    }

    @Test("googleXSSI removes its prefix once, and only at the start")
    func preprocessing() async throws {
        let serializer = JSONSerializer(preprocessor: .googleXSSI)
        #expect(try await serializer.serialize(response(")]}',\n[1]")) == [1])
        #expect(try await serializer.serialize(response("[1]")) == [1])
        #expect(
            await AsyncNetError.code { _ = try await serializer.serialize(response(")]}',\n)]}',\n[1]")) }
                == .decodingFailed)
    }

    @Test("CompoundSerializer returns the first success, and its error says that all serializers failed")
    func compound() async throws {
        let serializer = CompoundSerializer<String>(
            ClosureSerializer { try await DecodableSerializer(User.self).serialize($0).name },
            ClosureSerializer { try await JSONSerializer().serialize($0).title.string ?? "untitled" })
        #expect(try await serializer.serialize(response(User.json)) == "Ada")
        #expect(try await serializer.serialize(response(#"{"title":"T"}"#)) == "T")
        let input = try response("x")
        let error = await #expect(throws: AsyncNetError.self) { try await serializer.serialize(input) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.contains("None of 2 serializers") == true)
    }
}

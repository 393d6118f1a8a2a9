import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Parameter encoders", .timeLimit(.minutes(5)))
struct ParameterEncoderTests {
    private func request(_ url: String = "http://a/", _ method: String = "POST", type: String? = nil) throws
        -> URLRequest
    {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        if let type { request.setValue(type, forHTTPHeaderField: "content-type") }
        return request
    }

    /// All of a request that an encoder may change; `==` of FoundationNetworking looks at less.
    private func seen(_ request: URLRequest) -> [String] {
        let body = request.httpBody.map { $0.base64EncodedString() } ?? "none"
        return [
            "\(String(describing: request.url))", "\(request.allHTTPHeaderFields ?? [:])", request.httpMethod ?? "",
            body,
        ]
    }

    private static let all: [(any ParameterEncoder, String)] = [
        (.json, "application/json"), (.json(.sortedKeys), "application/json"),
        (.json(encoder: JSONEncoder()), "application/json"),
        (.urlEncodedForm, "application/x-www-form-urlencoded; charset=utf-8"),
        (.urlEncodedForm(destination: .httpBody), "application/x-www-form-urlencoded; charset=utf-8"),
        (.propertyList, "application/x-plist"), (.propertyList(format: .binary), "application/x-plist"),
    ]

    @Test("A body has the Content-Type of its encoder unless the request has one", arguments: 0..<all.count)
    func contentType(_ index: Int) throws {
        let (encoder, type) = Self.all[index]
        let plain = try encoder.encode(User.ada, into: request())
        #expect(plain.value(forHTTPHeaderField: "Content-Type") == type)
        #expect(plain.httpBody?.isEmpty == false)
        let typed = try encoder.encode(User.ada, into: request(type: "a/b"))
        #expect(typed.value(forHTTPHeaderField: "Content-Type") == "a/b")
        #expect(typed.httpBody == plain.httpBody || index < 3)
    }

    @Test("Parameters that are nil do not change the request")
    func nilParameters() throws {
        let encoders =
            Self.all.map(\.0) + [.query, ClosureParameterEncoder { _, request in request.httpBody = Data() }]
        for encoder in encoders {
            for method in ["GET", "POST"] {
                let request = try request("http://a/?b#c", method)
                #expect(try seen(encoder.encode(User?.none, into: request)) == seen(request))
                #expect(try seen(encoder.encode(User??.some(.none), into: request)) == seen(request))
                #expect(try seen(encoder.encode(JSON?.none, into: request)) == seen(request))
                #expect(try seen(encoder.encode(Optional(User.ada), into: request)) != seen(request))
            }
        }
    }

    // MARK: Forms

    private static let placements: [(URLEncodedFormParameterEncoder.Destination, String, Bool)] = [
        (.methodDependent, "GET", true), (.methodDependent, "HEAD", true), (.methodDependent, "DELETE", true),
        (.methodDependent, "POST", false), (.methodDependent, "PUT", false), (.methodDependent, "PATCH", false),
        (.methodDependent, "OPTIONS", false), (.methodDependent, "QUERY", false), (.methodDependent, "BREW", false),
        (.queryString, "GET", true), (.queryString, "POST", true), (.queryString, "QUERY", true),
        (.httpBody, "GET", false), (.httpBody, "DELETE", false), (.httpBody, "POST", false),
    ]

    private static let queries = [
        ("http://a/b", "http://a/b?k=1"), ("http://a", "http://a?k=1"), ("http://a/b?", "http://a/b?k=1"),
        ("http://a/b?x", "http://a/b?x&k=1"),
        ("http://a/b?x=%2B+%2b%7e&y", "http://a/b?x=%2B+%2b%7e&y&k=1"), ("http://a/b?x&", "http://a/b?x&k=1"),
        ("http://a/b?&", "http://a/b?&k=1"),
        ("http://a/b#f", "http://a/b?k=1#f"), ("http://a/b?x#f?g", "http://a/b?x&k=1#f?g"),
        ("http://a/%7Eb;c=d?#", "http://a/%7Eb;c=d?k=1#"),
        ("http://[::1]:8080/b?x=a/b?c", "http://[::1]:8080/b?x=a/b?c&k=1"),
        ("http://u:p@a/?k=0", "http://u:p@a/?k=0&k=1"), ("b/c?d", "b/c?d&k=1"),
    ]

    @Test(
        "Destination and method decide between query and body, and an existing query is kept", arguments: placements,
        queries)
    func destinations(
        _ row: (destination: URLEncodedFormParameterEncoder.Destination, method: String, isQuery: Bool),
        _ urls: (String, String)
    ) throws {
        let encoder = URLEncodedFormParameterEncoder(destination: row.destination)
        let result = try encoder.encode(["k": 1], into: request(urls.0, row.method))
        #expect(result.url?.absoluteString == (row.isQuery ? urls.1 : urls.0))
        #expect(result.httpBody == (row.isQuery ? nil : Data("k=1".utf8)))
        #expect(
            result.value(forHTTPHeaderField: "Content-Type")
                == (row.isQuery ? nil : "application/x-www-form-urlencoded; charset=utf-8"))
        #expect(result.httpMethod == row.method)
    }

    @Test("A form without pairs does not change the URL of a GET, and is an empty body of a POST", arguments: queries)
    func emptyForm(_ url: String, _: String) throws {
        let get = try request(url, "GET")
        #expect(try seen(URLEncodedFormParameterEncoder().encode([String: Int](), into: get)) == seen(get))
        let post = try URLEncodedFormParameterEncoder().encode([String: Int](), into: request(url, "POST"))
        #expect(post.httpBody == Data())
        #expect(post.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded; charset=utf-8")
    }

    @Test("Escapes of the form encoder are not escaped again in a query")
    func escaped() throws {
        let form = URLEncodedFormEncoder(spaceEncoding: .plusReplaced, escaping: .whatwg)
        let parameters = ["a b": "+&=#%日~*"]
        let result = try URLEncodedFormParameterEncoder(encoder: form, destination: .queryString).encode(
            parameters, into: request("http://a/?x=%25"))
        #expect(result.url?.absoluteString == "http://a/?x=%25&a+b=%2B%26%3D%23%25%E6%97%A5%7E*")
        let brackets = URLEncodedFormEncoder(escaping: .init(keeping: "[]|-._~"))
        let kept = try URLEncodedFormParameterEncoder(encoder: brackets, destination: .httpBody).encode(
            ["k": ["|"]], into: request())
        #expect(kept.httpBody == Data("k[]=|".utf8))
        let inQuery = URLEncodedFormParameterEncoder(encoder: brackets, destination: .queryString)
        let query = try inQuery.encode(["k": ["|"]], into: request("http://a/?%2B"))
        #expect(query.url?.absoluteString == "http://a/?%2B&k%5B%5D=%7C")
    }

    @Test("Encoding into a request without URL throws malformedURL")
    func noURL() throws {
        for encoder in Self.all.map(\.0) + [
            .query, ClosureParameterEncoder { _, request in request.httpBody = Data() },
        ] {
            var request = try request()
            request.url = nil
            let error = #expect(throws: AsyncNetError.self) { try encoder.encode(["k": 1], into: request) }
            #expect(error?.code == .malformedURL)
        }
    }

    @Test("Parameters that cannot be a form throw an EncodingError")
    func formErrors() {
        #expect(throws: EncodingError.self) { try URLEncodedFormParameterEncoder().encode(1, into: request()) }
        #expect(throws: EncodingError.self) {
            try URLEncodedFormParameterEncoder.query.encode(["a": Double.nan], into: request())
        }
    }

    // MARK: JSON

    @Test(
        "JSON parameters are formatted with the encoder's options, untyped JSON too",
        arguments: [
            (false, #"{"a":{"c":1,"d":2},"b":"x"}"#),
            (true, "{\n  \"a\": {\n    \"c\": 1,\n    \"d\": 2\n  },\n  \"b\": \"x\"\n}"),
        ])
    func jsonFormatting(_ isPretty: Bool, _ expected: String) throws {
        let formatting: JSONEncoder.OutputFormatting = isPretty ? [.sortedKeys, .prettyPrinted] : .sortedKeys
        struct Value: Encodable { var b = "x", a = ["d": 2, "c": 1] }
        let typed = try JSONParameterEncoder.json(formatting).encode(Value(), into: request())
        let untyped = try JSONParameterEncoder.json(formatting).encode(
            ["b": "x", "a": ["d": 2, "c": 1]] as JSON, into: request())
        #expect(untyped.httpBody == Data(expected.utf8))
        #expect(typed.httpBody.map { String(decoding: $0, as: UTF8.self).replacing(" :", with: ":") } == expected)
        let optional = try JSONParameterEncoder.json(formatting).encode(
            Optional(["b": "x", "a": ["d": 2, "c": 1]] as JSON), into: request())
        #expect(optional.httpBody == untyped.httpBody)
    }

    @Test("JSON null as parameters is the body `null`")
    func jsonNull() throws {
        #expect(try JSONParameterEncoder().encode(JSON.null, into: request()).httpBody == Data("null".utf8))
    }

    @Test("Untyped JSON keeps all digits of a number in a body")
    func jsonDigits() throws {
        let json = try JSON(parsing: "[1e400]")
        #expect(try JSONParameterEncoder().encode(json, into: request()).httpBody == Data("[1e400]".utf8))
    }

    // MARK: Property lists and closures

    @Test(
        "A property list is XML or binary, and decodes to the parameters",
        arguments: [
            (PropertyListParameterEncoder.propertyList, "<?xml"), (.propertyList(format: .xml), "<?xml"),
            (.propertyList(format: .binary), "bplist00"),
        ])
    func propertyList(_ encoder: PropertyListParameterEncoder, _ start: String) throws {
        let body = try #require(try encoder.encode(User.ada, into: request()).httpBody)
        #expect(body.starts(with: start.utf8))
        #expect(try PropertyListDecoder().decode(User.self, from: body) == .ada)
    }

    @Test(
        "A text, number or date as the parameters of a property list throws an EncodingError",
        arguments: [1, "a", Date.distantPast] as [any Encodable & Sendable])
    func propertyListRoots(_ value: any Encodable & Sendable) throws {
        #expect(throws: EncodingError.self) { try PropertyListParameterEncoder().encode(value, into: request()) }
        #expect(try PropertyListParameterEncoder().encode([1], into: request()).httpBody?.isEmpty == false)
    }

    @Test("In a property list nil members are omitted, and nil elements are $null")
    func propertyListNil() throws {
        struct Value: Codable, Sendable {
            var a: Int?
            var b: [Int?] = [nil]
        }
        let body = try #require(try PropertyListParameterEncoder().encode(Value(), into: request()).httpBody)
        let plist = try #require(
            try PropertyListSerialization.propertyList(from: body, format: nil) as? [String: [String]])
        #expect(plist == ["b": ["$null"]])
    }

    struct Failure: Error {}

    @Test("A closure encoder gets parameters and request, and its error is thrown unchanged")
    func closure() throws {
        let encoder = ClosureParameterEncoder { parameters, request in
            guard let user = parameters as? User else { throw Failure() }
            request.setValue(user.name, forHTTPHeaderField: "X-Name")
        }
        #expect(try encoder.encode(User.ada, into: request()).value(forHTTPHeaderField: "X-Name") == "Ada")
        #expect(throws: Failure.self) { try encoder.encode(1, into: request()) }
    }

    // MARK: In a session

    @Test("A session's request has the query or body that its parameter encoder makes")
    func session() async throws {
        let stub = StubTransport { _ in .json([:]) }
        let session = Session(transport: stub)
        let requests = [
            session.request("http://a/b?c=%2B#d", parameters: ["k": "ü"], encoder: .urlEncodedForm),
            session.request("http://a/b", method: .post, parameters: ["k": "ü"], encoder: .urlEncodedForm),
            session.request("http://a/b", method: .post, parameters: ["k": "ü"], encoder: .query),
            session.request(
                "http://a/b", parameters: ["k": [1]],
                encoder: .urlEncodedForm(encoder: .init(arrayEncoding: .noBrackets))),
            session.request("http://a/b", method: .put, parameters: ["b": 1, "a": 2], encoder: .json(.sortedKeys)),
            session.request("http://a/b", method: .put, parameters: Int?.none, encoder: .propertyList),
            session.request(
                "http://a/b", method: .put, parameters: 1,
                encoder: ClosureParameterEncoder { $1.httpBody = Data("\($0)".utf8) }),
        ]
        for request in requests { _ = await request.serializing(Data.self).result }
        let sent = stub.requests.map { "\($0.method) \($0.target) \($0.headers["Content-Type"] ?? "-") \($0.text)" }
        #expect(
            sent == [
                "GET /b?c=%2B&k=%C3%BC - ", "POST /b application/x-www-form-urlencoded; charset=utf-8 k=%C3%BC",
                "POST /b?k=%C3%BC - ", "GET /b?k=1 - ",
                #"PUT /b application/json {"a":2,"b":1}"#, "PUT /b - ", "PUT /b - 1",
            ])
    }

    @Test("An encoder's error ends the request with encodingFailed, and nothing is sent")
    func sessionErrors() async throws {
        let stub = StubTransport { _ in .json([:]) }
        let error = await Session(transport: stub).request("http://a", parameters: 1, encoder: .query).serializing(
            Data.self
        ).result.failure
        #expect(error?.code == .encodingFailed)
        #expect(error?.underlyingError is EncodingError)
        #expect(stub.requests.isEmpty)
    }
}

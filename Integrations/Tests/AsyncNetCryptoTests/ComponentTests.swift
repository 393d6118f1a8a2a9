import AsyncNet
import Foundation
import RawStructuredFieldValues
import Testing

@testable import AsyncNetCrypto

/// Values of components: the examples of RFC 9421 §2.1 to §2.2.9, and what cannot be covered.
@Suite("HTTP message signatures: components")
struct ComponentTests {
    static let fieldValues: [(SignatureComponent, String)] = [
        ("host", "www.example.com"), ("X-OWS-Header", "Leading and trailing whitespace."),
        ("x-obs-fold-header", "Obsolete line folding."), ("cache-control", "max-age=60, must-revalidate"),
        ("example-dict", "a=1,    b=2;x=1;y=2,   c=(a   b   c), d"), ("x-empty-header", ""),
        (.field("Example-Dict", .structured(.dictionary)), "a=1, b=2;x=1;y=2, c=(a b c), d"),
        (.field("example-dict", .member("a")), "1"), (.field("example-dict", .member("b")), "2;x=1;y=2"),
        (.field("example-dict", .member("c")), "(a b c)"), (.field("example-dict", .member("d")), "?1"),
        (.field("example-header", .binaryWrapped), ":dmFsdWUsIHdpdGgsIGxvdHM=:, :b2YsIGNvbW1hcw==:"),
        ("example-header", "value, with, lots, of, commas"),
        (.field("priority", .structured(.dictionary)), "u=1, i"), ("content-length", "18"),
    ]

    @Test("Fields", arguments: fieldValues)
    func field(_ component: SignatureComponent, _ value: String) throws {
        let head = HTTPRequestHead(
            url: URL(string: "http://www.example.com/")!,
            headers: [
                HTTPHeader(name: "X-OWS-Header", value: "   Leading and trailing whitespace.   "),
                HTTPHeader(name: "X-Obs-Fold-Header", value: "Obsolete\r\n    line folding."),
                "Cache-Control: max-age=60", "Cache-Control:    must-revalidate", "X-Empty-Header:",
                "Example-Dict: a=1,    b=2;x=1;y=2,   c=(a   b   c), d", "Example-Header: value, with, lots",
                "Example-Header: of, commas", "Priority: u=1,   i",
            ])
        #expect(try SignedMessage(request: head, contentLength: 18).value(of: component) == value)
    }

    static let derivedValues: [(String, SignatureComponent, String)] = [
        ("https://www.example.com/path?param=value", .method, "POST"),
        ("https://u:p@WWW.example.com:443/path?q=1#f", .targetURI, "https://www.example.com/path?q=1"),
        ("https://www.example.com", .targetURI, "https://www.example.com/"),
        ("HTTP://www.Example.com:80/", .authority, "www.example.com"),
        ("https://www.example.com:80/", .authority, "www.example.com:80"),
        ("http://[::1]:8080/", .authority, "[::1]:8080"),
        ("http://www.example.com/", .scheme, "http"),
        ("http://www.example.com/path?param=value", .requestTarget, "/path?param=value"),
        ("http://www.example.com", .requestTarget, "/"), ("http://www.example.com", .path, "/"),
        ("http://www.example.com/a%2Fb/../c?q", .path, "/a%2Fb/../c"),
        (
            "http://www.example.com/path?param=value&foo=bar&baz=bat%2Dman", .query,
            "?param=value&foo=bar&baz=bat%2Dman"
        ),
        ("http://www.example.com/path?queryString", .query, "?queryString"),
        ("http://www.example.com/path", .query, "?"),
        ("http://www.example.com/path?", .query, "?"),
        ("http://www.example.com/path?param=value&foo=bar&baz=batman&qux=", .queryParameter("baz"), "batman"),
        ("http://www.example.com/path?param=value&foo=bar&baz=batman&qux=", .queryParameter("qux"), ""),
        (parameters, .queryParameter("var"), "this%20is%20a%20big%0Amultiline%20value"),
        (parameters, .queryParameter("bar"), "with%20plus%20whitespace"),
        (parameters, .queryParameter("façade\": "), "something"),
        ("http://www.example.com/?a=%7E*-._", .queryParameter("a"), "%7E*-._"),
    ]

    private static let parameters =
        "https://www.example.com/parameters?var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace&fa%C3%A7ade%22%3A%20=something"

    @Test("What is derived from the request", arguments: derivedValues)
    func derived(_ url: String, _ component: SignatureComponent, _ value: String) throws {
        let head = HTTPRequestHead(method: .post, url: try url.asURL())
        #expect(try SignedMessage(request: head).value(of: component) == value)
        let response = HTTPResponseHead(statusCode: 204, url: head.url)
        let message = SignedMessage(request: head, response: response)
        #expect(try message.value(of: component.ofRequest) == value)
        #expect(throws: SignatureFailure.self) { try message.value(of: component) }
    }

    @Test("The identifier of a component is its strict form, with the parameters in their order")
    func identifiers() {
        #expect("\(SignatureComponent.queryParameter("façade\": "))" == #""@query-param";name="fa%C3%A7ade%22%3A%20""#)
        #expect("\(SignatureComponent.field("X", .member("a")).ofRequest)" == #""x";key="a";req"#)
        #expect("\(SignatureComponent.field("X", .structured(.list)))" == #""x";sf"#)
        let reversed = SignatureComponent("x", ["req": .bool(true), "key": .string("a")])
        #expect(reversed == SignatureComponent.field("x", .member("a")).ofRequest)
        #expect(reversed.hashValue == SignatureComponent.field("x", .member("a")).ofRequest.hashValue)
        #expect(SignatureComponent.field("x", .member("a")) != .field("x", .member("b")))
    }

    static let refused: [SignatureComponent] = [
        "missing", "@signature-params", "@unknown", .status, .method.ofRequest, .queryParameter("none"),
        .queryParameter("twice"), .field("list", .member("a")), .field("date", .structured(.item)),
        SignatureComponent("list", ["bs": .bool(true), "sf": .bool(true)]),
        SignatureComponent("list", ["sf": .bool(true)]),
        SignatureComponent("list", ["tr": .bool(true)]), SignatureComponent("list", ["x": .integer(1)]), "accept",
    ]

    @Test("What a request cannot cover", arguments: refused)
    func refusedByRequest(_ component: SignatureComponent) throws {
        let head = HTTPRequestHead(
            url: URL(string: "https://example.com/?twice=1&twice=2")!,
            headers: ["List: 1, 2", "Date: Tue, 20 Apr 2021 02:07:55 GMT", .omitting("Accept")])
        let message = SignedMessage(request: head)
        #expect(
            performing: { try message.value(of: component) },
            throws: { $0 is SignatureFailure || $0 is StructuredHeaderError })
    }

    @Test("A component cannot be covered twice")
    func twice() {
        #expect(throws: SignatureFailure.self) { try SignatureBase([.method, .method], [:], of: .post) }
    }
}

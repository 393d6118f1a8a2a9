import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Link fields", .timeLimit(.minutes(5)))
struct LinkTests {
    private static let base = "http://example.com/TheBook/chapter3?draft=1"

    /// Each link as `target [relations] name=value…`, with `from context` if that is not the response.
    private func texts(_ fields: [String], base: String = base) throws -> [String] {
        let url = try base.asURL()
        return HTTPHeaders(fields.map { HTTPHeader(name: "Link", value: $0) }).links(relativeTo: url).map { link in
            let parameters = link.parameters.filter { $0.key != "rel" && $0.key != "anchor" }.sorted { $0.key < $1.key }
            let context = link.context == url ? [] : ["from \(link.context)"]
            return (["\(link.target) \(link.relations)"] + parameters.map { "\($0.key)=\($0.value)" } + context)
                .joined(separator: " ")
        }
    }

    @Test(
        "The examples of RFC 8288 §3.5 are parsed",
        arguments: [
            (
                #"<http://example.com/TheBook/chapter2>; rel="previous"; title="previous chapter""#,
                [#"http://example.com/TheBook/chapter2 ["previous"] title=previous chapter"#]
            ),
            (#"</>; rel="http://example.net/foo""#, [#"http://example.com/ ["http://example.net/foo"]"#]),
            (
                ##"</terms>; rel="copyright"; anchor="#foo""##,
                [#"http://example.com/terms ["copyright"] from http://example.com/TheBook/chapter3?draft=1#foo"#]
            ),
            (
                """
                </TheBook/chapter2>; rel="previous"; title*=UTF-8'de'letztes%20Kapitel, \
                </TheBook/chapter4>; rel="next"; title*=UTF-8'de'n%c3%a4chstes%20Kapitel
                """,
                [
                    #"http://example.com/TheBook/chapter2 ["previous"] title=letztes Kapitel"#,
                    #"http://example.com/TheBook/chapter4 ["next"] title=nächstes Kapitel"#,
                ]
            ),
            (
                #"<http://example.org/>; rel="start http://example.net/relation/other""#,
                [#"http://example.org/ ["start", "http://example.net/relation/other"]"#]
            ),
            (
                #"<https://example.org/>; rel="start", <https://example.org/index>; rel="index""#,
                [#"https://example.org/ ["start"]"#, #"https://example.org/index ["index"]"#]
            ),
        ])
    func examples(_ field: String, _ expected: [String]) throws {
        #expect(try texts([field]) == expected)
    }

    @Test(
        "Targets, parameters and quoted strings of Link are parsed (RFC 8288 §3, Appendix B)",
        arguments: [
            ("<a,b;c>;rel=next", [#"http://example.com/TheBook/a,b;c ["next"]"#]),
            (#"<a>; rel=next; title="x, <y>; rel=z""#, [#"http://example.com/TheBook/a ["next"] title=x, <y>; rel=z"#]),
            (#"<a>; title="\"q\" \\ \n"; rel=next"#, [#"http://example.com/TheBook/a ["next"] title="q" \ n"#]),
            ("<?page=2>; REL=NeXt", [#"http://example.com/TheBook/chapter3?page=2 ["next"]"#]),
            ("<>; rel=self", [#"http://example.com/TheBook/chapter3?draft=1 ["self"]"#]),
            ("< /a >; rel=next", [#"http://example.com/a ["next"]"#]),
            ("<//b/c>; rel=next", [#"http://b/c ["next"]"#]),
            ("<../x>; rel=next", [#"http://example.com/x ["next"]"#]),
            ("<urn:isbn:1>; rel=cite-as", [#"urn:isbn:1 ["cite-as"]"#]),
            ("<a>; rel=\"  next \t last \"", [#"http://example.com/TheBook/a ["next", "last"]"#]),
            ("<a>; rel=next; rel=last", [#"http://example.com/TheBook/a ["next"]"#]),
            ("<a>;rel = next ; media=print;media=screen", [#"http://example.com/TheBook/a ["next"] media=print"#]),
            ("<a>", ["http://example.com/TheBook/a []"]),
            ("<a>; crossorigin; rel=next", [#"http://example.com/TheBook/a ["next"] crossorigin="#]),
            (
                "<a>; rel=next; title=plain; title*=UTF-8''%C3%A4",
                [#"http://example.com/TheBook/a ["next"] title=ä"#]
            ),
            ("<a>; rel=next; title=plain; title*=UTF-8''%C3", [#"http://example.com/TheBook/a ["next"] title=plain"#]),
            ("<a b>; rel=next", [#"http://example.com/TheBook/a%20b ["next"]"#]),
        ])
    func cases(_ field: String, _ expected: [String]) throws {
        #expect(try texts([field]) == expected)
        #expect(try texts([" ,, \(field) , "]) == expected, "empty elements are skipped")
        #expect(try texts(["\(field), <z>; rel=z"]).dropLast() == expected[...], "a link does not swallow the next")
    }

    @Test(
        "A malformed link value is skipped, and the link in the next header line is parsed",
        arguments: [
            "", ",", "next", "<a", "a>; rel=x", "<a;rel=\"", "=", "\"", "\"<b>; rel=next", "<http://[>; rel=next",
            "<http://a b/>; rel=next", "<a>; rel=x; anchor=\"http://[\"",
        ])
    func hostile(_ field: String) throws {
        #expect(try texts([field, "<c>; rel=next"]) == [#"http://example.com/TheBook/c ["next"]"#])
    }

    @Test("A malformed link value is skipped, and the links after it in the same line are parsed")
    func recovers() throws {
        #expect(
            try texts(["junk, <a> junk; rel=x, \"a, b\", <c>; rel=next"]) == [
                "http://example.com/TheBook/a []", #"http://example.com/TheBook/c ["next"]"#,
            ])
    }

    @Test(
        "Parsing a megabyte of brackets, quotes or commas as Link takes linear time",
        arguments: ["<", "<>", "\"", "\\", ",", ";", "<a>;"])
    func large(_ piece: String) throws {
        let text = String(repeating: piece, count: (1 << 20) / piece.utf8.count)
        _ = try texts([text])
    }

    @Test("Links are read from a response head and from an HTTPURLResponse, which joins the lines")
    func accessors() throws {
        let url = try "http://a/list?page=2".asURL()
        let fields = ["</first>; rel=first", "<?page=3>; rel=\"next\", <?page=1>; rel=prev"]
        let head = HTTPResponseHead(
            statusCode: 200, url: url, headers: HTTPHeaders(fields.map { HTTPHeader(name: "link", value: $0) }))
        #expect(head.links.map(\.relations) == [["first"], ["next"], ["prev"]])
        let response = try #require(head.urlResponse)
        #expect(HTTPResponseHead(response, url: url).links == head.links)
        let next = try #require(head.links.first { $0.has(relation: "NEXT") })
        #expect(
            next.target.absoluteString == "http://a/list?page=3" && next.context == url
                && next.parameters["title"] == nil)
        #expect(HTTPResponseHead(statusCode: 200, url: url).links.isEmpty)
    }

    @Test("The description and dump of a Link contain neither userinfo, query nor fragment")
    func secrets() throws {
        let link = try #require(
            HTTPHeaders(["Link": "<http://u:secret@a/b?secret=1#secret>; rel=next; title=secret"]).links(
                relativeTo: "http://a/".asURL()
            ).first)
        var dumped = ""
        dump(link, to: &dumped)
        #expect("\(link)" == #"<http://a/b>; rel="next""#)
        #expect(!dumped.contains("secret") && !String(reflecting: link).contains("secret"))
    }
}

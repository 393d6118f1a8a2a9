import AsyncNet
import Foundation
import Testing

@Suite("URL templates", .timeLimit(.minutes(5)))
struct URLTemplateTests {
    /// The variables of RFC 6570 §3.2.
    private static let variables: [String: any URLTemplateValue & Sendable] = [
        "count": ["one", "two", "three"], "dom": ["example", "com"], "dub": "me/too", "hello": "Hello World!",
        "half": "50%", "var": "value", "who": "fred", "base": "http://example.com/home/", "path": "/foo/bar",
        "list": ["red", "green", "blue"],
        "keys": URLTemplate.Value.pairs([
            .init(name: "semi", value: ";"), .init(name: "dot", value: "."), .init(name: "comma", value: ","),
        ]),
        "v": "6", "x": 1024, "y": "768", "empty": "", "empty_keys": [String: String](), "undef": String?.none,
    ]

    /// The tables of RFC 6570 §3.2.1 to §3.2.9.
    @Test(
        "Templates are expanded as in the examples of RFC 6570 §3.2",
        arguments: [
            ("{count}", "one,two,three"), ("{count*}", "one,two,three"), ("{/count}", "/one,two,three"),
            ("{/count*}", "/one/two/three"), ("{;count}", ";count=one,two,three"),
            ("{;count*}", ";count=one;count=two;count=three"), ("{?count}", "?count=one,two,three"),
            ("{?count*}", "?count=one&count=two&count=three"), ("{&count*}", "&count=one&count=two&count=three"),
            // 3.2.2
            ("{var}", "value"), ("{hello}", "Hello%20World%21"), ("{half}", "50%25"), ("O{empty}X", "OX"),
            ("O{undef}X", "OX"), ("{x,y}", "1024,768"), ("{x,hello,y}", "1024,Hello%20World%21,768"),
            ("?{x,empty}", "?1024,"), ("?{x,undef}", "?1024"), ("?{undef,y}", "?768"), ("{var:3}", "val"),
            ("{var:30}", "value"), ("{list}", "red,green,blue"), ("{list*}", "red,green,blue"),
            ("{keys}", "semi,%3B,dot,.,comma,%2C"), ("{keys*}", "semi=%3B,dot=.,comma=%2C"),
            // 3.2.3
            ("{+var}", "value"), ("{+hello}", "Hello%20World!"), ("{+half}", "50%25"),
            ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
            ("{+base}index", "http://example.com/home/index"),
            ("O{+empty}X", "OX"), ("O{+undef}X", "OX"), ("{+path}/here", "/foo/bar/here"),
            ("here?ref={+path}", "here?ref=/foo/bar"), ("up{+path}{var}/here", "up/foo/barvalue/here"),
            ("{+x,hello,y}", "1024,Hello%20World!,768"), ("{+path,x}/here", "/foo/bar,1024/here"),
            ("{+path:6}/here", "/foo/b/here"), ("{+list}", "red,green,blue"), ("{+list*}", "red,green,blue"),
            ("{+keys}", "semi,;,dot,.,comma,,"), ("{+keys*}", "semi=;,dot=.,comma=,"),
            // 3.2.4
            ("{#var}", "#value"), ("{#hello}", "#Hello%20World!"), ("{#half}", "#50%25"), ("foo{#empty}", "foo#"),
            ("foo{#undef}", "foo"), ("{#x,hello,y}", "#1024,Hello%20World!,768"),
            ("{#path,x}/here", "#/foo/bar,1024/here"), ("{#path:6}/here", "#/foo/b/here"),
            ("{#list}", "#red,green,blue"), ("{#list*}", "#red,green,blue"), ("{#keys}", "#semi,;,dot,.,comma,,"),
            ("{#keys*}", "#semi=;,dot=.,comma=,"),
            // 3.2.5
            ("{.who}", ".fred"), ("{.who,who}", ".fred.fred"), ("{.half,who}", ".50%25.fred"),
            ("www{.dom*}", "www.example.com"), ("X{.var}", "X.value"), ("X{.empty}", "X."), ("X{.undef}", "X"),
            ("X{.var:3}", "X.val"), ("X{.list}", "X.red,green,blue"), ("X{.list*}", "X.red.green.blue"),
            ("X{.keys}", "X.semi,%3B,dot,.,comma,%2C"), ("X{.keys*}", "X.semi=%3B.dot=..comma=%2C"),
            ("X{.empty_keys}", "X"), ("X{.empty_keys*}", "X"),
            // 3.2.6
            ("{/who}", "/fred"), ("{/who,who}", "/fred/fred"), ("{/half,who}", "/50%25/fred"),
            ("{/who,dub}", "/fred/me%2Ftoo"), ("{/var}", "/value"), ("{/var,empty}", "/value/"),
            ("{/var,undef}", "/value"), ("{/var,x}/here", "/value/1024/here"), ("{/var:1,var}", "/v/value"),
            ("{/list}", "/red,green,blue"), ("{/list*}", "/red/green/blue"),
            ("{/list*,path:4}", "/red/green/blue/%2Ffoo"), ("{/keys}", "/semi,%3B,dot,.,comma,%2C"),
            ("{/keys*}", "/semi=%3B/dot=./comma=%2C"),
            // 3.2.7
            ("{;who}", ";who=fred"), ("{;half}", ";half=50%25"), ("{;empty}", ";empty"),
            ("{;v,empty,who}", ";v=6;empty;who=fred"), ("{;v,bar,who}", ";v=6;who=fred"), ("{;x,y}", ";x=1024;y=768"),
            ("{;x,y,empty}", ";x=1024;y=768;empty"), ("{;x,y,undef}", ";x=1024;y=768"), ("{;hello:5}", ";hello=Hello"),
            ("{;list}", ";list=red,green,blue"), ("{;list*}", ";list=red;list=green;list=blue"),
            ("{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"), ("{;keys*}", ";semi=%3B;dot=.;comma=%2C"),
            // 3.2.8
            ("{?who}", "?who=fred"), ("{?half}", "?half=50%25"), ("{?x,y}", "?x=1024&y=768"),
            ("{?x,y,empty}", "?x=1024&y=768&empty="), ("{?x,y,undef}", "?x=1024&y=768"), ("{?var:3}", "?var=val"),
            ("{?list}", "?list=red,green,blue"), ("{?list*}", "?list=red&list=green&list=blue"),
            ("{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"), ("{?keys*}", "?semi=%3B&dot=.&comma=%2C"),
            // 3.2.9
            ("{&who}", "&who=fred"), ("{&half}", "&half=50%25"), ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
            ("{&x,y,empty}", "&x=1024&y=768&empty="), ("{&x,y,undef}", "&x=1024&y=768"), ("{&var:3}", "&var=val"),
            ("{&list}", "&list=red,green,blue"), ("{&list*}", "&list=red&list=green&list=blue"),
            ("{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"), ("{&keys*}", "&semi=%3B&dot=.&comma=%2C"),
        ])
    func expansions(_ template: String, _ expected: String) throws {
        #expect(try URLTemplate(template, Self.variables).expanded() == expected)
    }

    @Test(
        "Literals of a template are percent-encoded, and a prefix modifier counts characters",
        arguments: [
            ("a b/é%20%x", [:], "a%20b/%C3%A9%20%25x"), ("{a.b}{c%20d}", ["a.b": 1, "c%20d": true], "1true"),
            ("{n:2}", ["n": "äöü"], "%C3%A4%C3%B6"), ("{e*}", ["e": ["b": 2, "a": 1]], "a=1,b=2"),
            ("{l}", ["l": [String]()], ""), ("{+p}", ["p": "50%25%"], "50%25%25"),
        ] as [(String, [String: any URLTemplateValue & Sendable], String)])
    func more(_ template: String, _ values: [String: any URLTemplateValue & Sendable], _ expected: String) throws {
        #expect(try URLTemplate(template, values).expanded() == expected)
    }

    @Test(
        "A path segment that a template's values make . or .. is percent-encoded, unless {+n} or {#n} expands it",
        arguments: [
            ("users/{n}/x", "..", "users/%2E%2E/x"), ("users/{n}", ".", "users/%2E"), ("{n}{n}", ".", "%2E%2E"),
            ("users{/n}?a={n}", "..", "users/%2E%2E?a=.."), ("a/.{n}", ".", "a/%2E%2E"), ("a/{.n}", ".", "a/%2E%2E"),
            ("{n}", "...", "..."), ("../{n}/.", "a", "../a/."), ("x{#n}", "..", "x#.."), ("{+n}", "../a", "../a"),
            ("{n}", "a/../b", "a%2F..%2Fb"), ("{n}", "%2e", "%252e"),
        ])
    func dots(_ template: String, _ value: String, _ expected: String) throws {
        #expect(try URLTemplate(template, ["n": value]).expanded() == expected)
        let lists = ["{/n*}": "/%2E%2E", "{n}": "%2E%2E", "{n*}": "%2E%2E"]
        for (template, expected) in lists { #expect(try URLTemplate(template, ["n": [".."]]).expanded() == expected) }
    }

    @Test(
        "A template that violates RFC 6570 throws malformedURL",
        arguments: [
            "{/id*", "/id*}", "{/?id}", "{var:prefix}", "{hello:2*}", "{??hello}", "{!hello}", "{=path}", "{$var}",
            "{|var*}", "{*keys?}", "{?empty=default,var}", "{-prefix|/-/|var}", "x{?empty|foo=none}", "/h{#hello+}",
            "{keys:1}", "{+keys:1}", "{;keys:1*}", "{~thing}", "{}", "{a,}", "{a..b}", "{a%2}", "{a:0}", "{a:10000}",
            "{{a}}", "{list:3}", "{x, y}", "{ x}",
        ])
    func malformed(_ template: String) {
        let error = #expect(throws: AsyncNetError.self) { try URLTemplate(template, Self.variables).asURL() }
        #expect(error?.code == .malformedURL)
    }

    @Test("The description and dump of a template do not contain its values")
    func secrets() {
        let template = URLTemplate("users/{name}", ["name": "secret"])
        var dumped = ""
        dump(template, to: &dumped)
        #expect("\(template)" == "users/{name}" && !dumped.contains("secret"))
    }
}

@Suite("Path segments in string interpolation", .timeLimit(.minutes(5)))
struct PathSegmentTests {
    @Test(
        "An interpolated segment with slashes, dots or delimiters stays one segment of the path",
        arguments: [
            ("ada", "ada"), ("a/b", "a%2Fb"), ("a b?c#d", "a%20b%3Fc%23d"), ("..", "%2E%2E"), (".", "%2E"),
            ("...", "..."), ("a.b", "a.b"), ("é", "%C3%A9"), ("50%", "50%25"), ("%2e%2e", "%252e%252e"), ("", ""),
            ("a:b@c;d=e&f+g", "a%3Ab%40c%3Bd%3De%26f%2Bg"), ("~-_", "~-_"), ("\u{0}\n", "%00%0A"),
        ])
    func segments(_ value: String, _ expected: String) throws {
        #expect("users/\(segment: value)/x" == "users/\(expected)/x")
        let base = try "https://a/v1/".asURL()
        let url = try #require(URL(string: "users/\(segment: value)/x", relativeTo: base))
        #expect(url.absoluteURL.path(percentEncoded: true) == "/v1/users/\(expected)/x")
    }

    @Test("Numbers and UUIDs can be interpolated as segments; without segment: a text is inserted as it is")
    func others() {
        #expect(
            "\(segment: 7)/\("a/b")/\(segment: UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)))"
                == "7/a/b/00010203-0405-0607-0809-0A0B0C0D0E0F")
    }
}

import Foundation
import Testing

@testable import AsyncNet

@Suite("URL references", .timeLimit(.minutes(5)))
struct URLReferenceTests {
    /// RFC 3986 §5.4.1 and §5.4.2, all of them.
    @Test(
        "URL references are resolved against a base URL (RFC 3986 §5.4)",
        arguments: [
            ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"),
            ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"),
            ("g;x", "http://a/b/c/g;x"),
            ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"),
            ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
            ("../../", "http://a/"),
            ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
            ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
            ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("g#s/./x", "http://a/b/c/g#s/./x"),
            ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
        ])
    func resolution(_ reference: String, _ expected: String) {
        let base = URLReference("http://a/b/c/d;p?q")
        #expect(URLReference(reference).resolved(against: base).text == expected)
    }

    @Test(
        "Percent-encodings of a URL are kept, and invalid characters are encoded once",
        arguments: [
            ("http://a/b c", "http://a/b%20c"), ("http://a/%2B?x=%2B b", "http://a/%2B?x=%2B%20b"),
            ("http://a/ü?ü#ü", "http://a/%C3%BC?%C3%BC#%C3%BC"),
            ("http://a/%zz", "http://a/%25zz"), ("http://a/?a[]=1", "http://a/?a%5B%5D=1"),
            ("http://a/\"<>\\^`{|}", "http://a/%22%3C%3E%5C%5E%60%7B%7C%7D"),
            ("http://[::1]:80/", "http://[::1]:80/"), ("http://a/%e4%b8%ad", "http://a/%e4%b8%ad"),
            ("http://exämple.de/", "http://xn--exmple-cua.de/"),
            ("http://u@a.b-c:80/d_e/~f,g+h?i=j&k=?:/@", "http://u@a.b-c:80/d_e/~f,g+h?i=j&k=?:/@"),
        ])
    func encoding(_ text: String, _ expected: String) throws {
        #expect(try text.asURL().absoluteString == expected)
    }

    @Test(
        "A text that is not an HTTP URL throws malformedURL or unsupportedScheme",
        arguments: [
            ("", .malformedURL), ("not a url", .malformedURL), ("http://", .malformedURL), ("http:///x", .malformedURL),
            ("http://a b/", .malformedURL),
            ("http://[::1", .malformedURL), ("http://a:x/", .malformedURL), ("http://a:99999/", .malformedURL),
            ("http://a:0/", .malformedURL),
            ("http:x", .malformedURL), ("ftp://a/", .unsupportedScheme), ("file:///etc/passwd", .unsupportedScheme),
            ("javascript:alert(1)", .unsupportedScheme), ("/relative", .malformedURL), ("http://a\\b/", .malformedURL),
            ("http://a\u{0}/", .malformedURL), ("http://[localhost]/", .malformedURL),
            ("http://u@[127.0.0.1]:1/", .malformedURL), ("http://[zz]/", .malformedURL),
        ] as [(String, AsyncNetError.Code)])
    func refused(_ text: String, _ code: AsyncNetError.Code) {
        let error = #expect(throws: AsyncNetError.self) { try text.asURL().checkedForHTTP() }
        #expect(error?.code == code)
    }

    @Test(
        "The description of a URL has no userinfo, path parameters, query and fragment",
        arguments: [
            ("https://u:p@h:1/a?t=1#f", "https://h:1/a"), ("https://h/a", "https://h/a"), ("http://u@h", "http://h"),
            ("http://h/a@b", "http://h/a@b"), ("http://u;v:p@h/a;sid=1/b;c", "http://h/a/b"),
            ("http://h/http://u:p@i/a@b;c?d", "http://h/http://i/a@b"), ("http://u@h//v@w/", "http://h//w/"),
        ])
    func shown(_ text: String, _ expected: String) throws {
        #expect(try text.asURL().withoutSecrets == expected)
    }
}

import Testing

@testable import AsyncNet

/// FoundationNetworking gives several `Set-Cookie` as one, joined by `, `.
@Suite("Splitting joined Set-Cookie", .timeLimit(.minutes(5)))
struct SetCookieSplittingTests {
    @Test(
        "A single Set-Cookie value is not split, even if it contains commas",
        arguments: [
            "", " ", "a=1", "a=1; Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT; HttpOnly",
            "a=1; Expires=Wednesday, 21-Oct-15 07:28:00 GMT", "a=1; expires=Wed, 21 Oct 2015 07:28:00 GMT",
            "a=1,2,3", "a=1, 2, 3", "a=1,b=2", "a=1,b=2; Path=/", "a={\"x\":1,\"y\":2}", "a=x, y; Path=/", "a=1 ,b=2",
            "a=1,  b=2", "a=1,\tb=2", "abc", "abc, def",
            "a=\"x, y=z\"", "a=\"x, y=z\"; Path=/", "a=\"x, y=z\" ; Path=/", "a=1; Comment=\"c, d=e\"; Version=1",
            "a=x, http://b/?c=d", "a=x, \"b\"=c", "a=x, =c", "a=x, b c=d", "a=x, é=1",
            "a=\"\"", "a=\"", "a=1,", ",", "a=", ",a=1", ", ",
        ])
    func whole(_ value: String) {
        #expect(SetCookie.split(value) == [value])
    }

    @Test(
        "Set-Cookie values that were joined by commas are split again",
        arguments: [
            ["a=1", "b=2"], ["a=1; Path=/", "b=2; Path=/", "c=3"],
            ["a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT", "b=2"],
            [
                "a=1; Expires=Wednesday, 21-Oct-15 07:28:00 GMT; Path=/", "b=2; Expires=Thu, 22 Oct 2015 07:28:00 GMT",
                "c=3; Expires=Wed Oct 21 07:28:00 2015",
            ],
            ["a=1, 2", "b=3, 4; Path=/", "c=5"], ["a=", "b="], ["a=;", "b=1"],
            ["a=\"x, y=z\"", "b=\"u, v=w\"; Path=/", "c=\"\""], ["a=\"1", "b=2"], ["abc", "d=1"],
            ["__Host-a=1; Secure; Path=/", "__Secure-b=2; Secure"], ["user[1]=x", "user[2]=y"], ["a=1,", "b=2"],
            ["a=1,2", "b=3,4"], ["a=x=", "b=y=="], ["=1", "b=2"],
            ["a=1; Secure", "a=1; Secure"], ["a=1; Path=/x,y", "b=2"], ["a=1; Path=\"/x, y=z\"", "b=2"],
            ["!#$%&'*+-.^_`|~=1", "!#$%&'*+-.^_`|~=2"],
        ])
    func joined(_ values: [String]) {
        #expect(SetCookie.split(values.joined(separator: ", ")) == values)
    }

    @Test(
        "Empty values between joined Set-Cookie values are removed",
        arguments: [
            ["", "a=1"], ["a=1", ""], ["a=1", "", "b=2"], ["", "", "a=1", "", "", "b=2", ""],
        ])
    func empty(_ values: [String]) {
        #expect(SetCookie.split(values.joined(separator: ", ")) == values.filter { !$0.isEmpty })
    }

    /// What nothing can tell apart; the documentation lists it.
    @Test(
        "A joined Set-Cookie value that is ambiguous is split as the documentation says",
        arguments: [
            ("a=1, b=2", ["a=1", "b=2"]), ("foo=bar, baz=qux; Path=/", ["foo=bar", "baz=qux; Path=/"]),
            ("a=1, b", ["a=1, b"]), ("a=1, b{=2", ["a=1, b{=2"]),
            ("a=\"1, b=2\"", ["a=\"1, b=2\""]), ("a=1; Comment=x, Path=/", ["a=1; Comment=x", "Path=/"]),
        ])
    func ambiguous(_ joined: String, _ values: [String]) {
        #expect(SetCookie.split(joined) == values)
    }
}

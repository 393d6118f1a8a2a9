import Testing

@testable import AsyncNet

@Suite("Authentication challenges (RFC 9110 §11.6.1)", .timeLimit(.minutes(5)))
struct AuthenticationChallengeTests {
    typealias Challenge = AuthenticationChallenge

    @Test(
        "WWW-Authenticate lines are parsed into challenges with scheme, parameters and token68",
        arguments: [
            ([], []),
            (["Basic realm=\"simple\""], [Challenge(scheme: "basic", parameters: ["realm": "simple"])]),
            (
                ["Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\""],
                [
                    Challenge(
                        scheme: "newauth", parameters: ["realm": "apps", "type": "1", "title": "Login to \"apps\""]),
                    Challenge(scheme: "basic", parameters: ["realm": "simple"]),
                ]
            ),
            (
                ["Negotiate, NTLM", "Basic realm=r"],
                [
                    Challenge(scheme: "negotiate"), Challenge(scheme: "ntlm"),
                    Challenge(scheme: "basic", parameters: ["realm": "r"]),
                ]
            ),
            (
                ["Negotiate YIIB/+-._~==, Basic realm=\"a, b = c\""],
                [
                    Challenge(scheme: "negotiate", token68: "YIIB/+-._~=="),
                    Challenge(scheme: "basic", parameters: ["realm": "a, b = c"]),
                ]
            ),
            (["Negotiate abc"], [Challenge(scheme: "negotiate", token68: "abc")]),
            (["X a="], [Challenge(scheme: "x", token68: "a=")]),
            (
                [" ,, Basic , ,realm=r ,, ,Bearer ,"],
                [Challenge(scheme: "basic", parameters: ["realm": "r"]), Challenge(scheme: "bearer")]
            ),
            (["Basic"], [Challenge(scheme: "basic")]), (["Basic "], [Challenge(scheme: "basic")]),
            (["Basic,"], [Challenge(scheme: "basic")]),
            (
                ["BASIC\t REALM \t=\t \"r\" \t, Charset=UTF-8"],
                [Challenge(scheme: "basic", parameters: ["realm": "r", "charset": "UTF-8"])]
            ),
            (
                ["Digest realm=\"a\",nonce=\"b\",Digest realm=\"c\",nonce=\"d\""],
                [
                    Challenge(scheme: "digest", parameters: ["realm": "a", "nonce": "b"]),
                    Challenge(scheme: "digest", parameters: ["realm": "c", "nonce": "d"]),
                ]
            ),
            (["Basic realm=\"first\", realm=\"second\""], [Challenge(scheme: "basic", parameters: ["realm": "first"])]),
            (["Basic realm=\"\""], [Challenge(scheme: "basic", parameters: ["realm": ""])]),
            (["Basic realm=\"é\u{301}\\é\tx\""], [Challenge(scheme: "basic", parameters: ["realm": "é\u{301}é\tx"])]),
            (
                ["Bearer error=\"invalid_token\", Basic a"],
                [
                    Challenge(scheme: "bearer", parameters: ["error": "invalid_token"]),
                    Challenge(scheme: "basic", token68: "a"),
                ]
            ),
        ] as [([String], [Challenge])])
    func wellFormed(_ values: [String], _ challenges: [Challenge]) {
        #expect(Challenge.challenges(in: values) == challenges)
    }

    @Test(
        "The rest of a header line after malformed text is ignored; challenges before it and later lines are parsed",
        arguments: [
            (["", "   ", ",", "\"", "=", "é", "/", "@ Basic realm=r"], []),
            (
                ["Basic realm=\"r\", \"", "Bearer"],
                [Challenge(scheme: "basic", parameters: ["realm": "r"]), Challenge(scheme: "bearer")]
            ),
            (["Basic realm=\"r\" charset=UTF-8, Bearer"], [Challenge(scheme: "basic")]),
            (
                ["Digest realm=\"r\", nonce=\"n, Basic realm=x"],
                [Challenge(scheme: "digest", parameters: ["realm": "r"])]
            ),
            (["Digest realm=\"r\", nonce=, Basic realm=x"], [Challenge(scheme: "digest", parameters: ["realm": "r"])]),
            (["Basic=1, Bearer"], []), (["Basic/realm"], []),
            (["Negotiate abc== x, Bearer"], [Challenge(scheme: "negotiate")]),
            (["Basic realm=\"a\r\nb\""], [Challenge(scheme: "basic")]),
            (["Basic realm=\"a\\\0\""], [Challenge(scheme: "basic")]),
            (["Basic realm=\"a\\"], [Challenge(scheme: "basic")]),
            (["Basic realm"], [Challenge(scheme: "basic", token68: "realm")]),
            (["Basic realm=é"], [Challenge(scheme: "basic")]),
            (["Basic realm=\"r\"x, Bearer"], [Challenge(scheme: "basic")]),
        ] as [([String], [Challenge])])
    func malformed(_ values: [String], _ challenges: [Challenge]) {
        #expect(Challenge.challenges(in: values) == challenges)
    }

    @Test(
        "Authentication-Info is parsed as a list of parameters without a scheme",
        arguments: [
            ("nextnonce=\"n\", rspauth=\"0\",qop=auth", ["nextnonce": "n", "rspauth": "0", "qop": "auth"]), ("", [:]),
            ("Digest", [:]), (", A=b", ["a": "b"]),
            ("a=b, c", ["a": "b"]),
        ])
    func parametersAlone(_ text: String, _ parameters: [String: String]) {
        #expect(Challenge.parameters(text) == parameters)
    }

    @Test("Random challenges never trap the parser, and parsed values contain no control characters")
    func fuzzed() {
        let words = [
            "Basic", "Digest ", "realm", "=", "==", "\"", "\\", ",", " ", "\t", "a", "nonce=\"n\"", "YQ==", "é",
            "\u{301}", "\0", "\r\n", "\u{7F}", ";", "/",
        ]
        var random = Fuzzing.random(5)
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }.joined()
            for challenge in Challenge.challenges(in: [text]) {
                let isGood =
                    HTTPSyntax.isToken(challenge.scheme)
                    && challenge.parameters.allSatisfy {
                        HTTPSyntax.isToken($0.key) && HTTPSyntax.isFieldValue($0.value)
                    }
                if !isGood { Issue.record("\(text.debugDescription)") }
            }
        }
    }
}

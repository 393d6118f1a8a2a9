import Testing

@testable import AsyncNet

@Suite("Basic authentication (RFC 7617)", .timeLimit(.minutes(5)))
struct BasicAuthorizationTests {
    @Test(
        "Basic credentials are user and password in UTF-8 and Base64",
        arguments: [
            ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("test", "123£", "Basic dGVzdDoxMjPCow=="),
            ("test", "123\u{A3}", "Basic dGVzdDoxMjPCow=="), ("", "", "Basic Og=="), ("a", "b:c:", "Basic YTpiOmM6"),
            ("u", "e\u{301}", "Basic dTrDqQ=="),
        ])
    func header(_ user: String, _ password: String, _ value: String) throws {
        #expect(try BasicAuthorization.header(user: user, password: password) == value)
    }

    @Test(
        "Basic credentials with a colon in the user or a control character are an error that shows neither",
        arguments: [
            ("a:b", "hidden"), (":", "hidden"), ("a\n", "hidden"), ("a", "hidden\r\n"), ("a", "hidden\0"),
            ("a\u{7F}", "hidden"), ("a", "\thidden"),
        ])
    func refused(_ user: String, _ password: String) {
        let error = #expect(throws: AsyncNetError.self) {
            try BasicAuthorization.header(user: user, password: password)
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description.contains("hidden") == false)
    }
}

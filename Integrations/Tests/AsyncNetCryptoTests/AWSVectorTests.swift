import AsyncNet
import Crypto
import Foundation
import Testing

@testable import AsyncNetCrypto

/// The requests and signatures of AWS's own test suite, of its documentation of S3, and of botocore 1.43.
@Suite("AWS Signature Version 4: vectors")
struct AWSVectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        var method = HTTPMethod.get
        var target = "/"
        var headers: HTTPHeaders = [:]
        var body = ""
        var token: String?
        var isNormalized = true
        let signature: String

        var testDescription: String { name }
    }

    static let unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

    /// A credential of Amazon's examples.
    static let token =
        "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwth"
        + "Ax7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXA"
        + "kiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="

    static let suite = [
        Vector(name: "get-vanilla", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            name: "get-header-key-duplicate",
            headers: ["My-Header1: value2", "My-Header1: value2", "My-Header1: value1"],
            signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
        Vector(
            name: "get-header-value-order",
            headers: ["My-Header1: value4", "My-Header1: value1", "My-Header1: value3", "My-Header1: value2"],
            signature: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"),
        Vector(
            name: "get-header-value-trim",
            headers: [
                HTTPHeader(name: "My-Header1", value: " value1"),
                HTTPHeader(name: "My-Header2", value: " \"a   b   c\""),
            ],
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        Vector(
            name: "get-unreserved", target: "/\(unreserved)",
            signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
        Vector(
            name: "get-utf8", target: "/%E1%88%B4",
            signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        Vector(
            name: "get-vanilla-empty-query-key", target: "/?Param1=value1",
            signature: "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
        Vector(
            name: "get-vanilla-query-order-key-case", target: "/?Param2=value2&Param1=value1",
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Vector(
            name: "get-vanilla-query-order-encoded", target: "/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1",
            signature: "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac"),
        Vector(
            name: "get-vanilla-query-unreserved", target: "/?\(unreserved)=\(unreserved)",
            signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
        Vector(
            name: "get-vanilla-utf8-query", target: "/?%E1%88%B4=bar",
            signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
        Vector(
            name: "post-vanilla", method: .post,
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Vector(
            name: "post-header-key-sort", method: .post, headers: ["My-Header1: value1"],
            signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
        Vector(
            name: "post-header-value-case", method: .post, headers: ["My-Header1: VALUE1"],
            signature: "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"),
        Vector(
            name: "post-sts-header-before", method: .post, token: token,
            signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
        Vector(
            name: "get-vanilla-with-session-token",
            token: "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267",
            signature: "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8"),
        Vector(
            name: "post-vanilla-query", method: .post, target: "/?Param1=value1",
            signature: "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
        Vector(
            name: "post-vanilla-query-nonunreserved", method: .post,
            target: "/?%40%23%24%25%5E=&%2B=%2F%2C%3F%3E%3C%60%22%3B%3A%5C%7C%5D%5B%7B%7D",
            signature: "66c82657c86e26fb25238d0e69f011edc4c6df5ae71119d7cb98ed9b87393c1e"),
        Vector(
            name: "post-vanilla-query-space", method: .post, target: "/?p=",
            signature: "e71688addb58a26418614085fb730ba3faa623b461c17f48f2fbdb9361b94a9b"),
        Vector(
            name: "post-x-www-form-urlencoded", method: .post,
            headers: ["Content-Type: application/x-www-form-urlencoded"], body: "Param1=value1",
            signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
        Vector(
            name: "post-x-www-form-urlencoded-parameters", method: .post,
            headers: ["Content-Type: application/x-www-form-urlencoded; charset=utf8"], body: "Param1=value1",
            signature: "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"),
    ]

    static let paths = [
        Vector(
            name: "get-relative", target: "/example/..",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            name: "get-relative-relative", target: "/example1/example2/../..",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            name: "get-relative-relative-unnormalized", target: "/example1/example2/../..", isNormalized: false,
            signature: "dc33e0856fd4baca4d7aa2146c38958283844764f38c74252a333df5e613003b"),
        Vector(
            name: "get-slash", target: "//",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            name: "get-slash-dot-slash", target: "/./",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            name: "get-slash-dot-slash-unnormalized", target: "/./", isNormalized: false,
            signature: "68714168e6557f8f2de0ef956fc24dc2593a4bd2961f8df51898d8a134695145"),
        Vector(
            name: "get-slashes", target: "//example//",
            signature: "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"),
        Vector(
            name: "get-slashes-unnormalized", target: "//example//", isNormalized: false,
            signature: "87cca117541a147f6df867677d98a7d80dff226d2bfca9e4ffa899665623c7e5"),
        Vector(
            name: "get-slash-pointless-dot", target: "/./example",
            signature: "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5"),
        Vector(
            name: "get-slash-pointless-dot-unnormalized", target: "/./example", isNormalized: false,
            signature: "beb03f223f7deae4146464f06e29eebbee9c8afbe15c290cf07aa8b119e14cff"),
        Vector(
            name: "get-space", target: "/example%20space/",
            signature: "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"),
        Vector(
            name: "get-space-unnormalized", target: "/example%20space/", isNormalized: false,
            signature: "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"),
    ]

    @Test("The signature in a header is that of AWS's suite", arguments: suite + paths)
    func header(_ vector: Vector) throws {
        let signing = Signing(
            credentials: .example(token: vector.token), scope: .example(),
            rules: SigningRules(encodesPathTwice: false, normalizesPath: vector.isNormalized))
        let url = try "https://example.amazonaws.com\(vector.target)".asURL()
        var head = HTTPRequestHead(method: vector.method, url: url, headers: vector.headers)
        try signing.sign(&head, payload: SHA256.hash(data: Data(vector.body.utf8)).hexadecimal)
        #expect(head.headers["Authorization"]?.hasSuffix(", Signature=\(vector.signature)") == true)
        #expect(head.headers["X-Amz-Date"] == "20150830T123600Z")
    }

    @Test("The whole header names scope and headers")
    func wholeHeader() throws {
        var head = HTTPRequestHead(url: try "https://example.amazonaws.com/".asURL(), headers: ["My-Header1: value1"])
        try Signing(credentials: .example(), scope: .example()).sign(&head, payload: emptyHash)
        let authorization = try #require(head.headers["Authorization"])
        #expect(
            authorization.hasPrefix(
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;my-header1;x-amz-date, Signature="
            ))
    }

    static let presigned: [(String, HTTPHeaders, String)] = [
        (
            "/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1", [:],
            "c5f1848ceec943ac2ca68ee720460c23aaae30a2300586597ada94c4a65e4787"
        ),
        ("/%E1%88%B4", [:], "10eae3f14a260bd3911cc6d008d3c576d143b05b62f09782a7a4b37f52178e44"),
        ("/./", [:], "e93c787ed7f371d5c6b165c1b38ede9550f4dce4144713e844b25b7192d3865d"),
        (
            "/?\(unreserved)=\(unreserved)", [:],
            "8e76a88a7433637b12778d5592799b29ad21ecd6cf6325051c21d86f0acda2bf"
        ),
        (
            "/", ["My-Header1: value1", "My-Header2: \"a   b   c\""],
            "e7bb0fd515e125e1aec2ecc4c0c17484fb06f6846b927c35e46005dd3df3acd4"
        ),
    ]

    @Test("The signature in a query is that of AWS's suite", arguments: presigned)
    func query(_ target: String, _ headers: HTTPHeaders, _ signature: String) throws {
        let rules = SigningRules(encodesPathTwice: false)
        let signing = Signing(credentials: .example(), scope: .example(), rules: rules)
        let url = try "https://example.amazonaws.com\(target)".asURL()
        let signed = try signing.presigned(HTTPRequestHead(url: url, headers: headers), seconds: 3600)
        #expect(signed.absoluteString.hasSuffix("&X-Amz-Signature=\(signature)"))
    }

    // MARK: S3

    static let objects: [(HTTPMethod, String, HTTPHeaders, String, String)] = [
        (
            .get, "/test.txt", ["Range: bytes=0-9"], emptyHash,
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        ),
        (
            .put, "/test$file.text",
            ["Date: Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class: REDUCED_REDUNDANCY"],
            "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        ),
        (.get, "/?lifecycle", [:], emptyHash, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        (
            .get, "/?max-keys=2&prefix=J", [:], emptyHash,
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        ),
    ]

    @Test("S3: the signatures of its documentation", arguments: objects)
    func s3(_ method: HTTPMethod, _ target: String, _ headers: HTTPHeaders, _ payload: String, _ signature: String)
        throws
    {
        let url = try "https://examplebucket.s3.amazonaws.com\(target)".asURL()
        var head = HTTPRequestHead(method: method, url: url, headers: headers)
        try Signing.s3.sign(&head, payload: payload)
        #expect(head.headers["Authorization"]?.hasSuffix(", Signature=\(signature)") == true)
        #expect(head.headers["X-Amz-Content-SHA256"] == payload)
    }

    @Test("S3: the presigned URL of its documentation")
    func presignedS3() throws {
        let url = try "https://examplebucket.s3.amazonaws.com/test.txt".asURL()
        let signed = try Signing.s3.presigned(HTTPRequestHead(url: url), seconds: 86400).absoluteString
        let query =
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
            + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
            + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
        #expect(signed == "https://examplebucket.s3.amazonaws.com/test.txt?\(query)")
    }

    // MARK: botocore

    @Test(
        "Other services: the path is encoded once more than it is sent, without empty and dot segments",
        arguments: [
            ("/a%20b/%E1%88%B4/c(d)?x=1", "d284583164e281c7c35fe10f6ffc5f61d8f1fc97f2f8fe8d962801084495121b"),
            (":8443/a//b/./c/", "a62e06c79f05f59c8277b5b47a0662d3dee2c74068ca43d67afbafc550b10c45"),
        ])
    func encodedTwice(_ target: String, _ signature: String) throws {
        var head = HTTPRequestHead(url: try "https://example.amazonaws.com\(target)".asURL())
        try Signing(credentials: .example(), scope: .example("execute-api")).sign(&head, payload: emptyHash)
        #expect(head.headers["Authorization"]?.hasSuffix(", Signature=\(signature)") == true)
    }

    @Test("S3: the path is signed as it is sent, with a session token")
    func pathOfS3() throws {
        var head = HTTPRequestHead(url: try "https://bucket.s3.amazonaws.com/a//b/./c/%E1%88%B4%20x".asURL())
        try Signing(credentials: .example(token: "TOKEN"), scope: .example("s3")).sign(&head, payload: emptyHash)
        let signature = "c880b940a893128b90424db4ac462e5d78c632331e79b13176bd2f3a2d59bb08"
        #expect(head.headers["Authorization"]?.hasSuffix(", Signature=\(signature)") == true)
    }

    @Test("A header that a proxy may change is not signed")
    func unsignedHeaders() throws {
        var head = HTTPRequestHead(
            method: .post, url: try "https://example.amazonaws.com/".asURL(),
            headers: [
                "Content-Type: application/json", "User-Agent: x", "Accept-Encoding: gzip", "Cookie: a=1",
                "traceparent: 1", .omitting("Accept"),
            ])
        let signing = Signing(credentials: .example(token: "a/b+c=="), scope: .example("dynamodb"))
        try signing.sign(&head, payload: SHA256.hash(data: Data("{}".utf8)).hexadecimal)
        let signature = "14ca95b7b3f5f8b92d569e68bf5d0d14bb1f7b3a260a2500e62d3b44e9a6d3f1"
        #expect(head.headers["Authorization"]?.hasSuffix(", Signature=\(signature)") == true)
    }

    @Test("Presigned with a session token, and with a header")
    func presignedLikeBotocore() throws {
        let service = Signing(credentials: .example(token: "a/b+c=="), scope: .example())
        let url = try service.presigned(
            HTTPRequestHead(url: try "https://example.amazonaws.com/?Param=Value2".asURL()), seconds: 3600)
        #expect(
            url.absoluteString.hasSuffix(
                "&X-Amz-Security-Token=a%2Fb%2Bc%3D%3D&X-Amz-Signature=a83e2272e75642d3e77818227fe70384fdb65dca205ff9936fa69b46891c1783"
            ))
        let head = HTTPRequestHead(
            method: .put, url: try "https://bucket.s3.amazonaws.com/key%20x".asURL(),
            headers: ["Content-Type: text/plain"])
        let upload = try Signing(credentials: .example(), scope: .example("s3")).presigned(head, seconds: 900)
        #expect(
            upload.absoluteString.hasSuffix(
                "&X-Amz-SignedHeaders=content-type%3Bhost&X-Amz-Signature=74168b015736c7f906a9d7114f685212f4ea6bf10b3d26c31bd0bb59507d89d0"
            ))
    }

    @Test(
        "Items of a query are decoded, encoded and sorted; a plus sign is a space",
        arguments: [
            ("", ""), ("a", "a="), ("b=2&a=1&&a=0", "a=0&a=1&b=2"), ("a=b+c", "a=b%20c"), ("a=%2b", "a=%2B"),
            ("a=b=c", "a=b%3Dc"), ("a=%", "a=%25"), ("a=%+1", "a=%25%201"), ("a=%7E", "a=~"), ("a=(b)", "a=%28b%29"),
        ])
    func canonicalQuery(_ query: String, _ canonical: String) {
        #expect(CanonicalRequest.canonicalQuery(query) == canonical)
    }
}

let emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

extension AWSCredentials {
    static func example(token: String? = nil) -> AWSCredentials {
        AWSCredentials(
            accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
            sessionToken: token)
    }
}

extension SigningScope {
    static func example(_ service: String = "service") -> SigningScope {
        SigningScope(date: .example, region: "us-east-1", service: service)
    }
}

extension Signing {
    /// That of the examples in S3's documentation.
    static let s3 = Signing(
        credentials: AWSCredentials(
            accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        scope: SigningScope(date: Date(timeIntervalSince1970: 1_369_353_600), region: "us-east-1", service: "s3"))
}

extension Date {
    /// 30 August 2015, 12:36 UTC.
    static let example = Date(timeIntervalSince1970: 1_440_938_160)
}

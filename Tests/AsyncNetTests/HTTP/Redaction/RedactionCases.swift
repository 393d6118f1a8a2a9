/// Texts with secrets, and what is written of them.
enum RedactionCases {
    static let urls: [(url: String, written: String)] = [
        ("https://h/a?page=2#Q", "https://h/a?page=2#REDACTED"), ("/a#Q%20Q?", "/a#REDACTED"), ("#Q", "#REDACTED"),
        ("https://h/a#", "https://h/a#"), ("https://h/#/a/b", "https://h/#/a/b"),
        ("https://h/#Q=", "https://h/#REDACTED"), ("/a#Q==", "/a#REDACTED"), ("/#ab/cd+Q=", "/#REDACTED"),
        ("/#ab/Q", "/#REDACTED"), ("#=", "#REDACTED"), ("https://h/#!/a/b", "https://h/#!/a/b"), ("#a=b", "#a=b"),
        ("https://a/,https://h/#Q", "https://a/,https://h/#REDACTED"),
        ("https://h/?next=https%3A%2F%2Fapp%2F%23Q", "https://h/?next=https%3A%2F%2Fapp%2F%23REDACTED"),
        ("/?next=https%3A%2F%2Fapp%2F%23%2Fa&b=%23123", "/?next=https%3A%2F%2Fapp%2F%23%2Fa&b=%23123"),
        ("https://bob@h/", "https://REDACTED:REDACTED@h/"),
        ("https://bob:Q@h:8443/?a=b", "https://REDACTED:REDACTED@h:8443/?a=b"),
        ("https://h/?access_token=Q&a=1", "https://h/?access_token=REDACTED&a=1"),
        ("https://h/?access%5Ftoken=Q", "https://h/?access%5Ftoken=REDACTED"),
        ("https://h/?access%255Ftoken=Q", "https://h/?access%255Ftoken=REDACTED"),
        ("https://h/?ToKeN=Q&token=Q&token", "https://h/?ToKeN=REDACTED&token=REDACTED&token"),
        ("https://h/?sig=&a", "https://h/?sig=REDACTED&a"),
        ("https://h/?user%5Bpassword%5D=Q&x.token=Q", "https://h/?user%5Bpassword%5D=REDACTED&x.token=REDACTED"),
        ("https://h/?a=1;sig=Q;Q&b=2", "https://h/?a=1;sig=REDACTED&b=2"),
        ("https://h/a;jsessionid=Q/b", "https://h/a;jsessionid=REDACTED/b"),
        ("https://h/#access_token=Q&state=1", "https://h/#access_token=REDACTED&state=1"),
        ("https://h/#/route?token=Q", "https://h/#/route?token=REDACTED"),
        ("https://[::1]:80/?a=http://%5B::1%5D", "https://[::1]:80/?a=http://%5B::1%5D"),
        ("https://p/https://bob:Q@h/?a", "https://p/https://REDACTED:REDACTED@h/?a"),
        (
            "https://h/?next=https%3A%2F%2Fi%2F%3Ftoken%3DQ%26a%3Db",
            "https://h/?next=https%3A%2F%2Fi%2F%3Ftoken%3DREDACTED%26a%3Db"
        ),
        ("https://h/?a=%7B%22password%22:%22Q%22%7D", "https://h/?a=%7B%22password%22%3A%22REDACTED%22%7D"),
        ("https://h/?state=a%26access_token%3DQ", "https://h/?state=a%26access_token%3DREDACTED"),
        ("?state=a%2526access_token%253DQ", "?state=a%2526access_token%253DREDACTED"),
        ("?data=access_token%3DQ", "?data=access_token%3DREDACTED"),
        ("?a=a=a=a=a=x&b=YQ==", "?a=a=a=a=a=x&b=YQ=="),
        ("https://bob:12'Q@h/", "https://REDACTED:REDACTED@h/"),
        ("https://a,https://bob:Q@b/", "https://a,https://REDACTED:REDACTED@b/"),
        ("a://b://bob:Q@c/", "a://b://REDACTED:REDACTED@c/"),
        ("/a?code=Q&state=1", "/a?code=REDACTED&state=1"),
        ("?pageToken=2&nextToken=3&continuation_token=4", "?pageToken=2&nextToken=3&continuation_token=4"),
        ("?keyword=1&author=2&monkey=3&zip_code=4", "?keyword=1&author=2&monkey=3&zip_code=4"),
    ]

    /// Names whose values are secret wherever a name and a value stand.
    static let names = [
        "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "AWSAccessKeyId", "Signature", "sig",
        "X-Goog-Signature", "access_token", "accessToken", "refresh_token", "id_token", "token", "csrf-token",
        "api_key",
        "apikey", "X-API-Key", "password", "newPassword", "passwd", "pwd", "secret", "client_secret", "auth", "session",
        "sessionId", "JSESSIONID", "sid", "jwt", "assertion", "code_verifier", "otp", "pin", "SAMLResponse",
        "aws_secret_access_key", "private_key",
    ]

    static let headers: [(name: String, value: String, written: String)] = [
        ("Authorization", "Basic Q", "REDACTED"), ("PROXY-authorization", "Q", "REDACTED"),
        ("Cookie", "a=Q", "REDACTED"), ("Set-Cookie", "a=Q", "REDACTED"), ("X-API-Key", "Q", "REDACTED"),
        ("X-Auth-Token", "Q", "REDACTED"), ("PRIVATE-TOKEN", "Q", "REDACTED"), ("Api-Key", "Q", "REDACTED"),
        ("X-Serverless-Authorization", "Q", "REDACTED"), ("X-Goog-Iap-Jwt-Assertion", "Q", "REDACTED"),
        ("X-Amzn-Oidc-Data", "Q", "REDACTED"), ("X-JWT", "Q", "REDACTED"), ("X-Registry-Auth", "Q", "REDACTED"),
        ("X-GitHub-OTP", "Q", "REDACTED"), ("X-Author", "1", "1"),
        ("Location", "/a b?token=Q&c", "/a b?token=REDACTED&c"), ("Location", "/a#Q=", "/a#REDACTED"),
        ("X-Next", "https://app/#Q", "https://app/#REDACTED"),
        ("X-Next", "see //app/#Q= now", "see //app/#REDACTED now"),
        ("X-Text", "Fix #123 and a#1, #b", "Fix #123 and a#1, #b"),
        ("Link", "<https://app/#Q>; rel=a, <https://b/#/c>", "<https://app/#REDACTED>; rel=a, <https://b/#/c>"),
        ("Referer", "https://bob:Q@h/", "https://REDACTED:REDACTED@h/"),
        ("Link", #"<https://h/?token=Q&page=2>; rel="next""#, #"<https://h/?token=REDACTED&page=2>; rel="next""#),
        ("Refresh", "5; url=https://bob:Q@h/?sig=Q", "5; url=https://REDACTED:REDACTED@h/?sig=REDACTED"),
        (
            "Link", "<https://bob:12'Q@h/>, <a?sig=Q&b=http://c>",
            "<https://REDACTED:REDACTED@h/>, <a?sig=REDACTED&b=http://c>"
        ),
        ("Warning", "'http://h:8080', 'https://bob:Q@h/'", "'http://h:8080', 'https://REDACTED:REDACTED@h/'"),
        ("Accept", "text/html;q=0.9, */*", "text/html;q=0.9, */*"), ("ETag", #""a=b@c""#, #""a=b@c""#),
        ("Idempotency-Key", "1", "1"), ("X-Continuation-Token", "2", "2"), ("Sec-WebSocket-Key", "a==", "a=="),
        ("WWW-Authenticate", #"Digest realm="r", nonce="n=""#, #"Digest realm="r", nonce="n=""#),
    ]

    /// Values of `Sec-WebSocket-Protocol` that have no secret: those of IANA's registry and of well-known services.
    static let subprotocols = [
        "graphql-transport-ws", "graphql-ws", "v1.json", "wamp.2.json, wamp.2.msgpack",
        "v12.stomp,v11.stomp, v10.stomp",
        "mqttv3.1", "ocpp1.6, ocpp2.0.1", "MBWS.huawei.com", "v4.channel.k8s.io, v5.channel.k8s.io",
        "base64.channel.k8s.io", "actioncable-v1-json, actioncable-unsupported", "json.reliable.webpubsub.azure.v1",
        "openai-beta.realtime-v1", "opcua+uacp", "v3.penguin-stats.live+proto", "webrtc.softvelum.com", "LWM2M.v1",
        "chat.session.v2", "com.example.chat.2024-05-01", "vnd.statusCheck+json", "hub.bsc.bacnet.org", "x-nmos.v1.3",
        "author-chat", "monkey.v1", "",
    ]

    /// Values of `Sec-WebSocket-Protocol` with secrets.
    static let secretSubprotocols: [(value: String, written: String)] = [
        (
            "realtime, openai-insecure-api-key.sk-Q, openai-beta.realtime-v1",
            "realtime, REDACTED, openai-beta.realtime-v1"
        ),
        ("base64url.bearer.authorization.k8s.io.QQ, v4.channel.k8s.io", "REDACTED, v4.channel.k8s.io"),
        ("token, Q", "REDACTED, REDACTED"), ("chat,Bearer,Q,v2", "chat,REDACTED,REDACTED,v2"),
        ("v1.json, access_token.Q", "v1.json, REDACTED"), ("jwt-Q", "REDACTED"), ("Authorization=Q, a", "REDACTED, a"),
        ("chat, eyJhbGciOiJIUzI1NiJ9.e30.ZRrHA1JJJW8opsbCGfG", "chat, REDACTED"),
        ("550e8400-e29b-41d4-a716-446655440000, v1", "REDACTED, v1"), ("9f86d081884c7d659a2f", "REDACTED"),
        ("header-eyJob3N0IjoiYS5iIn0, graphql-ws", "REDACTED, graphql-ws"), ("sk-live-4eC39HqLyjWDarjt", "REDACTED"),
        ("abcdefghijklmnopqrstuvwxy", "REDACTED"), ("key.Q, password:Q", "REDACTED, REDACTED"),
        (String(repeating: "a.", count: 120_000), "REDACTED"),
        ("realtime, my-key.sk-Q", "realtime, REDACTED"), ("basic, dXNlcjpwYXNz", "REDACTED, REDACTED"),
    ]

    static let form = "multipart/form-data; boundary=B"

    /// Bodies whose secrets are the letter Q.
    static let bodies: [(body: String, type: String?, written: String)] = [
        (#"{"a":1,"token":"Q","b":[2]}"#, "application/json", #"{"a":1,"token":"REDACTED","b":[2]}"#),
        (#"{"ID" : { "password" : "Q\"Q" } }"#, "application/json", #"{"ID" : { "password" : "REDACTED" } }"#),
        (#"{"token":{"a":["Q",{"b":"}Q"}]},"c":3}"#, "text/json", #"{"token":"REDACTED","c":3}"#),
        (#"{"\u0074oken":"Q"}"#, "application/problem+json", #"{"\u0074oken":"REDACTED"}"#),
        (#"{"token":"Q","token":"Q"}"#, nil, #"{"token":"REDACTED","token":"REDACTED"}"#),
        (#"{"pin":1234,"token":null,"auth":true}"#, nil, #"{"pin":"REDACTED","token":null,"auth":true}"#),
        (#"{"code":"not_found","key":"a"}"#, "application/json", #"{"code":"not_found","key":"a"}"#),
        (#"{"body":"{\"token\":\"Q\",\"a\":1}"}"#, nil, #"{"body":"{\"token\":\"REDACTED\",\"a\":1}"}"#),
        (
            #"["https://h/?sig=Q&a=1","https:\/\/b:Q@h"]"#, nil,
            #"["https://h/?sig=REDACTED&a=1","https://REDACTED:REDACTED@h"]"#
        ),
        (#"{"body":"user=1&password=Q"}"#, nil, #"{"body":"user=1&password=REDACTED"}"#),
        (
            #"payload={"a":1,"token":"Q"}"#, "application/x-www-form-urlencoded",
            "payload=%7B%22a%22%3A1%2C%22token%22%3A%22REDACTED%22%7D"
        ),
        (
            "a=%7B%22token%22%3A%22Q%22%7D&b=1", "application/x-www-form-urlencoded",
            "a=%7B%22token%22%3A%22REDACTED%22%7D&b=1"
        ),
        ("{\"a\":1}\n{\"token\":\"Q\"}\n", "application/x-ndjson", "{\"a\":1}\n{\"token\":\"REDACTED\"}\n"),
        (#"data: {"token":"Q"}"#, "text/event-stream", #"data: {"token":"REDACTED"}"#),
        (#"f({"token":"Q"})"#, "text/javascript", #"f({"token":"REDACTED"})"#),
        (#"odd" {"token":"Q"}"#, "application/json", #"odd" {"token":"REDACTED"}"#),
        (#"  {"token":"Q"}"#, "text/html", #"  {"token":"REDACTED"}"#),
        (
            "grant_type=x&code=Q&password=Q", "application/x-www-form-urlencoded; charset=utf-8",
            "grant_type=x&code=REDACTED&password=REDACTED"
        ),
        (
            "a=1&p%61ssword=Q+Q&user[pwd]=Q", "application/x-www-form-urlencoded",
            "a=1&p%61ssword=REDACTED&user[pwd]=REDACTED"
        ),
        (#"{"token":"Q"}"#, "application/x-www-form-urlencoded", #"{"token":"REDACTED"}"#),
        ("token=Q&a=1", nil, "token=REDACTED&a=1"), ("token=Q&a=1", "text/plain", "token=REDACTED&a=1"),
        ("a text, token=1", "text/plain", "a text, token=1"), ("<a>token=1</a>", "text/html", "<a>token=1</a>"),
        ("", "application/json", ""), (#"{"token":"Q"}"#, "image/png", #"{"token":"REDACTED"}"#),
        (#""token":"1""#, "image/png", #""token":"1""#), ("\n\npassword=Q", nil, "\n\npassword=REDACTED"),
        (
            part("password", "Q\r\nQ") + part("note", "1") + end, form,
            part("password", "REDACTED") + part("note", "1") + end
        ),
        (part("json", #"{"token":"Q"}"#) + end, form, part("json", #"{"token":"REDACTED"}"#) + end),
        (part("key", "Q") + end, "multipart/form-data; boundary=wrong", part("key", "REDACTED") + end),
        (part("code", "Q") + end, "multipart/form-data", part("code", "REDACTED") + end),
        (folded + "Q", form, folded + "REDACTED"), (encoded + "Q", form, encoded + "REDACTED"),
        (part("pin", "Q--Bold\r\n--BB Q") + end, form, part("pin", "REDACTED") + end),
    ]

    private static let folded = "--B\r\nContent-Disposition: form-data;\r\n\tname=\"password\"\r\n\r\n"
    private static let encoded = "--B\r\nContent-Disposition: form-data; name*=UTF-8''p%61ssword\r\n\r\n"
    private static let end = "--B--\r\n"
    private static func part(_ name: String, _ content: String) -> String {
        "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(content)\r\n"
    }
}

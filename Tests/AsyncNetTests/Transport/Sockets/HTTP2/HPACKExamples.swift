@testable import AsyncNet

/// The examples of RFC 7541 appendix C: the blocks of one connection, in order.
struct HPACKExample: Sendable {
    struct Block: Sendable {
        let bytes: String
        let fields: [String]
        /// The dynamic table after it, the newest entry first.
        let table: [String]
        let tableSize: Int
    }

    let section: String
    var tableSize = 4096
    let blocks: [Block]

    static let all = literals + requests + responses

    private static let literals = [
        HPACKExample(
            section: "C.2.1",
            blocks: [
                Block(
                    bytes: "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572",
                    fields: ["custom-key: custom-header"], table: ["custom-key: custom-header"], tableSize: 55)
            ]),
        HPACKExample(
            section: "C.2.2",
            blocks: [
                Block(
                    bytes: "040c 2f73 616d 706c 652f 7061 7468", fields: [":path: /sample/path"], table: [],
                    tableSize: 0)
            ]),
        HPACKExample(
            section: "C.2.3",
            blocks: [
                Block(
                    bytes: "1008 7061 7373 776f 7264 0673 6563 7265 74", fields: ["password: secret"], table: [],
                    tableSize: 0)
            ]),
        HPACKExample(
            section: "C.2.4", blocks: [Block(bytes: "82", fields: [":method: GET"], table: [], tableSize: 0)]),
    ]

    // MARK: C.3 and C.4

    private static let requests = [
        request(
            "C.3",
            [
                "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d", "8286 84be 5808 6e6f 2d63 6163 6865",
                "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
            ]),
        request(
            "C.4",
            [
                "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff", "8286 84be 5886 a8eb 1064 9cbf",
                "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
            ]),
    ]

    private static func request(_ section: String, _ bytes: [String]) -> HPACKExample {
        let (host, cache) = (":authority: www.example.com", "cache-control: no-cache")
        let custom = "custom-key: custom-value"
        return HPACKExample(
            section: section,
            blocks: [
                Block(
                    bytes: bytes[0], fields: [":method: GET", ":scheme: http", ":path: /", host], table: [host],
                    tableSize: 57),
                Block(
                    bytes: bytes[1], fields: [":method: GET", ":scheme: http", ":path: /", host, cache],
                    table: [cache, host], tableSize: 110),
                Block(
                    bytes: bytes[2], fields: [":method: GET", ":scheme: https", ":path: /index.html", host, custom],
                    table: [custom, cache, host], tableSize: 164),
            ])
    }

    // MARK: C.5 and C.6, with evictions

    private static let responses = [
        response(
            "C.5",
            [
                """
                4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32
                3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d
                """,
                "4803 3330 37c1 c0bf",
                """
                88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970
                7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61
                6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31
                """,
            ]),
        response(
            "C.6",
            [
                """
                4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad
                1718 63c7 8f0b 97c8 e9ae 82ae 43d3
                """,
                "4883 640e ffc1 c0bf",
                """
                88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2
                e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07
                """,
            ]),
    ]

    private static func response(_ section: String, _ bytes: [String]) -> HPACKExample {
        let (cache, place) = ("cache-control: private", "location: https://www.example.com")
        let dates = ["date: Mon, 21 Oct 2013 20:13:21 GMT", "date: Mon, 21 Oct 2013 20:13:22 GMT"]
        let cookie = "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"
        let gzip = "content-encoding: gzip"
        return HPACKExample(
            section: section, tableSize: 256,
            blocks: [
                Block(
                    bytes: bytes[0], fields: [":status: 302", cache, dates[0], place],
                    table: [place, dates[0], cache, ":status: 302"], tableSize: 222),
                Block(
                    bytes: bytes[1], fields: [":status: 307", cache, dates[0], place],
                    table: [":status: 307", place, dates[0], cache], tableSize: 222),
                Block(
                    bytes: bytes[2], fields: [":status: 200", cache, dates[1], place, gzip, cookie],
                    table: [cookie, gzip, dates[1]], tableSize: 215),
            ])
    }
}

extension HPACKExample: CustomStringConvertible {
    var description: String { section }
}

extension HPACKDecoder {
    mutating func decode(_ bytes: [UInt8]) throws(HTTP2Violation) -> HPACKFields {
        try bytes.withBytes { block throws(HTTP2Violation) in try decode(block) }
    }
}

extension HPACKFields {
    var texts: [String] { fields.map { "\($0.name): \($0.value)" } }
}

extension HPACKDynamicTable {
    var texts: [String] { entries.map { "\($0.field.name): \($0.field.value)" } }
}

/// The bytes of hexadecimal digits, which may have white space between them.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

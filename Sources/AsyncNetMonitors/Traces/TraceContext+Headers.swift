public import AsyncNet

extension TraceContext {
    /// Reads the header `traceparent` (W3C Trace Context §3.2), and `tracestate` (§3.3).
    ///
    /// A later version than 00 is read as far as 00 defines it. An invalid `tracestate` is left out.
    ///
    /// - Returns: `nil` if `traceparent` is invalid: wrong lengths, uppercase digits, version ff, identifiers of zeros.
    public init?(traceparent: String, tracestate: String? = nil) {
        let bytes = Array(traceparent.trimmedHTTPSpace.utf8)
        guard Self.hasFormat(bytes), let traceID = TraceID(String(decoding: bytes[3..<35], as: UTF8.self)),
            let spanID = SpanID(String(decoding: bytes[36..<52], as: UTF8.self)),
            let flags = Hexadecimal.number(bytes[53..<55])
        else { return nil }
        self.init(
            traceID: traceID, spanID: spanID,
            flags: Flags(rawValue: UInt8(truncatingIfNeeded: flags)).intersection(.all),
            tracestate: tracestate.flatMap(TracestateSyntax.list) ?? "")
    }

    /// Whether the version, the length and the hyphens are as in a `traceparent`.
    private static func hasFormat(_ bytes: [UInt8]) -> Bool {
        let hyphen = UInt8(ascii: "-")
        guard bytes.count >= 55, let version = Hexadecimal.number(bytes[..<2]), version != 0xFF,
            [2, 35, 52].allSatisfy({ bytes[$0] == hyphen })
        else { return false }
        return bytes.count == 55 || version > 0 && bytes[55] == hyphen
    }

    /// Reads the headers `traceparent`, `tracestate` and `baggage` of a request or a response; several lines of the
    /// latter two are combined.
    ///
    /// - Returns: `nil` without exactly one valid `traceparent`.
    public init?(_ headers: HTTPHeaders) {
        let parents = headers.values(for: "traceparent")
        guard parents.count == 1, let parent = parents.first else { return nil }
        self.init(traceparent: parent, tracestate: headers["tracestate"])
        baggage = headers["baggage"] ?? ""
    }

    /// The value of the header `traceparent`, in version 00: `00-` trace `-` span `-` flags.
    public var traceparent: String {
        let flags = Hexadecimal.text(UInt64(flags.intersection(.all).rawValue), digits: 2)
        return "00-\(traceID)-\(spanID)-\(flags)"
    }

    /// The headers `traceparent`, `tracestate` and `baggage`. An empty or invalid `tracestate` is left out, and so is a
    /// `baggage` that is empty or no field value (RFC 9110 §5.5).
    public var headers: HTTPHeaders {
        var headers: HTTPHeaders = [HTTPHeader(name: "traceparent", value: traceparent)]
        if let list = TracestateSyntax.list(tracestate), !list.isEmpty { headers.add(name: "tracestate", value: list) }
        if !baggage.isEmpty, HTTPSyntax.isFieldValue(baggage) { headers.add(name: "baggage", value: baggage) }
        return headers
    }
}

/// Short names of requests: without the origin that most of them have.
struct Names {
    private let origin: String

    init(_ requests: [RequestTimeline]) {
        let origins = requests.compactMap(\.url).map(Self.origin)
        let counts = Dictionary(origins.map { ($0, 1) }, uniquingKeysWith: +)
        origin = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
    }

    /// The origin that names leave out; empty without requests.
    var common: String { origin }

    func name(of request: RequestTimeline) -> String {
        guard let method = request.method, let url = request.url else { return "(not sent)" }
        return "\(method) \(name(of: url))"
    }

    func name(of url: String) -> String {
        let (origin, path) = parts(of: url)
        return Texts.printable(origin + path)
    }

    /// The origin, if it is not the common one, and the path.
    func parts(of url: String) -> (origin: String, path: String) {
        let own = Self.origin(of: url)
        let path = String(url.dropFirst(own.count))
        return (own == origin ? "" : own, path.isEmpty ? "/" : path)
    }

    private static func origin(of url: String) -> String {
        guard let slashes = url.firstRange(of: "//") else { return "" }
        return String(url[..<slashes.upperBound] + url[slashes.upperBound...].prefix { $0 != "/" })
    }
}

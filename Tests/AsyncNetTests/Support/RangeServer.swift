import AsyncNet
import AsyncNetTesting
import Foundation

/// A server of one resource that knows ranges (RFC 9110 §14), and can break off its responses.
actor RangeServer {
    let server: MockServer
    private(set) var data: Data
    private(set) var tag: String
    private(set) var asked: [String?] = []
    /// How many bytes of a response are sent before it breaks off.
    private var breaksAfter: Int?
    private let knowsRanges: Bool
    private var fault: MockResponse?
    private var extra: HTTPHeaders = [:]
    /// A change of the server when `count` requests have been answered.
    private var later: (count: Int, change: @Sendable (isolated RangeServer) -> Void)?

    init(_ data: Data, tag: String = "\"1\"", knowsRanges: Bool = true) async throws {
        server = try await MockServer.start()
        self.data = data
        self.tag = tag
        self.knowsRanges = knowsRanges
    }

    func start() async { await server.route("/*") { [weak self] in await self?.answer($0) ?? .status(500) } }
    func breakOff(after count: Int?) { breaksAfter = count }
    func change(to data: Data, tag: String) { (self.data, self.tag) = (data, tag) }
    func answer(with response: MockResponse?) { fault = response }
    func add(_ headers: HTTPHeaders) { extra = headers }
    func after(_ count: Int, _ change: @escaping @Sendable (isolated RangeServer) -> Void) { later = (count, change) }

    private func answer(_ request: RecordedRequest) -> MockResponse {
        if let later, asked.count == later.count { later.change(self) }
        asked.append(request.headers["Range"])
        if let fault { return fault }
        var headers = extra
        headers.add(name: "ETag", value: tag)
        var (status, body) = (200, data)
        let isCurrent = request.headers["If-Range"].map { $0 == tag } ?? true
        if knowsRanges, isCurrent, let range = request.headers["Range"], let bounds = Self.bounds(range) {
            guard bounds.first < data.count else {
                return .status(416, headers: ["Content-Range": "bytes */\(data.count)"])
            }
            let last = min(bounds.last ?? .max, data.count - 1)
            headers.add(name: "Content-Range", value: "bytes \(bounds.first)-\(last)/\(data.count)")
            (status, body) = (206, data[bounds.first...last])
        }
        let response = MockResponse(status, headers: headers, body: Data(body))
        guard let breaksAfter, breaksAfter < body.count else { return response }
        return response.with(.truncate(after: breaksAfter))
    }

    private static func bounds(_ range: String) -> (first: Int, last: Int?)? {
        let ends = range.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        return Int(ends[0]).map { ($0, Int(ends[1])) }
    }
}

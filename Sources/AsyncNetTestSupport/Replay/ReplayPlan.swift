import AsyncNet
import Foundation

/// The exchanges of a recording, in groups of equal requests. It does not know which exchanges were used.
struct ReplayPlan: Sendable {
    typealias Request = RecordedExchange.Request

    let exchanges: [RecordedExchange]
    let comparison: RequestComparison
    /// The path of the recording's file, for texts; `nil` for a recording in no file.
    let file: String?
    /// The recorded requests without secrets.
    let requests: [Request]
    let compared: [ComparedRequest]
    private var groups: [ComparedRequest: Group] = [:]

    init(_ recording: Recording, _ comparison: RequestComparison, file: URL? = nil) {
        exchanges = recording.exchanges
        self.comparison = comparison
        self.file = file.map(Self.shortPath)
        requests = exchanges.map { comparison.written($0.request) }
        compared = requests.map { ComparedRequest($0, comparison) }
        for one in Set(compared) { groups[one] = Group(id: groups.count) }
        for (index, one) in compared.enumerated() { groups[one]?.indices.append(index) }
        addIncomplete()
    }

    /// The exchanges whose requests are equal, in order.
    struct Group: Sendable {
        let id: Int
        fileprivate(set) var indices: [Int] = []
    }

    /// Adds each recorded request whose body is not known to all groups that differ from it only in the body.
    private mutating func addIncomplete() {
        for (one, group) in groups where one.body != nil && one.body != .incomplete {
            guard let others = groups[one.withoutBody] else { continue }
            groups[one]?.indices = (group.indices + others.indices).sorted()
        }
    }

    var groupCount: Int { groups.count }

    /// The exchanges that match a request, before closures of custom matchers are called; `nil` if there are none.
    func group(of request: ComparedRequest) -> Group? { groups[request] ?? groups[request.withoutBody] }

    /// Whether the closures accept the exchange for the request.
    func accepts(_ request: Request, _ index: Int) -> Bool {
        comparison.closures.isEmpty || comparison.closuresAccept(request, requests[index])
    }

    /// The path as seen from the current folder.
    private static func shortPath(_ file: URL) -> String {
        let folder = FileManager.default.currentDirectoryPath + "/"
        return file.path.hasPrefix(folder) ? String(file.path.dropFirst(folder.count)) : file.path
    }

    // MARK: Texts

    var name: String { file ?? "the recording" }

    /// Such as `exchange 3 of users.har, GET https://api.example.com/users`.
    func title(_ index: Int) -> String { "exchange \(index + 1) of \(name), \(Self.line(requests[index]))" }

    /// - Parameter request: A request whose secrets are redacted.
    static func line(_ request: Request) -> String {
        let url = request.url.absoluteString
        return "\(request.method) \(url.count > 200 ? "\(url.prefix(200))…" : url)"
    }
}

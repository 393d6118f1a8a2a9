import AsyncNet
import Foundation

/// The exchanges of a recording, in groups of equal requests. Without state.
struct ReplayPlan: Sendable {
    typealias Request = RecordedExchange.Request

    let exchanges: [RecordedExchange]
    let comparison: RequestComparison
    /// The file's name for texts; `nil` for a recording that is in no file.
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

    /// A recorded request whose body is not known is equal to all that differ in the body only.
    private mutating func addIncomplete() {
        for (one, group) in groups where one.body != nil && one.body != .incomplete {
            guard let others = groups[one.withoutBody] else { continue }
            groups[one]?.indices = (group.indices + others.indices).sorted()
        }
    }

    var groupCount: Int { groups.count }

    /// The exchanges that are equal to a request in all but the closures; `nil` if there are none.
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

    /// - Parameter request: Without secrets.
    static func line(_ request: Request) -> String {
        let url = request.url.absoluteString
        return "\(request.method) \(url.count > 200 ? "\(url.prefix(200))…" : url)"
    }
}

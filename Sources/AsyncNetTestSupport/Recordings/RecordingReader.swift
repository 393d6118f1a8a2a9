public import AsyncNet
import AsyncNetMonitors
public import Foundation

extension Recording {
    /// Reads a file in the HTTP Archive format, HAR 1.2, of this library or of another program, such as a browser's
    /// developer tools.
    ///
    /// Requests over HTTP are read, in the order of their times. Optional fields may be missing, and unknown fields are
    /// ignored. HAR has bodies decoded, so a `Content-Encoding` and the `Content-Length` with it are left out, and so
    /// are the pseudo-headers of HTTP/2 (RFC 9113 §8.3). A status of 0 is a failure.
    ///
    /// A body that is missing or was cut is no error here: the response ends with a failure that says so when it is
    /// replayed.
    ///
    /// - Throws: `AsyncNetError` with code `.fileNotReadable` if there is no such file, and `.decodingFailed` if it
    ///   is no HAR file; its message names the entry, from 1, and the field.
    public init(contentsOf file: URL) throws(AsyncNetError) {
        let data: Data
        do { data = try Data(contentsOf: file) } catch {
            throw AsyncNetError(
                .fileNotReadable, "The recording \(file.lastPathComponent) cannot be read", underlyingError: error)
        }
        self = try RecordingReader(file: file).recording(data)
    }
}

/// Reads the text of a HAR file.
struct RecordingReader {
    let file: URL

    private var name: String { file.lastPathComponent }

    func recording(_ data: Data) throws(AsyncNetError) -> Recording {
        let log = HARField(json: try json(data)["log"], path: "\(name): log")
        let isOwn = log.json["creator"]["name"].string == HARCreator.asyncNet.name
        var read: [(exchange: RecordedExchange, date: Date?)] = []
        for (index, entry) in try log.elements("entries").enumerated() {
            let field = HARField(json: entry, path: "\(name): entry \(index + 1)")
            guard let exchange = try EntryReader(field, isOwn: isOwn, folder: BodyFiles.folder(of: file)).exchange()
            else {
                continue
            }
            read.append((exchange, entry["startedDateTime"].string.flatMap(Self.date)))
        }
        return Recording(Self.ordered(read))
    }

    private func json(_ data: Data) throws(AsyncNetError) -> JSON {
        // Some programs write a byte order mark.
        let text = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        do { return try JSON(data: Data(text)) } catch {
            throw AsyncNetError(.decodingFailed, "\(name) is not JSON", underlyingError: error)
        }
    }

    // MARK: Order

    /// The exchanges sorted by time; in the order of the file if a time is missing.
    private static func ordered(_ read: [(exchange: RecordedExchange, date: Date?)]) -> [RecordedExchange] {
        let dated = read.enumerated().compactMap { index, one in one.date.map { (date: $0, index: index) } }
        guard dated.count == read.count else { return read.map(\.exchange) }
        return dated.sorted { ($0.date, $0.index) < ($1.date, $1.index) }.map { read[$0.index].exchange }
    }

    /// Parses ISO 8601, with or without fractions of a second of any number of digits.
    private static func date(_ text: String) -> Date? {
        guard let dot = text.firstIndex(of: ".") else { return try? Date(text, strategy: .iso8601) }
        let digits = text[text.index(after: dot)...].prefix { $0.isASCII && $0.isNumber }
        let whole = try? Date(text[..<dot] + text[digits.endIndex...], strategy: .iso8601)
        return whole.map { $0 + (Double("0.\(digits)") ?? 0) }
    }
}

/// A field of a HAR file, and its place for errors, which show no value, since a value may be secret.
struct HARField {
    let json: JSON
    let path: String

    /// The member of this name; a missing one reads as an object without members.
    func object(_ name: String) -> HARField { HARField(json: json[name], path: "\(path), \(name)") }

    func elements(_ name: String) throws(AsyncNetError) -> [JSON] {
        guard let array = json[name].array else { throw fault(name, "a list") }
        return array
    }

    func string(_ name: String) throws(AsyncNetError) -> String {
        guard let text = json[name].string else { throw fault(name, "a text") }
        return text
    }

    func integer(_ name: String) throws(AsyncNetError) -> Int {
        guard let number = json[name].int else { throw fault(name, "a whole number") }
        return number
    }

    /// The headers; none if the field is missing.
    func headers(_ name: String) throws(AsyncNetError) -> HTTPHeaders {
        guard json[name].exists, !json[name].isNull else { return [:] }
        var headers = HTTPHeaders()
        for element in try elements(name) {
            guard let header = element["name"].string else { throw fault("\(name), name", "a text") }
            // A browser shows pseudo-headers as headers, and repeated ones in one value with line feeds.
            guard !header.hasPrefix(":") else { continue }
            let values = (element["value"].string ?? "").split(separator: "\n", omittingEmptySubsequences: false)
            for value in values {
                guard !Self.hasControl(header), !Self.hasControl(value) else {
                    throw AsyncNetError(
                        .decodingFailed, "\(path), \(name): the name or value of a header has a control character")
                }
                headers.add(name: header, value: String(value))
            }
        }
        return headers
    }

    /// Whether a text has a control character that no header or reason phrase may have (RFC 9110 §5.5, RFC 9112 §4).
    static func hasControl(_ text: some StringProtocol) -> Bool {
        text.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
    }

    func fault(_ name: String, _ expected: String) -> AsyncNetError {
        let state = json[name].exists ? "is not" : "is missing; it must be"
        return AsyncNetError(.decodingFailed, "\(path), \(name) \(state) \(expected)")
    }
}

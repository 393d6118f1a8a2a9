import AsyncNet
import Foundation

/// A body in a form in which equivalent bodies are equal.
indirect enum ComparedBody: Hashable, Sendable {
    case none
    case json(JSON)
    case form(ComparedItems)
    /// The parts of each name, in their order.
    case multipart([String: [Part]])
    case text(String)
    case bytes(Data)
    /// A recorded body that was cut, or is not in the file.
    case incomplete

    struct Part: Hashable, Sendable {
        var fileName: String?
        var type: String?
        var content: ComparedBody
    }

    init(_ data: Data, _ contentType: String?) { self.init(data, contentType, depth: 3) }

    /// - Parameter depth: How many levels of multipart bodies, each in a part of another one, are parsed.
    private init(_ data: Data, _ contentType: String?, depth: Int) {
        let type = contentType.flatMap { MediaType($0) }
        let isJSON = type.map { $0.subtype.contains("json") } ?? true
        if data.isEmpty {
            self = .none
        } else if type?.type == "multipart", depth > 0, let parts = Self.parts(data, type, depth) {
            self = .multipart(parts)
        } else if type?.subtype == "x-www-form-urlencoded" {
            self = .form(ComparedItems(pairs: String(decoding: data, as: UTF8.self)))
        } else if isJSON, let json = try? JSON(data: data) {
            self = .json(json)
        } else if !data.contains(0), let text = String(validating: data, as: UTF8.self) {
            self = .text(text)
        } else {
            self = .bytes(data)
        }
    }

    /// - Returns: `nil` if there are no parts.
    private static func parts(_ data: Data, _ type: MediaType?, _ depth: Int) -> [String: [Part]]? {
        var parts: [String: [Part]] = [:]
        for part in MultipartParts(ArraySlice(data), boundary: type?.parameters["boundary"]).parts {
            let partType = part.headers["Content-Type"]
            let content = ComparedBody(Data(part.content), partType ?? "text/plain", depth: depth - 1)
            parts[part.name ?? "", default: []].append(
                Part(fileName: part.disposition?.fileName, type: partType?.lowercased(), content: content))
        }
        return parts.isEmpty ? nil : parts
    }
}

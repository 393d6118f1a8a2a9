import AsyncNet
import Foundation
import RawStructuredFieldValues

/// A request, or a response with its request, whose components are covered.
struct SignedMessage: Sendable {
    let request: HTTPRequestHead
    /// The `Content-Length` that the transport adds to the request.
    var contentLength: Int64?
    var response: HTTPResponseHead?

    /// The component's value as it stands in the signature base.
    func value(of component: SignatureComponent) throws -> String {
        let known = ["req", "sf", "bs", "key", "name"]
        if let unknown = component.parameters.first(where: { !known.contains($0.0) }) {
            throw SignatureFailure("The parameter \(unknown.0) of component \(component) is not supported")
        }
        if response == nil, component.has("req") {
            throw SignatureFailure("The component \(component) of a request cannot be in its own signature")
        }
        return component.name.hasPrefix("@") ? try derived(component) : try field(component)
    }

    // MARK: Derived components

    private func derived(_ component: SignatureComponent) throws -> String {
        if component.name == "@status" {
            guard let response, !component.has("req") else { throw Self.missing(component) }
            return String(response.statusCode)
        }
        guard response == nil || component.has("req") else {
            throw SignatureFailure("The component \(component) is not one of a response")
        }
        let target = try RequestTarget(request)
        switch component.name {
        case "@method": return request.method.rawValue
        case "@target-uri": return target.uri
        case "@authority": return target.authority.lowercased()
        case "@scheme": return target.scheme
        case "@request-target": return target.originForm
        case "@path": return target.path
        case "@query": return "?\(target.query ?? "")"
        case "@query-param":
            return try QueryParameters.value(of: component.parameters["name"]?.string ?? "", in: target.query ?? "")
        default: throw SignatureFailure("The component \(component) is not supported")
        }
    }

    // MARK: Fields

    private func field(_ component: SignatureComponent) throws -> String {
        let lines = try lines(of: component).map(Self.unfolded)
        guard !lines.isEmpty else { throw Self.missing(component) }
        if component.has("bs") {
            guard !component.has("sf"), component.parameters["key"] == nil else {
                throw SignatureFailure("The component \(component) has parameters that exclude each other")
            }
            return lines.map { ":\(Data($0.utf8).base64EncodedString()):" }.joined(separator: ", ")
        }
        let value = lines.joined(separator: ", ")
        if let key = component.parameters["key"] { return try member(key.string ?? "", of: value, component) }
        return component.has("sf") ? try strict(value, component) : value
    }

    private func lines(of component: SignatureComponent) throws -> [String] {
        let name = component.name
        if let response, !component.has("req") { return response.headers.values(for: name) }
        let lines = request.headers.filter { $0 != .omitting($0.name) && $0.name.lowercased() == name }.map(\.value)
        guard lines.isEmpty else { return lines }
        switch name {
        case "content-length": return contentLength.map { ["\($0)"] } ?? []
        case "host": return [try RequestTarget(request).authority]
        default: return []
        }
    }

    private func member(_ key: String, of value: String, _ component: SignatureComponent) throws -> String {
        guard let member = try StructuredFields.dictionary(value)[key] else { throw Self.missing(component) }
        return try member.text
    }

    private func strict(_ value: String, _ component: SignatureComponent) throws -> String {
        guard let type = component.type ?? StructuredFields.types[component.name] else {
            throw SignatureFailure("The type of the structured field \(component.name) is not known")
        }
        return try StructuredFields.strict(value, as: type)
    }

    /// The line without spaces at its ends, and without line breaks (RFC 9421 §2.1).
    private static func unfolded(_ line: String) -> String {
        let lines = line.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        return lines.filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func missing(_ component: SignatureComponent) -> SignatureFailure {
        SignatureFailure("The message does not have the component \(component)")
    }
}

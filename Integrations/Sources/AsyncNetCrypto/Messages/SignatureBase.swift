import AsyncNet
import Foundation
import RawStructuredFieldValues

/// The text that is signed (RFC 9421 §2.5).
struct SignatureBase: Sendable {
    let text: String
    /// What the message's `Signature-Input` has for this signature.
    let input: ItemOrInnerList

    /// - Parameter parameters: Those of the signature, such as `created`.
    /// - Throws: `SignatureFailure` if a component is missing or occurs twice.
    init(
        _ components: [SignatureComponent], _ parameters: OrderedMap<String, RFC9651BareItem>, of message: SignedMessage
    ) throws {
        guard Set(components).count == components.count else {
            throw SignatureFailure("A signature covers each component once")
        }
        var list = BareInnerList()
        var lines: [String] = []
        for component in components {
            list.append(component.item)
            lines.append("\(try component.item.text): \(try message.value(of: component))")
        }
        input = .innerList(InnerList(bareInnerList: list, parameters: parameters))
        lines.append("\"@signature-params\": \(try input.text)")
        text = lines.joined(separator: "\n")
    }

    var bytes: Data { Data(text.utf8) }
}

import Foundation
import RawStructuredFieldValues

/// Why a signature cannot be made or is not accepted.
struct SignatureFailure: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// Structured fields in their strict form (RFC 9651 §4.1).
enum StructuredFields {
    static func dictionary(_ value: String) throws -> OrderedMap<String, ItemOrInnerList> {
        var parser = StructuredFieldValueParser(Array(value.utf8))
        return try parser.parseDictionaryFieldValue()
    }

    static func text(of dictionary: OrderedMap<String, ItemOrInnerList>) throws -> String {
        var serializer = StructuredFieldValueSerializer()
        return String(decoding: try serializer.writeDictionaryFieldValue(dictionary), as: UTF8.self)
    }

    static func strict(_ value: String, as type: StructuredFieldType) throws -> String {
        var parser = StructuredFieldValueParser(Array(value.utf8))
        var serializer = StructuredFieldValueSerializer()
        let bytes =
            switch type {
            case .item: try serializer.writeItemFieldValue(parser.parseItemFieldValue())
            case .list: try serializer.writeListFieldValue(parser.parseListFieldValue())
            case .dictionary: try serializer.writeDictionaryFieldValue(parser.parseDictionaryFieldValue())
            }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Types of fields that a signature may cover without the caller's knowledge.
    static let types: [String: StructuredFieldType] = [
        "accept-signature": .dictionary, "cache-status": .list, "cdn-cache-control": .dictionary,
        "client-cert": .item, "client-cert-chain": .list, "content-digest": .dictionary, "priority": .dictionary,
        "proxy-status": .list, "repr-digest": .dictionary, "signature": .dictionary, "signature-input": .dictionary,
        "want-content-digest": .dictionary, "want-repr-digest": .dictionary,
    ]
}

extension Item {
    var text: String {
        get throws {
            var serializer = StructuredFieldValueSerializer()
            return String(decoding: try serializer.writeItemFieldValue(self), as: UTF8.self)
        }
    }
}

extension ItemOrInnerList {
    /// As the only member of a list, which has no name.
    var text: String {
        get throws {
            var serializer = StructuredFieldValueSerializer()
            return String(decoding: try serializer.writeListFieldValue([self]), as: UTF8.self)
        }
    }

    var bytes: Data? {
        guard case .item(let item) = self else { return nil }
        guard case .undecodedByteSequence(let text) = item.rfc9651BareItem else { return nil }
        return Data(base64Encoded: text)
    }
}

extension RFC9651BareItem {
    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }
}

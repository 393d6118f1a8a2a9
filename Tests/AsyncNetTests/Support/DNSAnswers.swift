import AsyncNetTesting
import Foundation

@testable import AsyncNet

/// The answer of a name server, as bytes.
struct DNSAnswer: Sendable {
    enum Record: Sendable {
        case address(String, [UInt8], UInt32)
        case alias(String, to: String, UInt32)
        case bytes([UInt8])
    }

    var code: UInt8 = 0
    var records: [Record] = []

    /// The bytes of the answer. The question's name is written as a pointer to the question (RFC 1035 §4.1.4).
    func message(to question: DNSQuestion) -> [UInt8] {
        let header: [UInt8] = [0, 0, 0x81, 0x80 | code, 0, 1, 0, UInt8(records.count), 0, 0, 0, 0]
        return header + question.message.dropFirst(12) + records.flatMap { Self.bytes($0, question) }
    }

    private static func bytes(_ record: Record, _ question: DNSQuestion) -> [UInt8] {
        switch record {
        case .bytes(let bytes): bytes
        case .address(let owner, let data, let seconds):
            head(owner, data.count == 4 ? 1 : 28, seconds, data.count, question) + data
        case .alias(let owner, let target, let seconds):
            head(owner, 5, seconds, name(target, question).count, question) + name(target, question)
        }
    }

    private static func head(
        _ owner: String, _ type: UInt8, _ seconds: UInt32, _ length: Int, _ question: DNSQuestion
    ) -> [UInt8] {
        let time = (0..<4).map { UInt8(truncatingIfNeeded: seconds >> (24 - 8 * $0)) }
        return name(owner, question) + [0, type, 0, 1] + time + [0, UInt8(length)]
    }

    private static func name(_ text: String, _ question: DNSQuestion) -> [UInt8] {
        guard let name = DNSName(text) else { return [0] }
        return name == question.name ? [0xC0, 12] : name.bytes
    }
}

extension DNSQuestion {
    /// The question in a request by DNS over HTTPS; `nil` if it is invalid.
    init?(_ request: RecordedRequest) {
        var text = request.queryItems.first { $0.name == "dns" }?.value ?? ""
        text = text.replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        guard let data = Data(base64Encoded: text) else { return nil }
        var reader = DNSReader(bytes: Array(data))
        guard let header = try? Array(reader.take(12)), header == [0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0],
            let name = try? reader.name(), let kind = try? Kind(rawValue: reader.number16()),
            (try? reader.number16()) == 1, reader.position == data.count
        else { return nil }
        self.init(name: name, kind: kind)
    }
}

import AsyncNet
import Foundation

struct Unexpected: Error, CustomStringConvertible {
    let description: String
}

func expect(_ condition: Bool, _ what: String) throws {
    guard condition else { throw Unexpected(description: "the server's answer is not \(what)") }
}

func expect<Value>(_ value: Value?, _ what: String) throws -> Value {
    guard let value else { throw Unexpected(description: "\(what) is missing") }
    return value
}

func title(_ text: String) {
    print("\n\(text)")
}

extension Duration {
    var inMilliseconds: String { String(format: "%.2f ms", self / .milliseconds(1)) }
}

extension Result where Failure == AsyncNetError {
    var code: AsyncNetError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}

import AsyncNet
import Foundation
import OpenAPIRuntime

extension RequestBody {
    /// Repeatable bodies of up to this size are sent together with the head.
    private static let smallSize: Int64 = 64 * 1024

    /// The body of an operation as AsyncNet's.
    ///
    /// - Throws: `.bodyLengthMismatch` or `.bodyStreamFailed` if a small body cannot be read.
    init(_ body: HTTPBody?) async throws {
        guard let body else {
            self = .none
            return
        }
        let length: Int64? = if case .known(let length) = body.length { length } else { nil }
        switch body.iterationBehavior {
        case .multiple:
            if let length, 0...Self.smallSize ~= length {
                self = .data(try await Self.collected(body, length))
            } else {
                self = .stream(length: length) { body.map { Data($0) } }
            }
        case .single: self = .stream(body.map { Data($0) }, length: length)
        }
    }

    private static func collected(_ body: HTTPBody, _ length: Int64) async throws -> Data {
        var data = Data()
        do {
            for try await chunk in body where data.count <= length { data += chunk }
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw AsyncNetError(.bodyStreamFailed, underlyingError: error)
        }
        guard data.count == length else { throw AsyncNetError(.bodyLengthMismatch) }
        return data
    }
}

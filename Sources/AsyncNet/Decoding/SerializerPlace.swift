import Foundation

enum SerializerPlace: Sendable {
    /// In the task that waits for the value: the serializer takes constant time.
    case here
    /// In the task that waits for the value if the body is small; otherwise in a task of its own.
    case hereIfSmall
    /// In a task of its own, on a thread that it may block: the serializer is the user's.
    case apart

    /// A body of fewer bytes is small: this library decodes it in less than a millisecond.
    private static let small = 64 * 1024

    func isHere(_ data: Data) -> Bool {
        switch self {
        case .here: true
        case .hereIfSmall: data.count < Self.small
        case .apart: false
        }
    }
}

protocol PlacedSerializer: ResponseSerializer {
    var place: SerializerPlace { get }
}

extension DataPreprocessor {
    // Types are compared first, since a cast takes ten times as long.
    var isOwn: Bool { Self.self == PassthroughPreprocessor.self || self is GoogleXSSIPreprocessor }
}

extension DataDecoder {
    var isOwn: Bool { Self.self == StandardJSONDecoder.self || self is JSONDecoder || self is PropertyListDecoder }
}

import Foundation

enum SerializerPlace: Sendable {
    /// The task that waits for the value: the serializer takes constant time.
    case here
    /// The task that waits for the value if the body is small; else a task of its own.
    case hereIfSmall
    /// A task of its own, on a thread that it may block: the serializer is the user's.
    case apart

    /// Work on fewer bytes than this takes the library less than a millisecond.
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

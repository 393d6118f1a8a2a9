import Foundation

/// The task that runs a serializer.
enum SerializerPlace: Sendable {
    /// The task that waits for the value: the serializer takes constant time.
    case here
    /// The task that waits for the value if the body is small; else a task of its own.
    case hereIfSmall
    /// A task of its own, on a thread that it may block: the serializer is the user's.
    case apart

    func isHere(_ response: RawResponse) -> Bool {
        switch self {
        case .here: true
        case .hereIfSmall: response.data.count < UserCode.small
        case .apart: false
        }
    }
}

/// A serializer of this library.
protocol PlacedSerializer: ResponseSerializer {
    var place: SerializerPlace { get }
}

extension DataPreprocessor {
    var isOwn: Bool { self is PassthroughPreprocessor || self is GoogleXSSIPreprocessor }
}

extension DataDecoder {
    var isOwn: Bool { self is StandardJSONDecoder || self is JSONDecoder || self is PropertyListDecoder }
}

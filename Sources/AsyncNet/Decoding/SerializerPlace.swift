import Foundation

/// Where a serializer runs.
package enum SerializerPlace: Sendable {
    /// In the task that waits for the value: it takes no time.
    case here
    /// There too, if the body is small.
    case hereIfSmall
    /// In a task of its own, on a thread that it may block: it is the user's.
    case apart

    func isHere(_ response: RawResponse) -> Bool {
        switch self {
        case .here: true
        case .hereIfSmall: response.data.count < UserCode.small
        case .apart: false
        }
    }
}

/// A serializer of this library's.
package protocol PlacedSerializer: ResponseSerializer {
    var place: SerializerPlace { get }
}

extension DataPreprocessor {
    var isOwn: Bool { self is PassthroughPreprocessor || self is GoogleXSSIPreprocessor }
}

extension DataDecoder {
    var isOwn: Bool { self is StandardJSONDecoder || self is JSONDecoder || self is PropertyListDecoder }
}

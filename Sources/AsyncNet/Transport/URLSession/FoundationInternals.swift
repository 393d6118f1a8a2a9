import CAsyncNetPlatform
import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Internals of FoundationNetworking, read by reflection: its queues, its transfers, and the head of a response that it
/// has not delivered yet.
///
/// A property that is missing, or has another type, is `nil`; the workaround that needs it is then left out.
enum FoundationInternals {
    #if canImport(FoundationNetworking)
        static func socketQueue(of session: URLSession) -> DispatchQueue? {
            property("multiHandle", of: session).flatMap { property("queue", of: $0) } as? DispatchQueue
        }

        /// The queues of all sessions and tasks have the same target, one serial queue.
        static func workQueue(of session: URLSession) -> DispatchQueue? {
            property("workQueue", of: session) as? DispatchQueue
        }

        /// Removes libcurl's callbacks from a session before its release. All tasks of the session must have ended.
        /// Must be called on FoundationNetworking's thread.
        ///
        /// While it is freed, libcurl 8 sends close_notify on TLS connections and calls FoundationNetworking to watch
        /// their sockets. That call would retain an object that is being deinitialized, which ends the process.
        static func removeCallbacks(of session: URLSession) {
            let handle = property("multiHandle", of: session).flatMap { property("rawHandle", of: $0) }
            if let handle = handle as? UnsafeMutableRawPointer { cp_silence_transfers(address, handle) }
        }

        /// The head of the response whose body is being received. Must be called on FoundationNetworking's thread,
        /// which changes it.
        static func response(of task: URLSessionTask) -> HTTPURLResponse? {
            guard let exchange = exchange(of: task), let state = property("internalState", of: exchange) else {
                return nil
            }
            return property("transferInProgress", of: state).flatMap { property("response", of: $0) }
                as? HTTPURLResponse
        }

        /// The transfer of the task; `nil` if it has not begun. Must be called on FoundationNetworking's thread.
        static func transfer(of task: URLSessionTask) -> FoundationTransfer? {
            guard let exchange = exchange(of: task), let easy = property("easyHandle", of: exchange),
                let handle = property("rawHandle", of: easy) as? UnsafeMutableRawPointer
            else { return nil }
            return FoundationTransfer(owner: exchange as AnyObject, handle: handle, foundation: address)
        }

        /// Whether FoundationNetworking's libcurl takes escaped dots in a path for dots.
        static let removesEncodedDots = cp_removes_encoded_dots(address) != 0

        /// An address inside FoundationNetworking, which identifies the library.
        private static var address: UnsafeRawPointer {
            unsafeBitCast(URLSession.self as AnyClass, to: UnsafeRawPointer.self)
        }

        private static func exchange(of task: URLSessionTask) -> Any? {
            property("_protocolStorage", of: task).flatMap { property("existing", of: $0) }
        }

        /// A stored property of `value`, also of a superclass, or the associated value of an enum's case of that name.
        private static func property(_ name: String, of value: Any) -> Any? {
            var mirror: Mirror? = Mirror(reflecting: value)
            if mirror?.displayStyle == .optional {
                mirror = mirror?.children.first.map { Mirror(reflecting: $0.value) }
            }
            while let current = mirror {
                if let property = current.children.first(where: { $0.label == name }) { return property.value }
                mirror = current.superclassMirror
            }
            return nil
        }
    #else
        static func socketQueue(of session: URLSession) -> DispatchQueue? { nil }
        static func workQueue(of session: URLSession) -> DispatchQueue? { nil }
        static func removeCallbacks(of session: URLSession) {}
        static func response(of task: URLSessionTask) -> HTTPURLResponse? { nil }
        static func transfer(of task: URLSessionTask) -> FoundationTransfer? { nil }
    #endif
}

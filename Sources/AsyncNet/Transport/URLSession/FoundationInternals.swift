import CPlatform
import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What FoundationNetworking knows and does not publish, read by reflection: its queues, its transfers, and the head
/// of a response that it withholds.
///
/// A property that is missing, or has another type, is `nil`: then FoundationNetworking is taken as it is.
enum FoundationInternals {
    #if canImport(FoundationNetworking)
        static func socketQueue(of session: URLSession) -> DispatchQueue? {
            property("multiHandle", of: session).flatMap { property("queue", of: $0) } as? DispatchQueue
        }

        /// The queues of all sessions and tasks have the same target, one serial queue.
        static func workQueue(of session: URLSession) -> DispatchQueue? {
            property("workQueue", of: session) as? DispatchQueue
        }

        /// Prepares a session whose tasks have all ended for its release. To be called on FoundationNetworking's
        /// thread.
        ///
        /// libcurl 8 says goodbye on connections with TLS when it is released, and asks FoundationNetworking to watch
        /// their sockets; that would retain an object that is just being released, which ends the process.
        static func silence(_ session: URLSession) {
            let handle = property("multiHandle", of: session).flatMap { property("rawHandle", of: $0) }
            if let handle = handle as? UnsafeMutableRawPointer { cp_silence_transfers(address, handle) }
        }

        /// The head of the response whose body is being received. To be called on FoundationNetworking's thread, which
        /// changes it.
        static func response(of task: URLSessionTask) -> HTTPURLResponse? {
            guard let exchange = exchange(of: task), let state = property("internalState", of: exchange) else {
                return nil
            }
            return property("transferInProgress", of: state).flatMap { property("response", of: $0) }
                as? HTTPURLResponse
        }

        /// The transfer of the task, `nil` if it has none yet. To be called on FoundationNetworking's thread.
        static func transfer(of task: URLSessionTask) -> FoundationTransfer? {
            guard let exchange = exchange(of: task), let easy = property("easyHandle", of: exchange),
                let handle = property("rawHandle", of: easy) as? UnsafeMutableRawPointer
            else { return nil }
            return FoundationTransfer(owner: exchange as AnyObject, handle: handle, foundation: address)
        }

        /// Somewhere inside FoundationNetworking.
        private static var address: UnsafeRawPointer {
            unsafeBitCast(URLSession.self as AnyClass, to: UnsafeRawPointer.self)
        }

        private static func exchange(of task: URLSessionTask) -> Any? {
            property("_protocolStorage", of: task).flatMap { property("existing", of: $0) }
        }

        /// A stored property, also of a class that `value`'s own inherits from; or what an enumeration's case of that
        /// name carries.
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
        static func silence(_ session: URLSession) {}
        static func response(of task: URLSessionTask) -> HTTPURLResponse? { nil }
        static func transfer(of task: URLSessionTask) -> FoundationTransfer? { nil }
    #endif
}

import CAsyncNetPlatform
import Foundation

/// What FoundationNetworking's libcurl has received of a response.
struct FoundationReply: Sendable {
    var statusCode = 0
    var httpVersion: String?
    var headers = HTTPHeaders()
    /// How many bytes of response heads have arrived.
    var headBytes = 0
    var isConnectionNew = true

    /// Whether the request was sent on a reused connection, and no byte of a response has arrived.
    var isMissingOnKeptConnection: Bool { !isConnectionNew && headBytes == 0 }

    func head(of url: URL) -> HTTPResponseHead? {
        guard statusCode > 0 else { return nil }
        return HTTPResponseHead(statusCode: statusCode, url: url, headers: headers, httpVersion: httpVersion)
    }
}

extension FoundationReply {
    /// - Parameters:
    ///   - handle: libcurl's easy handle, which no other thread may use meanwhile.
    ///   - foundation: An address inside FoundationNetworking.
    init?(_ handle: UnsafeMutableRawPointer, _ foundation: UnsafeRawPointer) {
        var reply = cp_reply()
        guard cp_read_reply(foundation, handle, &reply) != 0 else { return nil }
        (statusCode, headBytes, isConnectionNew) = (Int(reply.status), Int(reply.head_bytes), reply.new_connections > 0)
        httpVersion = [1: "HTTP/1.0", 2: "HTTP/1.1", 3: "HTTP/2"][reply.version]
        var line = cp_next_header(foundation, handle, nil)
        while let current = line {
            headers.add(name: String(cString: current.pointee.name), value: String(cString: current.pointee.value))
            line = cp_next_header(foundation, handle, current)
        }
    }
}

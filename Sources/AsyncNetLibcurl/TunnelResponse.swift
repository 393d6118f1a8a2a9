import AsyncNet
import Foundation

/// What a proxy responds to the request for a tunnel (CONNECT, RFC 9110 §9.3.6): the last of the responses, since
/// libcurl asks again with the credentials that the first may require.
struct TunnelResponse {
    private var parser: HTTPHeadParser?
    private(set) var head: HTTPResponseHead?
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// - Parameter lines: One line of a head, or several. A head that is not valid is not kept: libcurl decides whether
    ///   the tunnel is open.
    mutating func receive(_ lines: UnsafeRawBufferPointer, for url: URL) {
        var rest = lines.bindMemory(to: UInt8.self)[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            receive(HTTPHeadParser.Line(rebasing: rest[..<end]), for: url)
            rest = rest[end...]
        }
    }

    private mutating func receive(_ line: HTTPHeadParser.Line, for url: URL) {
        if HTTPHeadParser.isStatusLine(line) { (parser, head) = (HTTPHeadParser(limit: limit), nil) }
        guard var parser else { return }
        do throws(AsyncNetError) {
            if try parser.receive(line) { head = parser.head(url: url) }
            self.parser = head == nil ? parser : nil
        } catch {
            self.parser = nil
        }
    }

    /// The response that refused the tunnel; without headers if libcurl did not show them, or they were not valid.
    ///
    /// - Parameter statusCode: The status that libcurl reports; 0 without a response. Below 400 there is no refusal.
    func refusal(_ statusCode: Int, _ url: URL) -> HTTPResponseHead? {
        guard statusCode >= 400 else { return nil }
        return head.flatMap { $0.statusCode == statusCode ? $0 : nil }
            ?? HTTPResponseHead(statusCode: statusCode, url: url)
    }
}

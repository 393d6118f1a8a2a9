import AsyncNet
import Foundation

typealias Reply = DataResponse<Data, AsyncNetError>

extension Reply {
    /// Head, if it was asked for, and body, byte for byte, on standard output. A reply that --fail refuses has no value.
    func print(_ printing: Printing) throws(ExitError) {
        if printing.options.include || printing.isHead, let head { try Console.write(Data(head.lines.utf8)) }
        guard !printing.isHead, case .success(let body) = result else { return }
        try Console.write(body)
    }
}

extension HTTPResponseHead {
    /// As on the wire: lines end in CR LF, an empty one ends the head. URLSession keeps neither version, reason nor order,
    /// so the version is assumed and the headers are sorted.
    var lines: String {
        let fields = sortedHeaders.map { "\($0.name): \($0.value)\r\n" }.joined()
        return "\(httpVersion ?? "HTTP/1.1") \(statusCode)\r\n\(fields)\r\n"
    }

    var sortedHeaders: [HTTPHeader] {
        headers.sorted { $0.name.lowercased() < $1.name.lowercased() }
    }
}

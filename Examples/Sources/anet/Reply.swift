import AsyncNet
import Foundation

typealias Reply = DataResponse<Data, AsyncNetError>

extension Reply {
    /// Head, if it was asked for, and body, byte for byte, on standard output. A reply that --fail refuses has no
    /// value.
    func print(_ printing: Printing) throws(ExitError) {
        if printing.options.include || printing.isHead, let head { try Console.write(Data(head.lines.utf8)) }
        guard !printing.isHead, case .success(let body) = result else { return }
        try Console.write(body)
    }
}

extension HTTPResponseHead {
    /// As on the wire: lines end in CR LF, an empty one ends the head.
    var lines: String {
        let fields = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        return "\(statusLine)\r\n\(fields)\r\n"
    }

    /// URLSession knows neither version nor reason phrase: the version is assumed, the phrase left out.
    var statusLine: String {
        "\(httpVersion ?? "HTTP/1.1") \(statusCode)" + (reasonPhrase.map { " \($0)" } ?? "")
    }
}

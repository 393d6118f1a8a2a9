import AsyncNet
import Foundation

/// Why the program does not end in 0: its status, and the last line on standard error.
struct ExitError: Error {
    let status: Int32
    let reason: String

    init(_ status: Int32, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    init(_ error: AsyncNetError, _ label: String) {
        // The input of an upload says itself why it cannot be read.
        if error.code == .bodyStreamFailed, let cause = error.underlyingError as? ExitError {
            self.init(cause.status, "\(label)\(cause.reason)")
            return
        }
        self.init(ExitStatus.of(error), "\(label)\(error.description)")
    }

    /// libcurl puts words of servers into its texts.
    var line: String { "anet: \(Console.harmless(reason))" }

    /// What the system says of an error with files, which Foundation wraps in several ways.
    static func cause(_ error: any Error) -> String {
        let error = error as NSError
        let posix = error.domain == NSPOSIXErrorDomain ? error : error.userInfo[NSUnderlyingErrorKey] as? NSError
        guard let posix, posix.domain == NSPOSIXErrorDomain else { return error.localizedDescription }
        return String(cString: strerror(Int32(posix.code)))
    }
}

/// curl's numbers, so that scripts can branch on them.
enum ExitStatus {
    static let other: Int32 = 1
    static let usage: Int32 = 2
    static let cannotWrite: Int32 = 23
    static let cannotRead: Int32 = 26
    static let interrupted: Int32 = 130

    static func of(_ error: AsyncNetError) -> Int32 {
        // A server that refuses a WebSocket has answered with another status than 101.
        let isRefused = error.code == .webSocketHandshakeFailed && error.statusCode.map { $0 != 101 } ?? false
        return isRefused ? 22 : statuses[error.code] ?? other
    }

    private static let statuses: [AsyncNetError.Code: Int32] = [
        .invalidRequest: usage,
        .invalidConfiguration: usage,
        .encodingFailed: usage,
        .fileNotReadable: cannotRead,
        .fileChanged: cannotRead,
        .bodyStreamFailed: cannotRead,
        .temporaryFileFailed: cannotWrite,
        .malformedURL: 3,
        .proxyNotFound: 5,
        .hostNotFound: 6,
        .cannotConnect: 7,
        .addressNotAllowed: 7,
        .badServerResponse: 8,
        .bodyEndedEarly: 18,
        .unacceptableStatus: 22,
        .timedOut: 28,
        .eventTimedOut: 28,
        .deadlineExceeded: 28,
        .circuitOpen: 7,
        .checksumMismatch: 18,
        .tlsHandshakeFailed: 35,
        .tooManyRedirects: 47,
        .emptyReply: 52,
        .connectionLost: 56,
        .proxyFailed: 56,
        .clientCertificateInvalid: 58,
        .certificateNotTrusted: 60,
        .certificateExpired: 60,
        .certificateHostMismatch: 60,
        .badContentEncoding: 61,
        .bodyTooLarge: 63,
        .fileNotWritable: cannotWrite,
        .lineTooLong: 63,
        .certificatePinMismatch: 90,
        .certificateRevoked: 91,
        .webSocketHandshakeFailed: 8,
        .webSocketProtocolViolated: 8,
        .webSocketClosed: 56,
        .webSocketMessageTooLarge: 63,
        .cancelled: interrupted,
    ]
}

public import Foundation

/// Credentials for services of Amazon, or for others that accept Signature Version 4. Descriptions contain none of them.
public struct AWSCredentials: Sendable {
    /// The name of the secret, which is sent.
    public let accessKeyID: String
    /// The secret that signs.
    public let secretAccessKey: String
    /// The token of temporary credentials, which is sent.
    public let sessionToken: String?
    /// When the credentials cease to be valid; `nil` if they do not.
    public let expiration: Date?

    /// Creates credentials.
    public init(
        accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil, expiration: Date? = nil
    ) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        self.expiration = expiration
    }

    func isValid(at date: Date) -> Bool { expiration.map { date < $0 } ?? true }
}

extension AWSCredentials: CustomStringConvertible, CustomReflectable {
    /// The expiration only.
    public var description: String { "AWS credentials" + (expiration.map { ", valid until \($0)" } ?? "") }

    /// Shown by `dump`; contains no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

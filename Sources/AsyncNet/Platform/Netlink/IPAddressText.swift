import Foundation

enum IPAddressText {
    static let v4 = UInt8(truncatingIfNeeded: AF_INET)
    static let v6 = UInt8(truncatingIfNeeded: AF_INET6)

    /// `nil` if there are too few bytes, or the family is not IPv4 or IPv6.
    static func text(_ value: NetlinkBytes, family: UInt8) -> String? {
        guard family == v4 || family == v6, value.count >= (family == v4 ? 4 : 16) else { return nil }
        var text = [UInt8](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let isWritten = value.slice(from: 0).withUnsafeBytes { address in
            text.withUnsafeMutableBytes { text in
                guard let start = address.baseAddress, let room = text.baseAddress?.assumingMemoryBound(to: CChar.self)
                else { return false }
                return inet_ntop(Int32(family), start, room, socklen_t(INET6_ADDRSTRLEN)) != nil
            }
        }
        return isWritten ? NetlinkBytes(text[...]).text : nil
    }
}

extension HTTPHeaders {
    /// Whether `Accept-Encoding` accepts no content coding but `identity`: it is empty, or names others only with `q=0`
    /// (RFC 9110 §12.5.3). `false` without the header.
    var acceptsOnlyIdentity: Bool {
        guard let value = self["Accept-Encoding"], !HTTPHeader(name: "Accept-Encoding", value: value).isOmission else {
            return false
        }
        return value.split(separator: ",").allSatisfy { member in
            let parts = member.split(separator: ";").map { String($0).trimmedHTTPSpace.lowercased() }
            let isRefused = parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
            return parts.first == "identity" ? !isRefused : isRefused
        }
    }
}

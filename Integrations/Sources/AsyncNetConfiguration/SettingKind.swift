import Configuration
import Foundation

/// Which values a setting may have.
struct SettingKind<Value: Sendable>: Sendable {
    /// For messages, after "must be".
    let expected: String
    var isSecret = false
    /// Returns `nil` if the key is not set, and throws if its value is none of the expected ones.
    let read: @Sendable (ConfigReader, ConfigKey) async throws -> Value?

    /// The kind whose values these are, as far as the closure accepts them.
    func accepting<Other: Sendable>(
        _ expected: String, _ convert: @escaping @Sendable (Value) -> Other?
    ) -> SettingKind<Other> {
        SettingKind<Other>(expected: expected, isSecret: isSecret) { config, key in
            guard let value = try await read(config, key) else { return nil }
            guard let other = convert(value) else { throw UnexpectedSetting() }
            return other
        }
    }
}

extension SettingKind<String> {
    static var text: Self {
        SettingKind(expected: "a text") { try await $0.fetchString(forKey: $1) }
    }
    static var secret: Self {
        SettingKind(expected: "a text", isSecret: true) { try await $0.fetchString(forKey: $1, isSecret: true) }
    }
}

extension SettingKind<[String]> {
    static var texts: Self {
        SettingKind(expected: "a list of texts") { try await $0.fetchStringArray(forKey: $1) }
    }
    static var networks: Self {
        texts.accepting("a list of addresses and networks, such as 10.0.0.0/8 and fd00::/8") {
            $0.allSatisfy(Network.isValid) ? $0 : nil
        }
    }
    static var pins: Self {
        texts.accepting("a list of pins: sha256// and the base64 form of a SHA-256 each") {
            $0.allSatisfy(isPin) ? $0 : nil
        }
    }

    private static func isPin(_ text: String) -> Bool {
        text.hasPrefix("sha256//") && Data(base64Encoded: String(text.dropFirst(8)))?.count == 32
    }
}

extension SettingKind<Bool> {
    static var flag: Self { SettingKind(expected: "true or false") { try await $0.fetchBool(forKey: $1) } }
}

extension SettingKind<Int> {
    /// A number of at least this.
    static func count(from least: Int) -> Self {
        SettingKind(expected: "") { try await $0.fetchInt(forKey: $1) }
            .accepting("a whole number of at least \(least)") { $0 >= least ? $0 : nil }
    }
}

extension SettingKind<Int64> {
    static var bytes: Self {
        SettingKind<Int>.count(from: 1).accepting("a number of bytes of at least 1") { Int64($0) }
    }
}

extension SettingKind<Double> {
    fileprivate static var number: Self {
        // Some providers tell 5 from 5.0.
        SettingKind(expected: "a number") { config, key in
            do {
                return try await config.fetchDouble(forKey: key)
            } catch {
                return try await config.fetchInt(forKey: key).map(Double.init)
            }
        }
    }
    static var part: Self { number.accepting("a number from 0 to 1") { 0...1 ~= $0 ? $0 : nil } }
    static var rate: Self { number.accepting("a number of at least 0") { $0 >= 0 && $0.isFinite ? $0 : nil } }
}

extension SettingKind<Duration> {
    private static let century = 3.2e9

    static var seconds: Self {
        SettingKind<Double>.number.accepting("a number of seconds above 0, such as 2.5") {
            $0 > 0 && $0 <= century ? .seconds($0) : nil
        }
    }
    static var secondsOrNone: Self {
        SettingKind<Double>.number.accepting("a number of seconds of at least 0, such as 2.5") {
            0...century ~= $0 ? .seconds($0) : nil
        }
    }
}

extension SettingKind<URL> {
    static var file: Self { SettingKind<String>.text.accepting("the path of a file") { URL(filePath: $0) } }
    static var baseURL: Self {
        SettingKind<String>.text.accepting("a URL with the scheme http or https, and a host") {
            URL(string: $0, schemes: ["http", "https"])
        }
    }
}

extension URL {
    /// A URL with one of these schemes and a host.
    init?(string text: String, schemes: Set<String>) {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), schemes.contains(scheme),
            url.host?.isEmpty == false
        else { return nil }
        self = url
    }
}

extension SettingKind {
    /// One of these names.
    static func choice(_ values: KeyValuePairs<String, Value>) -> Self {
        SettingKind<String>.text.accepting(values.map(\.key).joined(separator: " or ")) { text in
            values.first { $0.key == text }?.value
        }
    }
}

/// Networks in text.
private enum Network {
    /// An address of IPv4 or IPv6, or one with the number of its leading bits.
    static func isValid(_ text: String) -> Bool {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.map(String.init), let bits = bits(of: address) else { return false }
        guard parts.count == 2 else { return true }
        let isNumber = parts[1].utf8.allSatisfy { 0x30...0x39 ~= $0 }
        return isNumber && Int(parts[1]).map { $0 <= bits } ?? false
    }

    private static func bits(of address: String) -> Int? {
        var bytes: (UInt64, UInt64) = (0, 0)
        if inet_pton(AF_INET, address, &bytes) == 1 { return 32 }
        return inet_pton(AF_INET6, address, &bytes) == 1 ? 128 : nil
    }
}

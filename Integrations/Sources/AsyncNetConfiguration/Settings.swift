import AsyncNet
import Configuration

/// Reads settings, and explains which one is wrong.
struct Settings {
    private let config: ConfigReader

    init(_ config: ConfigReader) { self.config = config }

    /// The value of a key; `nil` if it is not set.
    ///
    /// - Throws: `.invalidConfiguration`, with the key and what is expected, and without the value, which may be secret.
    func value<Value>(_ key: String, _ kind: SettingKind<Value>) async throws(AsyncNetError) -> Value? {
        do {
            return try await kind.read(config, ConfigKey(key))
        } catch {
            throw AsyncNetError(
                .invalidConfiguration, "\(key) must be \(kind.expected), in \(config)",
                underlyingError: kind.isSecret || error is UnexpectedSetting ? nil : error)
        }
    }

    /// Replaces the default by the value of a key, if it is set. Returns whether it is.
    @discardableResult
    func set<Value>(
        _ setting: inout Value, _ key: String, _ kind: SettingKind<Value>
    ) async throws(AsyncNetError) -> Bool {
        guard let value = try await value(key, kind) else { return false }
        setting = value
        return true
    }

    @discardableResult
    func set<Value>(
        _ setting: inout Value?, _ key: String, _ kind: SettingKind<Value>
    ) async throws(AsyncNetError) -> Bool {
        guard let value = try await value(key, kind) else { return false }
        setting = value
        return true
    }

    /// The error for a key that other keys have no meaning without.
    func missing(_ key: String, for others: String) -> AsyncNetError {
        AsyncNetError(.invalidConfiguration, "\(key) must be set, since \(others) is, in \(config)")
    }
}

/// A value that can be read, and is not one of those that a setting may have.
struct UnexpectedSetting: Error {}

import ArgumentParser
import Foundation

/// `--pin`: pins, separated by semicolons as curl has them, for all hosts or for one: `HOST=sha256//BASE64`.
struct PinArgument: ExpressibleByArgument {
    /// A host, or a wildcard for one label; `nil` for all hosts without pins of their own.
    let host: String?
    let pins: [String]

    /// Without a pin every certificate would pass.
    init?(argument: String) {
        // A pin has an equals sign at its end only.
        let (name, rest) =
            argument.range(of: "=sha256//").map {
                (String(argument[..<$0.lowerBound]), argument[argument.index(after: $0.lowerBound)...])
            } ?? ("", argument[...])
        let isHost = !name.isEmpty && !name.hasPrefix("sha256//")
        host = isHost ? name : nil
        pins = (isHost ? rest : argument[...]).split(separator: ";").map(String.init)
        guard !pins.isEmpty else { return nil }
    }
}

/// The command line as ArgumentParser reads it best: each option by its long name, with its value in the same argument.
/// Options whose order among others counts become one option with marked values.
struct Arguments {
    private(set) var expanded: [String] = []
    private var rest: ArraySlice<String>

    /// - Throws: ``ExitError`` for an option of curl's that anet refuses.
    init(_ arguments: [String]) throws(ExitError) {
        rest = arguments[...]
        // A shell asks for completions with arguments of ArgumentParser's own.
        guard arguments.first?.hasPrefix("---") != true else {
            expanded = arguments
            return
        }
        while let argument = rest.popFirst() {
            if argument == "--" {
                expanded += [argument] + rest
                return
            }
            if argument.hasPrefix("--") {
                try takeLong(argument)
            } else if argument.hasPrefix("-"), argument.count > 1 {
                try takeLetters(argument)
            } else {
                expanded.append(argument)
            }
        }
    }

    private mutating func takeLong(_ argument: String) throws(ExitError) {
        let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        if let reason = CurlOptions.refusal(of: name) { throw Self.refused(argument, reason) }
        guard let option = CurlOptions.option(name) else { return expanded.append(argument) }
        if parts.count == 2 { return try add(option.name, String(parts[1])) }
        guard option.takesValue else { return try addFlag(option.name) }
        try add(option.name, rest.popFirst())
    }

    /// `-sSfL`: letters without values, and at most one with a value, which is what follows it.
    private mutating func takeLetters(_ argument: String) throws(ExitError) {
        var letters = argument.dropFirst()
        while let letter = letters.popFirst() {
            if let name = CurlOptions.letters[letter], let reason = CurlOptions.refusal(of: name) {
                throw Self.refused("-\(letter), --\(name)", reason)
            }
            guard let option = CurlOptions.option(letter) else { return expanded.append("-\(letter)") }
            guard option.takesValue else {
                // `-C-`
                if option.name == "continue", letters == "-" { letters = "" }
                try addFlag(option.name)
                continue
            }
            return try add(option.name, letters.isEmpty ? rest.popFirst() : String(letters))
        }
    }

    private static func refused(_ option: String, _ reason: String) -> ExitError {
        ExitError(ExitStatus.usage, "\(option) is not taken: \(reason).")
    }

    private mutating func addFlag(_ name: String) throws(ExitError) {
        switch name {
        case "remote-name": expanded.append("--output=\(OutputArgument.remoteMark)")
        case "parallel": try addParallel()
        case "continue":
            if rest.first == "-" { rest.removeFirst() }
            if let offset = rest.first, !offset.isEmpty, offset.allSatisfy(\.isNumber) { throw Self.offset }
            expanded.append("--continue")
        default: expanded.append("--\(name)")
        }
    }

    private static let offset = refused(
        "-C with an offset", "anet finds out itself what is there; -r takes a range")

    /// anet's option has a number, curl's has none.
    private mutating func addParallel() throws(ExitError) {
        let count = rest.first.map { !$0.isEmpty && $0.allSatisfy(\.isNumber) } == true ? rest.popFirst() : nil
        expanded.append(count.map { "--parallel=\($0)" } ?? "--parallel-transfers")
    }

    private mutating func add(_ name: String, _ value: String?) throws(ExitError) {
        guard let value else { return expanded.append("--\(name)") }
        switch name {
        case "url": expanded.append(URLText.hasScheme(value) || value.hasPrefix(":") ? value : "http://\(value)")
        case "continue-at":
            guard value == "-" else { throw Self.offset }
            expanded.append("--continue")
        case "data-raw", "data-binary", "data-urlencode":
            expanded.append("--data=\(DataArgument.mark(name))\(value)")
        case "form-string": expanded.append("--form=\(FormArgument.literalMark)\(value)")
        case "upload-file" where expanded.contains { $0.hasPrefix("--upload-file") }:
            throw Self.refused("A second -T, --upload-file", "one file goes to all URLs")
        // ArgumentParser takes the next argument for the value of `--name=`.
        default: expanded += value.isEmpty ? ["--\(name)", ""] : ["--\(name)=\(value)"]
        }
    }
}

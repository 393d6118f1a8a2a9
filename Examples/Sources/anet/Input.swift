import Foundation

/// Bodies from the command line, from files and from standard input.
enum Input {
    static func read(_ arguments: [String], joinedBy separator: String) throws(ExitError) -> Data {
        var data = Data()
        for (index, argument) in arguments.enumerated() {
            if index > 0 { data += Data(separator.utf8) }
            data += try read(argument)
        }
        return data
    }

    private static func read(_ argument: String) throws(ExitError) -> Data {
        guard argument.hasPrefix("@") else { return Data(argument.utf8) }
        let name = String(argument.dropFirst())
        do {
            if name == "-" { return try FileHandle.standardInput.readToEnd() ?? Data() }
            return try Data(contentsOf: URL(filePath: name))
        } catch {
            let source = name == "-" ? "standard input" : "the file \(name)"
            throw ExitError(ExitStatus.cannotRead, "\(source) cannot be read. \(ExitError.cause(error))")
        }
    }
}

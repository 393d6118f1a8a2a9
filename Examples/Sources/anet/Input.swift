import AsyncNet
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

    /// A text, or what the file behind its @ holds.
    static func read(_ argument: String) throws(ExitError) -> Data {
        guard argument.hasPrefix("@") else { return Data(argument.utf8) }
        let name = String(argument.dropFirst())
        if name == "-" { return try readAll(.standardInput, "Standard input") }
        return try readFile(name)
    }

    /// A file as a body, or what a pipe or, for `-`, standard input gives, whose length nobody knows.
    static func upload(_ name: String) throws(ExitError) -> RequestBody {
        if name == "-" { return .stream(InputChunks(name: name)) }
        var status = stat()
        guard stat(name, &status) == 0, access(name, R_OK) == 0 else {
            throw unreadable("The file \(name)", String(cString: strerror(errno)))
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: throw unreadable("The file \(name)", String(cString: strerror(EISDIR)))
        case S_IFREG: return .file(URL(file: name))
        default: return .stream(InputChunks(name: name))
        }
    }

    /// The URL of a file that can be read now; the library reads it later.
    static func file(_ name: String) throws(ExitError) -> URL {
        _ = try readFile(name)
        return URL(file: name)
    }

    /// The URL of a file of cookies, which need not be there.
    static func cookies(_ name: String) -> URL { URL(file: name == "-" ? "/dev/stdin" : name) }

    /// What --etag-save has written; an empty tag if there is no such file, as curl has it.
    static func etag(_ name: String) throws(ExitError) -> String {
        guard access(name, F_OK) == 0 else { return "\"\"" }
        let text = String(decoding: try readFile(name), as: UTF8.self)
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func readFile(_ name: String) throws(ExitError) -> Data {
        // Not through Data(contentsOf:), whose errors do not say what the system said.
        let descriptor = open(name, O_RDONLY)
        guard descriptor >= 0 else { throw unreadable("The file \(name)", String(cString: strerror(errno))) }
        return try readAll(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true), "The file \(name)")
    }

    private static func readAll(_ file: FileHandle, _ source: String) throws(ExitError) -> Data {
        do { return try file.readToEnd() ?? Data() } catch { throw unreadable(source, ExitError.cause(error)) }
    }

    private static func unreadable(_ source: String, _ cause: String) -> ExitError {
        ExitError(ExitStatus.cannotRead, "\(source) cannot be read. \(cause).")
    }
}

import ArgumentParser

/// Where the body of one URL goes: `-o FILE`, `-o -` or `-O`.
enum OutputArgument: ExpressibleByArgument, Sendable, Equatable {
    case file(String)
    /// Standard output, whatever the bytes and whether or not it is a terminal.
    case standardOutput
    /// A file with the last component of the URL's path.
    case remoteName

    /// `-O` among the values of `--output`; an argument of a command contains no such character.
    static let remoteMark = "\u{0}remote-name"

    init(argument: String) {
        self = argument == Self.remoteMark ? .remoteName : argument == "-" ? .standardOutput : .file(argument)
    }
}

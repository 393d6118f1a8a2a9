import Foundation

/// Prints at once: what was printed last says where a crash was.
func say(_ text: String, terminator: String = "\n") {
    FileHandle.standardOutput.write(Data((text + terminator).utf8))
}

import Foundation
import Synchronization

/// The lines at the end of the terminal that show transfers; what else is written comes above them.
final class ProgressBoard: Sendable {
    static let shared = ProgressBoard()

    private struct State {
        var rows: [(id: Int, text: String)] = []
        var shown = 0
    }

    private let state = Mutex(State())

    func show(_ text: String, of id: Int) {
        state.withLock { state in
            if let index = state.rows.firstIndex(where: { $0.id == id }) {
                state.rows[index].text = text
            } else {
                state.rows.insert((id, text), at: state.rows.firstIndex { $0.id > id } ?? state.rows.endIndex)
            }
            Self.draw(&state)
        }
    }

    func remove(_ id: Int) {
        state.withLock { state in
            guard state.rows.contains(where: { $0.id == id }) else { return }
            state.rows.removeAll { $0.id == id }
            Self.draw(&state)
        }
    }

    /// Writes something else to the terminal.
    func above<Failure: Error>(_ write: () throws(Failure) -> Void) throws(Failure) {
        try state.withLock { state throws(Failure) in
            if state.shown > 0 { Self.put(Self.clear(&state)) }
            defer { if !state.rows.isEmpty { Self.draw(&state) } }
            try write()
        }
    }

    private static func draw(_ state: inout State) {
        let text = clear(&state) + state.rows.map(\.text).joined(separator: "\n")
        state.shown = state.rows.count
        put(text)
    }

    private static func clear(_ state: inout State) -> String {
        defer { state.shown = 0 }
        return String(repeating: "\r\u{1B}[K\u{1B}[1A", count: max(0, state.shown - 1)) + "\r\u{1B}[K"
    }

    private static func put(_ text: String) {
        // There is nowhere to tell of an error with standard error.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}

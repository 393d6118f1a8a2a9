import AsyncNet
import Dispatch
import Foundation

/// A visitor of a chat room: `chat ws://localhost:8080/room Ada`. Lines of standard input are said; those of the room are
/// printed. A lost connection is replaced, and no line of the room is missed or printed twice.
@main
struct Chat {
    static func main() async throws {
        guard CommandLine.arguments.count == 3 else {
            print("Usage: chat URL NAME")
            exit(2)
        }
        let (url, visitor) = (CommandLine.arguments[1], Visitor(name: CommandLine.arguments[2]))
        let socket = Session().webSocket(
            url, options: WebSocketOptions(pingInterval: .seconds(20)), reconnection: .always()
        ) {
            [try await visitor.joining()]
        }
        do {
            try await socket.send(try await visitor.joining())
            let typing = Task { try await say(over: socket) }
            defer { typing.cancel() }
            for try await message in socket.messages {
                if let text = try await visitor.seen(message) { print(text) }
            }
        } catch {
            print("The room is gone. \(error)")
            exit(1)
        }
    }

    /// Says the lines of standard input, then leaves.
    private static func say(over socket: WebSocket) async throws {
        while let line = await typedLine() { try await socket.send(try Contribution.say(line).message()) }
        try await socket.close(reason: "left")
    }

    private static let keyboard = DispatchQueue(label: "keyboard")

    /// Waiting for the next line blocks a thread, which must not be one of the tasks'.
    private static func typedLine() async -> String? {
        await withCheckedContinuation { line in keyboard.async { line.resume(returning: readLine()) } }
    }
}

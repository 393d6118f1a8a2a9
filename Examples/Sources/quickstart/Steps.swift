import AsyncNet
import AsyncNetTestSupport
import Foundation

struct User: Codable, Equatable, Sendable {
    var id: Int
    var name: String
    var languages: [String]
}

/// The tour's steps; each makes real requests and throws if what comes back is not as expected.
struct Steps: Sendable {
    let session: Session
    let server: MockServer

    func all() async throws {
        try await readJSON()
        try await decodeStruct()
        try await postStruct()
        try await uploadForm()
        try await meetStatus404()
        try await meetRefusedConnection()
        try await cancelSlowRequest()
        try await requestConcurrently()
        try await measure()
    }

    private func readJSON() async throws {
        title("JSON without a type")
        let url = server.url("/users/1")
        let user = try await session.request(url).serializing(JSON.self).value
        print("   name \(user.name.string ?? "?"), first language \(user.languages[0].string ?? "?")")
        try expect(user.name.string == "Ada" && user.languages[0].string == "Swift", "the user's name and language")
    }

    private func decodeStruct() async throws {
        title("JSON into a struct")
        let user = try await session.request(server.url("/users/1")).serializing(User.self).value
        print("   \(user)")
        try expect(user == User(id: 1, name: "Ada", languages: ["Swift", "C"]), "the decoded user")
    }

    private func postStruct() async throws {
        title("A struct as JSON body; the server sends it back")
        let ben = User(id: 2, name: "Ben", languages: [])
        let request = session.request(server.url("/users"), method: .post, parameters: ben, encoder: .json)
        let response = await request.validate(statusCode: 201...201).serializing(User.self).response
        print("   status \(response.statusCode ?? 0), \(response.value?.name ?? "nobody")")
        try expect(response.value == ben, "the user that was sent")
    }

    private func uploadForm() async throws {
        title("A form with a file, streamed; the server says what came")
        let file = FileManager.default.temporaryDirectory.appending(path: "quickstart-\(UUID().uuidString).png")
        try Data(count: 100_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let request = session.upload(
            .multipart { form in
                form.append("Ada", name: "name")
                form.append(file, name: "avatar", fileName: "a.png")
            }, to: server.url("/forms"))
        let seen = try await request.serializing(JSON.self).value
        print("   \(seen.type.string ?? "?"), \(seen.bytes.int ?? 0) bytes")
        try expect(
            seen.type.string == "multipart/form-data" && seen.bytes.int ?? 0 > 100_000,
            "a form of 100,000 bytes and more")
    }

    private func meetStatus404() async throws {
        title("A status that validate() refuses")
        let error = await session.request(server.url("/nowhere")).validate().serializing(JSON.self).response.error
        print("   \(error?.description ?? "no error")")
        try expect(error?.code == .unacceptableStatus && error?.response?.statusCode == 404, "the status 404")
    }

    private func meetRefusedConnection() async throws {
        title("A port where nobody listens")
        let closed = try await MockServer.start(isRefusing: true)
        let error = await session.request(closed.url("/")).serializing(Data.self).response.error
        await closed.stop()
        print("   \(error?.description ?? "no error")")
        try expect(error?.code == .cannotConnect, "a refused connection")
    }

    private func cancelSlowRequest() async throws {
        title("A cancelled task: the server would answer after 30 s")
        let task = Task { await session.request(server.url("/slow")).serializing(String.self).result }
        _ = try await waitForRequest(to: "/slow")
        let start = ContinuousClock.now
        task.cancel()
        let result = await task.value
        let waited = ContinuousClock.now - start
        print("   ended \(waited.inMilliseconds) after cancel(): \(result.code?.rawValue ?? "with a value")")
        try expect(result.code == .cancelled && waited < .seconds(1), "the code cancelled, at once")
    }

    private func requestConcurrently() async throws {
        title("20 requests at once, each answered after 50 ms")
        let start = ContinuousClock.now
        let squares = try await withThrowingTaskGroup { group in
            for number in 1...20 { group.addTask { try await square(number) } }
            return try await group.reduce(into: []) { $0.append($1) }.sorted()
        }
        let took = ContinuousClock.now - start
        print("   \(squares.map(String.init).joined(separator: " "))\n   after \(took.inMilliseconds) in all")
        try expect(squares == (1...20).map { $0 * $0 } && took < .seconds(1), "20 squares, concurrently")
    }

    private func square(_ number: Int) async throws -> Int {
        try await session.request(server.url("/squares/\(number)")).serializing(JSON.self).value.square.int ?? 0
    }

    private func measure() async throws {
        title("What one request took")
        let metrics = await session.request(server.url("/squares/12")).serializing(JSON.self).response.metrics
        let head = try expect(metrics.timeToResponse, "the time to the response")
        print("   response after \(head.inMilliseconds), all after \(metrics.total.inMilliseconds)")
        print("   \(metrics.receivedBytes) bytes received, decoded in \(metrics.serialization.inMilliseconds)")
        try expect(head >= .milliseconds(50) && head <= metrics.total && metrics.receivedBytes == 14, "the metrics")
    }

    /// Until the server has it; requests of earlier steps come first.
    private func waitForRequest(to path: String) async throws -> RecordedRequest {
        while true {
            let request = try await server.takeRequest()
            if request.path == path { return request }
        }
    }
}

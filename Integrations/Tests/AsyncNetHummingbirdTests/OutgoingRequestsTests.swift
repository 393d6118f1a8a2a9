import AsyncNet
import AsyncNetHummingbird
import AsyncNetMonitors
import AsyncNetTesting
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@Suite("Requests that a handler sends", .timeLimit(.minutes(1)))
struct OutgoingRequestsTests {
    /// The service behind the application: responds with the headers of the trace.
    private let upstream = Session(
        transport: StubTransport { request in
            .json([
                "traceparent": JSON(request.headers["traceparent"] ?? ""),
                "baggage": JSON(request.headers["baggage"] ?? ""),
            ])
        }, configuration: .init(interceptors: [TracePropagation(newTraces: .never)]))
    private let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    private func session(_ limit: Duration?, _ configure: (Router<BasicRequestContext>) -> Void) async throws -> Session
    {
        let router = Router()
        router.add(middleware: OutgoingRequestsMiddleware { _ in limit })
        configure(router)
        return Session(transport: try await HummingbirdTransport(Application(router: router)))
    }

    @Test("Requests of a handler and of the closure that writes the body belong to the incoming request's trace")
    func trace() async throws {
        let session = try await session(nil) { [upstream] router in
            router.get("handler") { _, _ in
                ByteBuffer(bytes: try await upstream.get("http://upstream/").serializing(Data.self).value)
            }
            router.get("body") { _, _ in
                Response(
                    status: .ok,
                    body: .init { writer in
                        let data = try await upstream.get("http://upstream/").serializing(Data.self).value
                        try await writer.write(ByteBuffer(bytes: data))
                        try await writer.finish(nil)
                    })
            }
        }
        for path in ["handler", "body"] {
            let headers: HTTPHeaders = ["traceparent": parent, "baggage": "tenant=a"]
            let json = try await session.get("http://localhost/\(path)", headers: headers).serializing(JSON.self).value
            let sent = try #require(json.traceparent.string)
            #expect(sent.hasPrefix(parent.prefix(36)))
            #expect(sent != parent)
            #expect(json.baggage.string == "tenant=a")
        }
        let json = try await session.get("http://localhost/handler").serializing(JSON.self).value
        #expect(json.traceparent.string == "")
    }

    @Test("A deadline is the earliest of those of the incoming request, the options and the session")
    func earliestDeadline() async throws {
        let (limited, unlimited) = (Session(configuration: .init(deadline: .seconds(500))), Session())
        let session = try await session(.seconds(1000)) { router in
            router.get("deadlines") { _, _ in
                let all = [
                    unlimited.withinIncomingDeadline(),
                    unlimited.withinIncomingDeadline(RequestOptions(deadline: .seconds(2000))),
                    unlimited.withinIncomingDeadline(RequestOptions(deadline: .seconds(100))),
                    limited.withinIncomingDeadline(),
                ]
                return all.map { "\(Int(($0.deadline ?? .zero) / .seconds(100)))" }.joined(separator: " ")
            }
        }
        let text = try await session.get("http://localhost/deadlines").serializing(String.self).value
        #expect(text == "9 9 1 5")
        #expect(limited.withinIncomingDeadline().deadline == nil)
    }

    @Test("A request after the incoming request's deadline ends by it")
    func over() async throws {
        let upstream = Session(transport: StubTransport { _ in .fault(.stall) })
        let session = try await session(.zero) { router in
            router.get("late") { _, _ in
                let options = upstream.withinIncomingDeadline()
                return await upstream.get("http://upstream/", options: options).serializing(Data.self).response
                    .error?.code.rawValue ?? "none"
            }
        }
        let text = try await session.get("http://localhost/late").serializing(String.self).value
        #expect(text == AsyncNetError.Code.deadlineExceeded.rawValue)
    }

    @Test("An application that is called from a handler in the process has no deadline of that handler")
    func nested() async throws {
        let inner = try await session(nil) { router in
            router.get("inner") { _, _ in "\(Session.shared.withinIncomingDeadline().deadline == nil)" }
        }
        let outer = try await session(.seconds(1000)) { router in
            router.get("outer") { _, _ in try await inner.get("http://inner/inner").serializing(String.self).value }
        }
        #expect(try await outer.get("http://localhost/outer").serializing(String.self).value == "true")
    }
}

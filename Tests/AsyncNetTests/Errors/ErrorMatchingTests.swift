import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

/// What an error tells besides its code, and how programs branch on it.
@Suite("Matching of errors", .timeLimit(.minutes(5)))
struct ErrorMatchingTests {
    @Test("An error code matches in a catch clause, with and without a typed throw")
    func matching() {
        func typed() throws(AsyncNetError) { throw AsyncNetError(.timedOut) }
        func untyped() throws { throw AsyncNetError(.timedOut) }
        var matched = 0
        do { try typed() } catch .cancelled { matched = -1 } catch .timedOut { matched += 1 } catch {}
        do { try untyped() } catch AsyncNetError.Code.timedOut { matched += 1 } catch {}
        #expect(matched == 2)
    }

    @Test("isCancelled, isTimeout and isConnectivity classify error codes")
    func kinds() {
        #expect(AsyncNetError(.cancelled).isCancelled && !AsyncNetError(.timedOut).isCancelled)
        #expect(AsyncNetError(.eventTimedOut).isTimeout)
        #expect(AsyncNetError(.timedOut).isTimeout && AsyncNetError(.deadlineExceeded).isTimeout)
        #expect(AsyncNetError(.hostNotFound).isConnectivity && AsyncNetError(.connectionLost).isConnectivity)
        for cause in [AsyncNetError(.cannotConnect), AsyncNetError(.timedOut), AsyncNetError(.unacceptableStatus)] {
            let refresh = AsyncNetError(.refreshFailed, underlyingError: cause)
            #expect(refresh.isConnectivity == cause.isConnectivity && refresh.isTimeout == cause.isTimeout)
        }
        #expect(!AsyncNetError(.unacceptableStatus).isConnectivity && !AsyncNetError(.decodingFailed).isTimeout)
    }

    @Test("An error has the response's status and at most 64 KiB of its body, which no description shows")
    func body() async throws {
        let body = #"{"message":"no such user"}"# + String(repeating: " ", count: 100_000)
        let session = Session(transport: StubTransport { _ in .json(body, status: 404) })
        let late = session.request("http://a/")
        _ = try await late.serializing(Data.self).value
        for request in [session.request("http://a/").validate(), late.validate()] {
            let error = try #require(await request.serializing(User.self).response.error)
            #expect(error.statusCode == 404 && error.data?.count == 65_536)
            #expect(error.data?.starts(with: Data(#"{"message":"no such user"}"#.utf8)) == true)
            #expect(!"\(error) \(error.debugDescription) \(error.localizedDescription)".contains("no such user"))
            var dumped = ""
            dump(error, to: &dumped)
            #expect(!dumped.contains("no such user"))
        }
    }

    @Test("decodingFailed has the body that could not be decoded")
    func decoding() async throws {
        let session = Session(transport: StubTransport { _ in .json(#"{"id":"x"}"#) })
        let error = try #require(await session.request("http://a/").serializing(User.self).response.error)
        #expect(error.code == .decodingFailed && error.statusCode == 200)
        #expect(error.data == Data(#"{"id":"x"}"#.utf8))
    }

    @Test("An error without a response has neither body nor status")
    func noResponse() async throws {
        let session = Session(transport: StubTransport { _ in throw AsyncNetError(.cannotConnect) })
        let error = try #require(await session.request("http://a/").serializing(Data.self).response.error)
        #expect(error.data == nil && error.statusCode == nil && error.isConnectivity)
    }
}

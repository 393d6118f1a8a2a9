import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

@Suite("Parameters that cannot be encoded", .timeLimit(.minutes(5)))
struct ParameterErrorsTests {
    private func failure(_ parameters: some Encodable & Sendable, _ encoder: some ParameterEncoder) async
        -> AsyncNetError?
    {
        let session = Session(transport: StubTransport { _ in .status(200) })
        return await session.request("http://a/", method: .post, parameters: parameters, encoder: encoder).serializing(
            Data.self
        ).result.failure
    }

    @Test("encodingFailed names the path of the value, not the value, and has the encoder's error")
    func places() async {
        for error in [
            await failure(["scores": [1, Double.nan]], .json),
            await failure(["scores": [1, Double.nan]], .urlEncodedForm),
        ] {
            #expect(error?.code == .encodingFailed)
            #expect(
                error?.message.contains("scores[1] cannot be encoded") == true, "\(error.map { "\($0)" } ?? "none")")
            #expect(error?.underlyingError is EncodingError)
        }
        #expect(
            await failure(5, .urlEncodedForm)?.message.hasPrefix("The parameters cannot be encoded. Int has no names")
                == true)
    }
}

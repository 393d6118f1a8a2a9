// The messages that the article "Compiler messages" explains.
import AsyncNet
import Foundation

func progress(of request: DataRequest) {
    request.downloadProgress { print($0.fractionCompleted) }  // error: write 'for await progress in request.downloadProgress { }'
    request.uploadProgress { print($0.fractionCompleted) }  // error: write 'for await progress in request.uploadProgress { }'
}

func labels(of stream: StreamRequest) async throws {
    for try await event in stream.serverSentEvents(limit: 3) { print(event) }  // error: cannot call value of non-function type
    for try await line in stream.lines(limit: 80) { print(line) }  // error: cannot call value of non-function type
}

func errors(of request: DataRequest, _ stream: StreamRequest) async {
    async let text = request.serializing(String.self).value
    do { print(try await text) } catch { print(error.code) }  // error: value of type 'any Error' has no member 'code'
    do { for try await line in stream.lines { print(line) } } catch { print(error.code) }  // error: value of type 'any Error' has no member 'code'
}

func order() {
    _ = SessionConfiguration(timeout: .seconds(3), baseURL: nil)  // error: argument 'baseURL' must precede argument 'timeout'
    _ = RetryBudget(minimumPerSecond: 3, ratio: 0.4)  // error: argument 'ratio' must precede argument 'minimumPerSecond'
}

func head(of response: RawResponse) -> Int? {
    response.head?.statusCode  // error: cannot use optional chaining on non-optional value of type 'HTTPResponseHead'
}

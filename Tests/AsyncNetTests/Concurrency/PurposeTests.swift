import Testing

@testable import AsyncNet

@Suite("Purposes", .timeLimit(.minutes(1)))
struct PurposeTests {
    private final class Key: Sendable {}
    private let key = Key()

    @Test("Two purposes that joined each other are needed only while one has joined a running request")
    func cycle() {
        let (first, second, request) = (Purpose(), Purpose(), Purpose(in: ObjectIdentifier(key)))
        first.join(second)
        second.join(first)
        #expect(!first.isNeeded(in: ObjectIdentifier(key)))
        second.join(request)
        #expect(first.isNeeded(in: ObjectIdentifier(key)))
        request.end()
        #expect(!first.isNeeded(in: ObjectIdentifier(key)))
    }

    @Test("join() releases joined purposes that have ended, and keeps the others")
    func over() {
        let purpose = Purpose()
        weak var ended: Purpose?
        do {
            let request = Purpose(in: ObjectIdentifier(key))
            ended = request
            purpose.join(request)
            request.end()
            purpose.join(request)
        }
        purpose.join(Purpose(in: ObjectIdentifier(key)))
        #expect(ended == nil)
        #expect(purpose.isNeeded(in: ObjectIdentifier(key)))
    }
}

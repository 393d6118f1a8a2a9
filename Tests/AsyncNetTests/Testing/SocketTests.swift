import Testing

@testable import AsyncNetTestSupport

@Suite("Socket")
struct SocketTests {
    @Test(
        "A timeout for poll is rounded up to milliseconds, and clamped to 20 days",
        arguments: [
            (nil, -1), (.zero, 0), (.seconds(-5), 0), (.nanoseconds(1), 1), (.microseconds(1500), 2),
            (.seconds(3), 3000), (.seconds(Int64.max), 20 * 86_400_000),
        ] as [(Duration?, Int32)])
    func limits(_ duration: Duration?, _ milliseconds: Int32) {
        #expect(Socket.milliseconds(duration) == milliseconds)
    }
}

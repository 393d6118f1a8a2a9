#if os(Linux)
    import CAsyncNetSockets
    import Foundation
    import Testing

    @Suite("The poller of a loop")
    struct PollerTests {
        /// Otherwise a loop would spin while nobody reads from a connection that its peer has reset.
        @Test("The poller reports no event of an unwatched socket until the socket is watched again")
        func nothing() throws {
            let poller = an_open_poller()
            try #require(poller >= 0)
            defer { an_close(poller, 0) }
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            defer { an_close(ends[0], 0) }
            #expect(an_watch(poller, ends[0], UInt32(AN_READABLE), 7, 1) == 0)
            #expect(an_watch(poller, ends[0], 0, 7, 0) == 0)
            an_close(ends[1], 0)
            var event = an_event()
            #expect(an_wait(poller, &event, 1, 0) == 0)
            #expect(an_watch(poller, ends[0], UInt32(AN_READABLE), 7, 0) == 0)
            #expect(an_wait(poller, &event, 1, 0) == 1)
            #expect(event.token == 7)
        }
    }
#endif

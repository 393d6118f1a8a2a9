import AsyncNetTesting
import Testing

@Test func a() {}

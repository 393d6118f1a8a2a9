import Testing

@testable import AsyncNetTestSupport

@Suite("NetworkProfile")
struct NetworkProfileTests {
    @Test(
        "Predefined profiles have the latency and bandwidth of browsers' developer tools",
        arguments: [
            (.slow3G, 2000, 50_000, 50_000), (.fast3G, 562.5, 180_000, 84_375), (.fast4G, 165, 1_012_500, 168_750),
            (.regular4G, 20, 500_000, 375_000), (.dsl, 5, 250_000, 125_000),
        ] as [(NetworkProfile, Double, Int, Int)])
    func figures(_ profile: NetworkProfile, _ milliseconds: Double, _ download: Int, _ upload: Int) {
        #expect(profile.latency == .milliseconds(milliseconds))
        #expect(profile.download == download)
        #expect(profile.upload == upload)
        #expect(profile.loss == 0)
        #expect(!profile.isOffline)
    }

    @Test("The duration of an exchange is the latency and the time of both bodies")
    func durations() {
        #expect(NetworkProfile.slow3G.duration(sending: 25_000, receiving: 100_000) == .milliseconds(4500))
        #expect(NetworkProfile().duration(sending: 1, receiving: 1) == .zero)
        let odd = NetworkProfile(latency: .seconds(-1), download: -5)
        #expect(odd.duration(sending: -1, receiving: 2) == .seconds(2))
    }

    @Test("Seed and number of an exchange decide its jitter and loss, which stay within the profile's limits")
    func chances() {
        let profile = NetworkProfile(latency: .seconds(1), jitter: .seconds(2), loss: 0.25, seed: 7)
        let numbers = 1...2000
        let chances = numbers.map { ExchangeChance(profile, number: $0) }
        #expect(numbers.reversed().map { ExchangeChance(profile, number: $0) } == chances.reversed())
        let latencies = chances.map(\.latency)
        #expect(latencies.allSatisfy { (Duration.seconds(1)..<Duration.seconds(3)).contains($0) })
        #expect(Set(latencies).count > 1990)
        let mean = latencies.reduce(.zero, +) / latencies.count
        #expect((Duration.seconds(1.9)..<Duration.seconds(2.1)).contains(mean))
        let lost = chances.filter(\.isLost).count
        #expect((400..<600).contains(lost))
        var other = profile
        other.seed = 8
        #expect(numbers.map { ExchangeChance(other, number: $0) } != chances)
    }

    @Test("Without jitter and loss each exchange has the profile's latency, and with a loss of 1 each exchange is lost")
    func certainty() {
        let plain = (0..<100).map { ExchangeChance(.slow3G, number: $0) }
        #expect(plain.allSatisfy { $0.latency == .seconds(2) && !$0.isLost })
        let lossy = NetworkProfile(latency: .seconds(-1), jitter: .seconds(-1), loss: 1)
        let lost = (0..<100).map { ExchangeChance(lossy, number: $0) }
        #expect(lost.allSatisfy { $0.latency == .zero && $0.isLost })
    }
}

import Testing

@testable import AsyncNet

/// Which credentials and refreshes are remembered, without tasks.
@Suite("CredentialState")
struct CredentialStateTests {
    private func remedy(_ state: CredentialState<String>, _ version: Int) -> String {
        switch state.remedy(for: version) {
        case .retry: "retry"
        case .refresh(let credential): "refresh \(credential)"
        case .fail(let error): "\(error.code)"
        }
    }

    @Test("A rejected current credential is refreshed, an older one causes a retry, and none is missingCredential")
    func remedies() {
        var state = CredentialState("a", window: nil)
        #expect(remedy(state, 0) == "refresh a")
        state.renew("b")
        #expect(remedy(state, 0) == "retry")
        #expect(remedy(state, 1) == "refresh b")
        state.set(nil)
        #expect(remedy(state, 1) == "missingCredential")
    }

    @Test("A failed refresh is not repeated until a new request is sent or the credential changes")
    func failures() {
        var state = CredentialState("a", window: nil)
        state.fail(AsyncNetError(.refreshFailed))
        #expect(remedy(state, 0) == "refreshFailed")
        state.forgetFailure()
        #expect(remedy(state, 0) == "refresh a")
        state.fail(AsyncNetError(.refreshFailed))
        state.renew("b")
        #expect(remedy(state, 1) == "refresh b")
    }

    @Test("The current credential and the five before it are known with their versions until it is set to nil")
    func memory() {
        var state = CredentialState("0", window: nil)
        #expect(state.known.map(\.credential) == ["0"])
        for number in 1...9 { state.renew("\(number)") }
        #expect(state.known.map(\.credential) == ["9", "8", "7", "6", "5", "4"])
        #expect(state.known.allSatisfy { "\($0.version)" == $0.credential })
        state.set("10")
        #expect(state.known.count == 6)
        state.set(nil)
        #expect(state.known.isEmpty)
        state.set("12")
        #expect(state.known.map(\.credential) == ["12"])
    }

    @Test("Refreshes are counted within the window, and from zero after a credential was set")
    func window() {
        var state = CredentialState("a", window: RefreshWindow(interval: .seconds(30), maximumAttempts: 2))
        func begin(_ seconds: Int) -> Bool {
            do throws(AsyncNetError) {
                try state.beginRefresh(at: .seconds(seconds))
                return true
            } catch {
                return error.code != .excessiveRefresh
            }
        }
        #expect([0, 10, 29, 30, 30, 40, 41].map(begin) == [true, true, false, true, false, true, false])
        state.set("b")
        #expect(begin(41))
        var unlimited = CredentialState("a", window: nil)
        for _ in 0..<100 { #expect(throws: Never.self) { try unlimited.beginRefresh(at: .zero) } }
    }

    @Test(
        "Extreme refresh windows do not trap",
        arguments: [
            RefreshWindow(interval: .zero, maximumAttempts: 1),
            RefreshWindow(interval: .seconds(-1), maximumAttempts: .max),
            RefreshWindow(interval: .seconds(Int64.max), maximumAttempts: -1),
            RefreshWindow(interval: .seconds(Int64.max), maximumAttempts: .min),
        ])
    func extremes(window: RefreshWindow) {
        var state = CredentialState("a", window: window)
        for time in [Duration.zero, .seconds(1), .seconds(1_000_000)] { try? state.beginRefresh(at: time) }
    }
}

import Testing

@testable import AsyncNet

/// Which of a name's addresses a connection begins with; without a network.
@Suite("Rotation of addresses")
struct AddressRotationTests {
    /// - Returns: The addresses of each turn, in their order, as one text.
    private func turns(_ answers: [String], start: Int = 0) -> [String] {
        let rotation = AddressRotation(start: start)
        return answers.map { answer in
            rotation.next(Array(answer), of: "name", text: { String($0) }).map(String.init).joined()
        }
    }

    @Test(
        "Each connection begins with the address after the last connection's, and the other addresses follow",
        arguments: [
            (["abc", "abc", "abc", "abc"], 0, ["abc", "bca", "cab", "abc"]),
            // Name servers shuffle.
            (["cab", "bac", "acb", "bca"], 0, ["abc", "bca", "cab", "abc"]),
            (["abc", "abc"], 1, ["bca", "cab"]), (["abc", "abc"], 5, ["cab", "abc"]),
            // The address whose turn is next is gone.
            (["abc", "ac", "ac"], 0, ["abc", "ca", "ac"]),
            // The one that was used is gone.
            (["abc", "bc", "bc", "bc"], 0, ["abc", "bc", "cb", "bc"]),
            // New addresses have their turn.
            (["ac", "abc", "abc", "abc"], 0, ["ac", "bca", "cab", "abc"]),
            (["a", "ab", "ab"], 0, ["a", "ab", "ba"]), (["", "ab"], 0, ["", "ab"]),
        ] as [([String], Int, [String])])
    func order(_ answers: [String], _ start: Int, _ expected: [String]) {
        #expect(turns(answers, start: start) == expected)
    }

    @Test("Addresses rotate within their family, and the first address's family stays first")
    func families() {
        let rotation = AddressRotation(start: 0)
        let next = { rotation.next(["1", "2", "a:", "b:"], of: "name", text: \.self).joined(separator: " ") }
        #expect([next(), next(), next()] == ["1 2 a: b:", "2 1 b: a:", "1 2 a: b:"])
        #expect(rotation.next(["b:", "1", "2"], of: "name", text: \.self) == ["b:", "2", "1"])
    }

    @Test("Addresses rotate for each name, and the rotation of a name is forgotten after 5000 others")
    func names() {
        let rotation = AddressRotation(start: 0)
        let next = { (name: String) in rotation.next(["a", "b"], of: name, text: \.self)[0] }
        #expect([next("one"), next("one"), next("two"), next("one"), next("two")] == ["a", "b", "a", "a", "b"])
        for number in 0..<5000 { _ = next("\(number)") }
        #expect(next("one") == "a")
    }
}

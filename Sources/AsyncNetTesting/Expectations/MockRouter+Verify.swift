public import AsyncNetTestSupport
public import Testing

extension MockRouter {
    /// Checks the requests received so far, and records an issue for each difference: in the current test, at the
    /// expectation's line or at this call's.
    ///
    ///     stub.verify {
    ///         ExpectedRequest(.post, "/login")
    ///         ExpectedRequest(.get, "/users/:id", times: .atLeast(1))
    ///     }
    ///     stub.verify(order: .asListed, others: .allow) { ... }
    ///
    /// A request that several expectations match counts for the first of them that still expects one. What
    /// ``verify()`` checks is checked too: the counts of routes, and requests without a route. Await the requests
    /// first, or use ``StubTransport/requests(atLeast:)``.
    ///
    /// - Parameters:
    ///   - order: Whether the requests have the list's order. `.any` by default.
    ///   - others: Whether requests that the list does not have fail the test. They do by default.
    ///   - sourceLocation: Where differences are reported that belong to no single expectation.
    ///   - expected: The requests expected.
    public func verify(
        order: ExpectedOrder = .any, others: UnlistedRequests = .fail,
        sourceLocation: SourceLocation = #_sourceLocation,
        @ExpectedRequestsBuilder _ expected: () -> [ExpectedRequest]
    ) {
        let expected = expected()
        let unmet = unmetExpectations
        let check = ExpectationCheck(expected, requests)
        var differences = check.counts
        if order == .asListed { differences += check.order }
        if others == .fail { differences += check.others(unrouted: unmet) }
        for difference in differences {
            let place = difference.index.map { expected[$0].sourceLocation } ?? sourceLocation
            Issue.record("\(difference.text)", sourceLocation: place)
        }
        for text in unmet { Issue.record("\(text)", sourceLocation: sourceLocation) }
    }

    /// What ``verify()`` would throw.
    var unmetExpectations: [String] {
        do {
            try verify()
            return []
        } catch let error as UnmetExpectations {
            return error.differences
        } catch {
            return ["\(error)"]
        }
    }
}

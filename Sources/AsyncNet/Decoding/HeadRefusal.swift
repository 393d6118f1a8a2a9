/// That a response will be refused, known before its body has come.
package struct HeadRefusal: Sendable {
    package let error: AsyncNetError
    /// Whether only a body that turns out empty could change that: an empty body has every type.
    package let dependsOnBody: Bool
    /// Whether a check that wants the whole response comes first, whose error would be the request's.
    package let isAfterOthers: Bool

    /// The first refusal by status or type.
    ///
    /// - Parameter response: With the head and a pending body.
    package init?(of response: RawResponse, by validators: [Validator]) {
        for (index, validator) in validators.enumerated() where validator.subject != .wholeResponse {
            do throws(AsyncNetError) { try validator(response) } catch {
                self.error = error
                dependsOnBody = validator.subject == .type && !response.surelyHasBody
                isAfterOthers = validators[..<index].contains { $0.subject == .wholeResponse }
                return
            }
        }
        return nil
    }
}

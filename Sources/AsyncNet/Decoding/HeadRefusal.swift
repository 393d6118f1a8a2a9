/// The error of a response that is refused before its body has been received.
struct HeadRefusal: Sendable {
    let error: AsyncNetError
    /// Whether the refusal does not apply to an empty body, for which any Content-Type is acceptable.
    let dependsOnBody: Bool
    /// Whether a validator of the whole response stands before this one: its error would take precedence.
    let isAfterOthers: Bool

    /// The first refusal, by status or type, of a response whose body has not been received yet.
    init?(of response: RawResponse, by validators: [Validator]) {
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

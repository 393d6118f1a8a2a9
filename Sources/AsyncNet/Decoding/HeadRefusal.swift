/// The error of a response that is refused before its body has been received.
struct HeadRefusal: Sendable {
    let error: AsyncNetError
    /// Whether an empty body would be accepted: any Content-Type is acceptable for it.
    let dependsOnBody: Bool
    /// Whether a validator of the whole response comes first, whose error would take precedence.
    let isAfterOthers: Bool

    /// The first refusal, by status or type, of a response whose body is pending.
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

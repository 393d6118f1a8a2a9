/// Which responses a request accepts; any other response ends the request with an error.
///
///     Session(configuration: .init(validation: .success))
public struct Validation: Sendable {
    /// `nil` for the session's validators.
    let validators: [Validator]?

    /// Accepts what the session's configuration accepts: the default of a request. In the configuration itself this is
    /// the same as ``none``.
    public static let session = Validation(validators: nil)
    /// Accepts every response.
    public static let none = Validation(validators: [])
    /// Accepts a status from 200 to 299 and a type that the request's `Accept` header lists.
    public static let success = Validation(
        validators: [.statusCode { 200..<300 ~= $0 }, .contentType(Validator.acceptHeader)])

    func adding(_ validator: Validator) -> Validation { Validation(validators: (validators ?? []) + [validator]) }
}

struct Validator: Sendable {
    enum Subject: Sendable {
        case status
        /// The check reads the head, and whether the body is empty.
        case type
        /// The check is the user's and may block its thread.
        case wholeResponse
    }

    var subject = Subject.wholeResponse
    /// Decodes the body of a refused response as an error, which becomes the cause of the refusal.
    var cause: (@Sendable (RawResponse) throws -> any Error)?
    let check: @Sendable (RawResponse) throws -> Void

    /// Runs the check; an error of another type becomes an ``AsyncNetError``.
    func callAsFunction(_ response: RawResponse) throws(AsyncNetError) {
        do {
            try check(response)
        } catch {
            throw AsyncNetError(wrapping: error, as: .validationFailed)
        }
    }

    static func statusCode(
        cause: (@Sendable (RawResponse) throws -> any Error)? = nil, _ accepts: @escaping @Sendable (Int) -> Bool
    ) -> Validator {
        Validator(subject: .status, cause: cause) { response in
            guard !accepts(response.statusCode) else { return }
            throw AsyncNetError(.unacceptableStatus, "The response's status \(response.statusCode) is not acceptable")
        }
    }

    /// Accepts a body with one of the acceptable types, a body without a type for `*/*`, and any empty body.
    static func contentType(_ acceptable: @escaping @Sendable (RawResponse) -> [String]) -> Validator {
        Validator(subject: .type) { response in
            guard response.hasBody else { return }
            let acceptable = acceptable(response)
            guard MediaType.list(acceptable, includes: response.head.mediaType) else {
                let type = response.head.mediaType.map { "Content-Type \($0)" } ?? "missing Content-Type"
                let list = acceptable.sorted().joined(separator: ", ")
                throw AsyncNetError(.unacceptableContentType, "The response's \(type) is not acceptable, only \(list)")
            }
        }
    }

    /// The types of the request's `Accept`; `*/*` without that header.
    static func acceptHeader(_ response: RawResponse) -> [String] {
        (response.requestHead.headers["Accept"] ?? "*/*").split(separator: ",").map { String($0).trimmedHTTPSpace }
    }
}

extension [Validator] {
    /// Runs the checks in order, on a thread that a check of the user's may block; throws the first refusal.
    func check(_ response: RawResponse) async throws(AsyncNetError) {
        do throws(AsyncNetError) {
            guard contains(where: { $0.subject == .wholeResponse }) else { return try checkHere(response) }
            try await UserCode.run { () async throws(AsyncNetError) in try checkHere(response) }
        } catch {
            throw response.isBodyPending ? error : await explained(error, response)
        }
    }

    /// Adds the cause to a refusal by status or type, if a validator decodes one from the body, possibly by user code.
    func explained(_ error: AsyncNetError, _ response: RawResponse) async -> AsyncNetError {
        guard [.unacceptableStatus, .unacceptableContentType].contains(error.code), error.underlyingError == nil,
            !response.data.isEmpty, let cause = lazy.compactMap(\.cause).first
        else { return error }
        return await UserCode.run { (try? cause(response)).map { error.with(underlyingError: $0) } ?? error }
    }

    func checkHere(_ response: RawResponse) throws(AsyncNetError) {
        for validator in self { try validator(response) }
    }
}

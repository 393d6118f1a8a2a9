import AsyncNet
import Foundation

/// A client of the shop's API. A refused request's error has the shop's `ProblemDetails` as its underlying error.
struct ShopClient: Sendable {
    let session: Session
    private let login: Login
    private let authentication: AuthenticationInterceptor<Login>
    private let authorized: RequestOptions

    /// A client over any transport; a test gives a clock.
    init(
        baseURL: URL, transport: some Transport = .automatic, clock: any Clock<Duration> = ContinuousClock()
    ) {
        session = Session(
            baseURL: baseURL, transport: transport,
            configuration: SessionConfiguration(
                decoder: .json(keys: .convertFromSnakeCase, dates: .iso8601),
                encoder: .json(keys: .convertToSnakeCase, dates: .iso8601),
                interceptors: [RetryPolicy(limit: 3)], deadline: .seconds(60), clock: clock))
        login = Login(session: session)
        authentication = AuthenticationInterceptor(authenticator: login, credential: nil)
        authorized = RequestOptions(interceptors: [authentication])
    }

    func logIn(username: String, password: String) async throws(AsyncNetError) {
        await setTokens(try await login.tokens(username: username, password: password))
    }

    func setTokens(_ tokens: Tokens) async { await authentication.setCredential(tokens) }

    func product(_ id: Int) async throws(AsyncNetError) -> Product {
        try await session.get("products/\(id)", options: authorized)
            .validate(decoding: ProblemDetails.self).serializing(Product.self).value
    }

    /// All products, a page at a time.
    var products: some AsyncSequence<[Product], AsyncNetError> & Sendable {
        session.pages([Product].self, from: "products", options: authorized)
    }

    /// Orders once, however often the request has to be repeated.
    func place(_ order: NewOrder, key: UUID = UUID()) async throws(AsyncNetError) -> Order {
        try await session.post(
            "orders", parameters: order, headers: ["Idempotency-Key": key.uuidString], options: authorized
        )
        .validate(decoding: ProblemDetails.self).serializing(Order.self).value
    }

    /// The steps of an order, as they happen, until it is delivered.
    func steps(of order: Int) -> some AsyncSequence<OrderStep, any Error> & Sendable {
        session.stream("orders/\(order)/steps", options: authorized).serverSentEvents.decoding(OrderStep.self)
    }

    /// Uploads a photo, and reports what fraction of it is sent.
    func upload(
        photo: URL, of product: Int, progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(AsyncNetError) -> Photo {
        let request = session.upload(
            .multipart { form in
                form.append("\(product)", name: "product_id")
                form.append(photo, name: "photo", fileName: "photo.jpg")
            }, to: "photos", options: authorized)
        async let receipt = request.validate(decoding: ProblemDetails.self).serializing(Photo.self).result
        for await step in request.uploadProgress { progress(step.fractionCompleted) }
        return try await receipt.get()
    }

    /// The sales of a year as a file.
    func report(of year: Int, to file: URL) async throws(AsyncNetError) -> URL {
        try await session.download(
            "reports", to: .file(file, options: .removePreviousFile), parameters: ["year": year], options: authorized
        )
        .validate(decoding: ProblemDetails.self).value
    }
}

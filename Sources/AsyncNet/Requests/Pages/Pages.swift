/// The decoded pages of a list that a server splits, in order.
///
///     for try await products in session.pages([Product].self, from: "products") { show(products) }
///
/// Made by ``Session/pages(_:from:parameters:encoder:headers:options:decoder:next:)``. A page is requested when it is
/// asked for, so a loop that ends early has requested no more than it has used, and `prefix(10)` limits the number of
/// pages. Each page is a request with the session's policies and the given options; `deadline` begins anew for each.
/// Cancelling the task that waits for a page cancels its request. Each loop begins with the first page.
///
/// A page with a status other than 200 to 299, or of a type that the request's `Accept` does not list, ends the
/// sequence with `.unacceptableStatus` or `.unacceptableContentType`. If the request for the next page equals one that
/// was sent before, asking for that page ends the sequence with `.pagingFailed`. Nothing follows an error.
public struct Pages<Page: Decodable & Sendable>: AsyncSequence, Sendable {
    let first: RequestBlueprint
    let options: RequestOptions
    let redirects: RedirectHandler
    let decoder: any DataDecoder
    let next: NextPage<Page>
    let session: any RequestSession

    init(
        _ first: RequestBlueprint, _ options: RequestOptions, _ decoder: (any DataDecoder)?, _ next: NextPage<Page>,
        in session: any RequestSession
    ) {
        let configuration = session.environment.configuration
        self.first = first.modified(by: options.modifier)
        redirects = options.redirects ?? configuration.redirects
        self.decoder = decoder ?? configuration.decoder
        self.next = next
        self.session = session
        var options = options
        options.modifier = nil
        self.options = options
    }

    public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

    /// Requests the pages of one loop.
    public struct Iterator: AsyncIteratorProtocol {
        private let pages: Pages
        private var course: PageCourse?
        private var last: Received?
        private var isOver = false
        /// Held from the first page to the end of the loop.
        private var hold: PagesHold?

        private struct Received {
            let page: Page
            let head: HTTPResponseHead
            let context: AsyncNetError.Context
        }

        init(pages: Pages) { self.pages = pages }

        /// Requests the next page; `nil` after the last.
        public mutating func next() async throws(AsyncNetError) -> Page? { try await next(isolation: #isolation) }

        /// Requests the next page; `for await` calls this function.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(AsyncNetError) -> Page? {
            guard !isOver else { return nil }
            isOver = true
            // A finished session refuses the first page's request; `finish()` waits for the pages after it.
            let (hold, purpose) = (hold ?? PagesHold(pages.session.environment), hold?.purpose)
            self.hold = nil
            guard let received = try await received(for: purpose) else { return nil }
            (last, isOver, self.hold) = (received, false, hold)
            return received.page
        }

        /// A session that finishes sends the requests of a loop that has begun.
        private mutating func received(for purpose: Purpose?) async throws(AsyncNetError) -> Received? {
            guard let purpose else { return try await received() }
            do {
                return try await Purpose.$current.withValue(purpose) { try await received() }
            } catch {
                throw AsyncNetError(wrapping: error, as: .pagingFailed)
            }
        }

        private mutating func received() async throws(AsyncNetError) -> Received? {
            do {
                guard let (step, course) = try await step() else { return nil }
                self.course = course
                try self.course?.begin(step.request)
                return try await received(step, course.options(pages.options, for: step))
            } catch {
                let error = AsyncNetError(wrapping: error, as: .pagingFailed)
                throw last.map { error.with($0.context) } ?? error
            }
        }

        private func step() async throws -> (PageCourse.Step, PageCourse)? {
            if let course, let last {
                return try await pages.step(after: last.page, last.head, course).map { ($0, course) }
            }
            let first = try await pages.first.make()
            let course = PageCourse(first, pages.redirects)
            return (PageCourse.Step(request: course.first), course)
        }

        private mutating func received(_ step: PageCourse.Step, _ options: RequestOptions) async throws -> Received {
            let blueprint = RequestBlueprint(.instant) { _ in step.request }
            let request = DataRequest(RequestEngine(blueprint, options: options, session: pages.session))
            request.validate()
            let response = await request.serializing(Page.self, decoder: pages.decoder).response
            let page = try response.result.get()
            guard let head = response.head else { throw AsyncNetError(.badServerResponse) }
            course?.arrive(at: head.url, with: step.request)
            return Received(page: page, head: head, context: request.engine.record.outcome(nil).errorContext)
        }
    }
}

extension Pages.Iterator: CustomReflectable {
    /// Shown by `dump`: no requests, since they contain secrets.
    public var customMirror: Mirror { Mirror(self, children: ["isOver": isOver]) }
}

/// Tells the session that a loop may ask for more pages, until this object is released.
final class PagesHold: Sendable {
    let purpose: Purpose
    private let transfers: TransferCount

    init(_ environment: Environment) {
        purpose = Purpose(in: environment.identity, for: Purpose.current)
        transfers = environment.transfers
        transfers.beginLoop()
    }

    deinit {
        purpose.end()
        transfers.endLoop()
    }
}

extension Pages {
    fileprivate func step(
        after page: Page, _ head: HTTPResponseHead, _ course: PageCourse
    ) async throws -> PageCourse.Step? {
        switch next.rule {
        case .link(let relation):
            let link = head.links.first { $0.has(relation: relation) && $0.context == head.url }
            return try link.map { try course.step(to: $0.target, after: head) }
        case .url(let rule):
            let url = try await UserCode.run { try rule(page, head) }
            return try url.map { try course.step(to: $0, after: head) }
        case .request(let rule):
            return try await UserCode.run { [assembly = session.environment.assembly] in
                guard let request = try rule(page, head)?.asURLRequest() else { return nil }
                return PageCourse.Step(
                    request: try assembly.transportRequest(from: request, modifier: nil), ownHeaders: request.headers)
            }
        }
    }
}

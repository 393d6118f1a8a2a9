import AsyncNet
import Foundation
import Testing

@Suite("Form errors", .timeLimit(.minutes(5)))
struct URLEncodedFormErrorTests {
    typealias Encoder = URLEncodedFormEncoder

    struct Silent: Encodable {
        func encode(to encoder: any Swift.Encoder) throws {}
    }

    private func error(_ value: some Encodable, _ encoder: Encoder = Encoder()) throws -> EncodingError.Context {
        let error = #expect(throws: EncodingError.self) { try encoder.encode(value) }
        guard case .invalidValue(_, let context) = try #require(error) else {
            Issue.record("\(String(describing: error))")
            return EncodingError.Context(codingPath: [], debugDescription: "")
        }
        return context
    }

    @Test(
        "A top-level value without names is an error that lists suitable values",
        arguments: [
            (1 as any Encodable & Sendable, "Int"), ("a", "String"), ([1], "Array<Int>"), (true, "Bool"),
            (Date.distantPast, "Date"), (Data(), "Data"),
            ([1.5: 1], "Dictionary<Double, Int>"), (JSON([]), "JSON"), (JSON.null, "JSON"),
            (Page?.none, "Optional<Page>"),
        ])
    func root(_ value: any Encodable & Sendable, _ type: String) throws {
        let context = try error(value)
        #expect(context.codingPath.isEmpty)
        #expect(context.debugDescription.hasPrefix("\(type) has no names at its top"), "\(context.debugDescription)")
        #expect(
            context.debugDescription.contains(
                "encode a struct, a dictionary with String or Int keys, or a JSON object that holds it"))
    }

    @Test("A value that encodes nothing is an error at the top level, and omitted below it")
    func silent() throws {
        _ = try error(Silent())
        #expect(try Encoder(nilEncoding: .null).encode(["a": Silent()]) == "")
    }

    @Test(
        "NaN, infinities and invalid dates are errors with the path of the value",
        arguments: [
            (Double.nan as any Encodable & Sendable), -Double.infinity, Float.infinity, Decimal.nan,
            Date(timeIntervalSince1970: .infinity),
        ])
    func notFinite(_ value: any Encodable & Sendable) throws {
        func check(_ value: some Encodable & Sendable) throws {
            for dates in [Encoder.DateEncoding.deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601] {
                let context = try error(["a": [value]], Encoder(dateEncoding: dates))
                #expect(context.codingPath.map(\.stringValue) == ["a", "0"])
                #expect(
                    context.debugDescription.contains("cannot contain the number")
                        || context.debugDescription.contains("not finite"))
            }
        }
        try check(value)
    }

    struct Failure: Error {}

    @Test("Errors of encoding closures are thrown unchanged")
    func closures() {
        #expect(throws: Failure.self) {
            try Encoder(dateEncoding: .custom { _ in throw Failure() }).encode(["a": Date()])
        }
        #expect(throws: Failure.self) {
            try Encoder(dataEncoding: .custom { _ in throw Failure() }).encode(["a": Data()])
        }
    }

    // MARK: Depth

    final class Chain: Encodable {
        var next: Chain?
    }

    final class Wrapper: Encodable {
        enum Way: CaseIterable { case single, keyed, unkeyed, superclass, nested }
        let way: Way
        init(_ way: Way) { self.way = way }

        func encode(to encoder: any Swift.Encoder) throws {
            switch way {
            case .single:
                var container = encoder.singleValueContainer()
                try container.encode(self)
            case .keyed:
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(self, forKey: AnyKey(stringValue: "a"))
            case .unkeyed:
                var container = encoder.unkeyedContainer()
                try container.encode(self)
            case .superclass:
                var container = encoder.unkeyedContainer()
                try container.encode(1)
                try encode(to: container.superEncoder())
            case .nested:
                try fill(encoder.container(keyedBy: AnyKey.self))
            }
        }

        private func fill(_ container: KeyedEncodingContainer<AnyKey>) throws {
            var container = container
            try container.encode(1, forKey: AnyKey(stringValue: "n"))
            try fill(container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(stringValue: "a")))
        }
    }

    /// Sanitizers make frames several times as large.
    private static let isSanitized = ["__asan_init", "__tsan_init"].contains { (name: String) in
        dlsym(dlopen(nil, RTLD_NOW), name) != nil
    }

    /// On a thread with as little stack as one that runs tasks has where it has least.
    private func onSmallStack(_ work: @escaping @Sendable () -> String) async -> String {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: work()) }
            thread.stackSize = (Self.isSanitized ? 4096 : 512) * 1024
            thread.start()
        }
    }

    @Test(
        "A value that contains itself is an error, without overflowing a stack of 512 KiB",
        arguments: Wrapper.Way.allCases)
    func cycle(_ way: Wrapper.Way) async throws {
        let text = await onSmallStack {
            do { return try Encoder().encode(["root": Wrapper(way)]) } catch { return "\(error)" }
        }
        #expect(
            text.contains("The value is nested deeper than 128 levels; perhaps it contains itself"),
            "\(text.prefix(500))")
    }

    @Test("A class with synthesized encoding that contains itself is an error")
    func synthesizedCycle() async throws {
        let text = await Task.detached {
            let chain = Chain()
            chain.next = chain
            defer { chain.next = nil }
            do { return try Encoder().encode(chain) } catch { return "\(error)" }
        }.value
        #expect(text.contains("deeper than 128 levels"), "\(text.prefix(500))")
    }

    @Test("128 nested levels are encoded, and 129 are an error", arguments: [(128, true), (129, false)])
    func deep(_ levels: Int, _ isAllowed: Bool) async throws {
        let text = await onSmallStack {
            let chain = (1..<levels).reduce(into: Chain()) { chain, _ in
                let outer = Chain()
                outer.next = chain
                chain = outer
            }
            do { return try Encoder(nilEncoding: .null).encode(chain) } catch { return "\(error)" }
        }
        #expect(text.hasSuffix("=null") == isAllowed, "\(text.prefix(500))")
        let json = (0..<levels).reduce(into: JSON(1)) { json, _ in json = ["a": json] }
        if isAllowed { #expect(try Encoder().encode(json).hasSuffix("=1")) } else { _ = try error(json) }
    }

    // MARK: Mistakes of encode(to:)

    struct TwoValues: Encodable {
        func encode(to encoder: any Swift.Encoder) throws {
            var single = encoder.singleValueContainer()
            try single.encode(1)
            try single.encode("2")
        }
    }

    @Test("A second value encoded into a single value container is an error")
    func twoValues() throws {
        let context = try error(["a": TwoValues()])
        #expect(context.codingPath.map(\.stringValue) == ["a"])
        #expect(context.debugDescription == "A container for a single value has one already")
    }
}

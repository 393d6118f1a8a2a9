import Foundation
import Testing

@testable import AsyncNetTesting

/// Which mode a test has, as a table.
@Suite("RecordingDecision")
struct RecordingDecisionTests {
    @Test(
        "ASYNCNET_RECORD overrides the trait's mode unless that is .none, and CI records nothing",
        arguments: [
            (.once, nil, nil, .once, nil), (.new, "", nil, .new, nil), (.all, nil, nil, .all, nil),
            (.none, nil, nil, .none, .trait),
            (.once, "all", nil, .all, nil), (.all, "once", nil, .once, nil), (.once, "NEW", nil, .new, nil),
            (.all, "none", nil, .none, .environment), (.none, "all", nil, .none, .trait),
            (.all, nil, "true", .none, .ci), (.once, "all", "1", .none, .ci), (.none, nil, "1", .none, .trait),
            (.once, "none", "1", .none, .environment),
            (.once, nil, "", .once, nil), (.once, nil, "false", .once, nil), (.all, nil, "False", .all, nil),
            (.once, nil, "0", .once, nil),
        ] as [(RecordingMode, String?, String?, RecordingMode, RecordingDecision.Cause?)])
    func modes(
        _ trait: RecordingMode, _ variable: String?, _ ci: String?, _ mode: RecordingMode,
        _ cause: RecordingDecision.Cause?
    ) throws {
        var environment: [String: String] = [:]
        environment["ASYNCNET_RECORD"] = variable
        environment["CI"] = ci
        let decision = try RecordingDecision(trait: trait, environment: environment)
        #expect(decision.mode == mode)
        #expect(decision.cause == cause)
    }

    @Test("An unknown ASYNCNET_RECORD is an error for every mode of the trait", arguments: RecordingMode.allCases)
    func unknown(_ trait: RecordingMode) {
        let error = #expect(throws: RecordingDecision.UnknownMode.self) {
            try RecordingDecision(trait: trait, environment: ["ASYNCNET_RECORD": "onec"])
        }
        #expect(
            error?.description
                == "The environment variable ASYNCNET_RECORD is \"onec\"; it must be one of none, once, new, all")
    }
}

@Suite("RecordingPath")
struct RecordingPathTests {
    @Test(
        "A recording's path is relative to the source file, and contains the test's name and arguments",
        arguments: [
            ("fixtures/users.har", "loads()", [], "/a/b/fixtures/users.har"),
            ("/tmp/users.har", "loads()", [], "/tmp/users.har"),
            ("../{test}.har", "loads()", [], "/a/loads.har"),
            ("{test}.har", "loads(id:_:)", ["1", "x"], "/a/b/loads-1-x.har"),
            ("{test}/{argument}.har", "loads(id:)", ["1"], "/a/b/loads/1.har"),
            ("users-{argument}.har", "loads(id:)", ["17"], "/a/b/users-17.har"),
            ("{test}.har", "größe()", [], "/a/b/gr--e-\(hash("größe")).har"),
            ("{argument}.har", "a(b:)", ["../x"], "/a/b/x-\(hash("../x")).har"),
        ] as [(String, String, [String], String)])
    func files(_ path: String, _ name: String, _ arguments: [String], _ file: String) {
        let found = RecordingPath(text: path, sourceFile: "/a/b/Tests.swift").file(for: name, arguments)
        #expect(found.path == file)
    }

    private static func hash(_ text: String) -> String {
        String(RecordingPath.fileName(text).split(separator: "-").last ?? "")
    }

    @Test("Different texts give different valid file names")
    func names() {
        let texts = [
            "a", "a b", "a-b", "a/b", "a\u{0}b", ".", "..", ".a", String(repeating: "x", count: 500), "", "ä", "ö",
        ]
        let names = texts.map(RecordingPath.fileName)
        #expect(Set(names).count == texts.count)
        #expect(names.allSatisfy { !$0.contains("/") && !$0.hasPrefix(".") && $0.utf8.count <= 60 })
        #expect(RecordingPath.fileName("user-1.0_x") == "user-1.0_x")
    }

    private struct Named: CustomTestStringConvertible, Sendable { var testDescription: String { "named" } }

    @Test("Test.Case.current has the text of each argument of the running test", arguments: [17], ["a b"])
    func arguments(_ number: Int, _ text: String) {
        #expect(Test.Case.current?.argumentTexts == ["17", "a b"])
    }

    @Test("An argument's text is its testDescription", arguments: [Named()])
    private func described(_: Named) {
        #expect(Test.Case.current?.argumentTexts == ["named"])
    }

    @Test("A test without parameters has no arguments")
    func noArguments() {
        #expect(Test.Case.current?.argumentTexts == [])
    }
}

import ArgumentParser
import AsyncNet
import Foundation

/// Which cookies are sent, and where those go that servers set.
struct CookieOptions: ParsableArguments {
    @Option(
        name: [.customShort("b"), .long], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Repeatable; sends these cookies, or those of FILE in Netscape's format.", valueName: "NAME=VALUE|FILE"))
    var cookie: [String] = []

    @Option(
        name: [.customShort("c"), .long], parsing: .unconditional,
        help: ArgumentHelp("Writes all cookies to FILE at the end; - is standard output.", valueName: "FILE"))
    var cookieJar: String?

    @Flag(name: [.customShort("j"), .long], help: "Leaves out the session cookies of -b FILE.")
    var junkSessionCookies = false

    /// Cookies in words, which go to the URL's origin only.
    var words: [String] { cookie.filter { $0.contains("=") } }

    private var files: [String] { cookie.filter { !$0.contains("=") } }

    /// - Returns: `nil` if cookies of responses are not kept, as without -c and -b FILE.
    func jar() async throws(ExitError) -> CookieJar? {
        guard cookieJar != nil || !files.isEmpty else { return nil }
        let jar = CookieJar()
        for file in files where !file.isEmpty && file != "/dev/null" {
            do throws(AsyncNetError) {
                for cookie in try await CookieJar(file: Input.cookies(file)).cookies { _ = await jar.set(cookie) }
            } catch {
                throw ExitError(error, "")
            }
        }
        if junkSessionCookies { await jar.removeSessionCookies() }
        return jar
    }

    func save(_ jar: CookieJar?) async throws(ExitError) {
        guard let cookieJar, let jar else { return }
        do throws(AsyncNetError) {
            guard cookieJar == "-" || AtomicFile.isSpecial(cookieJar) else {
                return try await jar.save(to: URL(file: cookieJar))
            }
        } catch {
            throw ExitError(error, "")
        }
        let text = try await text(of: jar)
        if cookieJar == "-" { try Console.write(text) } else { try AtomicFile.write(text, to: cookieJar) }
    }

    /// The library writes to a file only, which its reader may never see half.
    private func text(of jar: CookieJar) async throws(ExitError) -> Data {
        let file = FileManager.default.temporaryDirectory.appending(path: "anet-\(UUID().uuidString)")
        defer { unlink(file.path) }
        do throws(AsyncNetError) { try await jar.save(to: file) } catch { throw ExitError(error, "") }
        return try Input.read("@\(file.path)")
    }
}

import CAsyncNetPlatform
import Foundation

/// libpsl, found at run time like zlib: a libcurl with cookies has usually loaded it.
///
/// Unchecked: the pointers do not change, libpsl only reads the list once it is loaded, and list and library are
/// never freed.
struct PublicSuffixLibrary: @unchecked Sendable {
    private typealias Load = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?
    private typealias BuiltIn = @convention(c) () -> OpaquePointer?
    private typealias Check = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> CInt

    private let list: OpaquePointer
    private let check: Check

    init?(named name: String) {
        guard let library = cp_open(name, RTLD_NOW | RTLD_LOCAL), let check = dlsym(library, "psl_is_public_suffix"),
            let list = Self.list(in: library)
        else { return nil }
        self.list = list
        self.check = unsafeBitCast(check, to: Check.self)
    }

    /// Whether the name, in lower case and without a last dot, is on the list with its private section.
    func contains(_ name: String) -> Bool { name.withCString { check(list, $0) } == 1 }

    /// The system's file with the list if it is newer than the library, otherwise the library's own list.
    private static func list(in library: UnsafeMutableRawPointer) -> OpaquePointer? {
        if let latest = dlsym(library, "psl_latest"), let list = unsafeBitCast(latest, to: Load.self)(nil) {
            return list
        }
        return dlsym(library, "psl_builtin").flatMap { unsafeBitCast($0, to: BuiltIn.self)() }
    }
}

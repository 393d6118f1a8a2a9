import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if os(Linux)
    /// Which file is loaded as libcurl, in processes of their own, since a process loads one only once.
    @Suite("Loading libcurl", .timeLimit(.minutes(5)))
    struct LibcurlLoadingTests {
        private static func description(with file: String) -> String {
            setenv("ASYNCNET_LIBCURL", file, 1)
            return LibcurlTransport().transportDescription
        }

        @Test("A library path without a file leads to .transportUnavailable, and no other libcurl is loaded")
        func missing() async {
            await #expect(processExitsWith: .success) {
                #expect(Self.description(with: "/nowhere/libcurl.so.4").contains("/nowhere/libcurl.so.4: cannot open"))
                let error = await Session(transport: .libcurl()).request("http://127.0.0.1:1/").serializing(Data.self)
                    .result.failure
                #expect(error?.code == .transportUnavailable)
                #expect(Session().transportDescription.hasPrefix("sockets"))
            }
        }

        @Test("A relative library path is refused")
        func relative() async {
            await #expect(processExitsWith: .success) {
                #expect(Self.description(with: "libcurl.so.4").contains("must be an absolute path"))
            }
        }

        @Test("A library that is no libcurl is refused")
        func another() async {
            await #expect(processExitsWith: .success) {
                let folder = "/lib/\(Platform.machine)-linux-gnu"
                guard
                    let library = ["\(folder)/libz.so.1", "/usr/lib64/libz.so.1"].first(
                        where: FileManager.default.fileExists)
                else { return }
                #expect(Self.description(with: library).contains("has no curl_version_info"))
            }
        }

        @Test("An empty library name counts as not set")
        func empty() async {
            await #expect(processExitsWith: .success) {
                #expect(Self.description(with: "").hasPrefix("libcurl "))
            }
        }
    }

    private enum Platform {
        #if arch(x86_64)
            static let machine = "x86_64"
        #else
            static let machine = "aarch64"
        #endif
    }
#endif

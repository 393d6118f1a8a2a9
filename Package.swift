// swift-tools-version: 6.2
import PackageDescription

let features: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

/// The libraries of the trait LinkedTLS, on Linux: elsewhere it changes nothing.
let linksTLS = BuildSettingCondition.when(platforms: [.linux], traits: ["LinkedTLS"])
let linkedC: [CSetting] = [.define("ASYNCNET_LINKED_TLS", linksTLS)]
let openSSL: [LinkerSetting] = [.linkedLibrary("ssl", linksTLS), .linkedLibrary("crypto", linksTLS)]

// What Apple's systems need to know of a library. Elsewhere a resource would cost a bundle beside the program.
#if canImport(Darwin)
    let (privacy, excluded): ([Resource], [String]) = ([.copy("PrivacyInfo.xcprivacy")], [])
#else
    let (privacy, excluded): ([Resource], [String]) = ([], ["PrivacyInfo.xcprivacy"])
#endif

let package = Package(
    name: "AsyncNet",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "AsyncNet", targets: ["AsyncNet"]),
        .library(name: "AsyncNetLibcurl", targets: ["AsyncNetLibcurl"]),
        .library(name: "AsyncNetMonitors", targets: ["AsyncNetMonitors"]),
        .library(name: "AsyncNetTesting", targets: ["AsyncNetTesting"]),
        .library(name: "AsyncNetTestSupport", targets: ["AsyncNetTestSupport"]),
    ],
    traits: [
        .trait(
            name: "LinkedTLS",
            description: "Links OpenSSL and zlib on Linux, instead of loading them at run time: for static executables."
        )
    ],
    targets: [
        .target(name: "CAsyncNetSockets"),
        .target(
            name: "CAsyncNetTLS", dependencies: ["CAsyncNetPlatform"], cSettings: linkedC, linkerSettings: openSSL),
        .target(
            name: "CAsyncNetCompression", dependencies: ["CAsyncNetPlatform"], cSettings: linkedC,
            linkerSettings: [.linkedLibrary("z", linksTLS)]),
        .target(name: "CAsyncNetLibcurl", dependencies: ["CAsyncNetPlatform"]),
        .target(
            name: "CAsyncNetMockTLS", dependencies: ["CAsyncNetPlatform"], cSettings: linkedC, linkerSettings: openSSL),
        .target(name: "CAsyncNetPlatform"),
        .target(
            name: "AsyncNet",
            dependencies: ["CAsyncNetSockets", "CAsyncNetTLS", "CAsyncNetCompression", "CAsyncNetPlatform"],
            exclude: excluded, resources: privacy, swiftSettings: features),
        .target(name: "AsyncNetLibcurl", dependencies: ["AsyncNet", "CAsyncNetLibcurl"], swiftSettings: features),
        .target(name: "AsyncNetMonitors", dependencies: ["AsyncNet"], swiftSettings: features),
        // Without Swift Testing, so that programs need no libTesting.so.
        .target(
            name: "AsyncNetTestSupport", dependencies: ["AsyncNet", "AsyncNetMonitors", "CAsyncNetMockTLS"],
            swiftSettings: features),
        .target(name: "AsyncNetTesting", dependencies: ["AsyncNet", "AsyncNetTestSupport"], swiftSettings: features),
        .testTarget(
            name: "AsyncNetTests",
            dependencies: [
                "AsyncNet", "AsyncNetLibcurl", "AsyncNetMonitors", "AsyncNetTesting", "AsyncNetTestSupport",
                "CAsyncNetLibcurl", "CAsyncNetPlatform",
            ],
            swiftSettings: features),
        .testTarget(
            name: "MainActorTests", dependencies: ["AsyncNet", "AsyncNetTesting"],
            swiftSettings: features + [.defaultIsolation(MainActor.self)]),
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

let features: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

let asyncNet = Target.Dependency.product(name: "AsyncNet", package: "AsyncNet")
let asyncNetMonitors = Target.Dependency.product(name: "AsyncNetMonitors", package: "AsyncNet")
let asyncNetTesting = Target.Dependency.product(name: "AsyncNetTesting", package: "AsyncNet")

/// The target of a bridge, and of its tests; `imports` is what the tests need besides.
func bridge(_ name: String, _ dependencies: [Target.Dependency], tests imports: [Target.Dependency] = []) -> [Target] {
    [
        .target(name: name, dependencies: [asyncNet] + dependencies, swiftSettings: features),
        .testTarget(
            name: "\(name)Tests",
            dependencies: [.target(name: name), asyncNet, asyncNetTesting] + dependencies + imports,
            swiftSettings: features),
    ]
}

let package = Package(
    name: "Integrations",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "AsyncNetCrypto", targets: ["AsyncNetCrypto"]),
        .library(name: "AsyncNetLogging", targets: ["AsyncNetLogging"]),
        .library(name: "AsyncNetMetrics", targets: ["AsyncNetMetrics"]),
        .library(name: "AsyncNetTracing", targets: ["AsyncNetTracing"]),
        .library(name: "AsyncNetHTTPTypes", targets: ["AsyncNetHTTPTypes"]),
        .library(name: "AsyncNetLifecycle", targets: ["AsyncNetLifecycle"]),
        .library(name: "AsyncNetNIO", targets: ["AsyncNetNIO"]),
        .library(name: "AsyncNetConfiguration", targets: ["AsyncNetConfiguration"]),
        .library(name: "AsyncNetHummingbird", targets: ["AsyncNetHummingbird"]),
    ],
    dependencies: [
        .package(name: "AsyncNet", path: ".."),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    ],
    targets: bridge(
        "AsyncNetCrypto",
        [
            .product(name: "Crypto", package: "swift-crypto"), .product(name: "CryptoExtras", package: "swift-crypto"),
            .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
        ])
        + bridge(
            "AsyncNetLogging", [asyncNetMonitors, .product(name: "Logging", package: "swift-log")],
            tests: [.product(name: "InMemoryLogging", package: "swift-log")])
        + bridge(
            "AsyncNetMetrics", [asyncNetMonitors, .product(name: "Metrics", package: "swift-metrics")],
            tests: [.product(name: "MetricsTestKit", package: "swift-metrics")])
        + bridge(
            "AsyncNetTracing", [asyncNetMonitors, .product(name: "Tracing", package: "swift-distributed-tracing")],
            tests: [.product(name: "InMemoryTracing", package: "swift-distributed-tracing")])
        + bridge("AsyncNetHTTPTypes", [.product(name: "HTTPTypes", package: "swift-http-types")])
        + bridge(
            "AsyncNetLifecycle", [.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")],
            tests: [
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
            ])
        + bridge(
            "AsyncNetNIO",
            [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationEssentialsCompat", package: "swift-nio"),
            ])
        + bridge(
            "AsyncNetConfiguration", [.product(name: "Configuration", package: "swift-configuration")],
            tests: [.product(name: "SystemPackage", package: "swift-system")])
        + bridge(
            "AsyncNetHummingbird",
            [
                .target(name: "AsyncNetHTTPTypes"), .target(name: "AsyncNetNIO"), asyncNetMonitors,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

let features: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

let dependencies: [Target.Dependency] = [
    .product(name: "AsyncNet", package: "AsyncNet"),
    .product(name: "AsyncNetHTTPTypes", package: "Integrations"),
    .product(name: "HTTPTypes", package: "swift-http-types"),
    .product(name: "OpenAPIRuntime", package: "swift-openapi-runtime"),
]

let package = Package(
    name: "OpenAPI",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "AsyncNetOpenAPI", targets: ["AsyncNetOpenAPI"])],
    dependencies: [
        .package(name: "AsyncNet", path: "../.."),
        .package(name: "Integrations", path: ".."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-openapi-runtime", from: "1.8.2"),
    ],
    targets: [
        .target(name: "AsyncNetOpenAPI", dependencies: dependencies, swiftSettings: features),
        .testTarget(
            name: "AsyncNetOpenAPITests",
            dependencies: dependencies + ["AsyncNetOpenAPI", .product(name: "AsyncNetTesting", package: "AsyncNet")],
            swiftSettings: features),
    ],
    swiftLanguageModes: [.v6]
)

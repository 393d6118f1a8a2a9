// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    products: [.library(name: "CountedMalloc", type: .dynamic, targets: ["CountedMalloc"])],
    dependencies: [
        .package(name: "AsyncNet", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/ordo-one/TextTable", from: "0.0.2"),
    ],
    targets: [
        .executableTarget(name: "floor"),
        .target(name: "CountedMalloc"),
        .executableTarget(
            name: "carrier",
            dependencies: [
                .product(name: "AsyncNet", package: "AsyncNet"), .product(name: "AsyncNetLibcurl", package: "AsyncNet"),
            ]
        ),
        .executableTarget(
            name: "bench",
            dependencies: [
                .product(name: "AsyncNet", package: "AsyncNet"),
                .product(name: "AsyncNetLibcurl", package: "AsyncNet"),
                .product(name: "AsyncNetMonitors", package: "AsyncNet"),
                .product(name: "AsyncNetTestSupport", package: "AsyncNet"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "TextTable", package: "TextTable"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

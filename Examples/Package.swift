// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    traits: [.trait(name: "LinkedTLS", description: "That of AsyncNet, see Scripts/static-binary.")],
    dependencies: [
        .package(
            name: "AsyncNet", path: "..", traits: [.trait(name: "LinkedTLS", condition: .when(traits: ["LinkedTLS"]))]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .executableTarget(
            name: "quickstart",
            dependencies: [
                .product(name: "AsyncNet", package: "AsyncNet"),
                .product(name: "AsyncNetTestSupport", package: "AsyncNet"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .target(
            name: "Timelines", dependencies: [.product(name: "AsyncNet", package: "AsyncNet")],
            swiftSettings: [.enableUpcomingFeature("InternalImportsByDefault")]
        ),
        .executableTarget(
            name: "trace",
            dependencies: [
                "Timelines",
                .product(name: "AsyncNet", package: "AsyncNet"),
                .product(name: "AsyncNetTestSupport", package: "AsyncNet"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .testTarget(
            name: "TimelinesTests",
            dependencies: [
                "Timelines", .product(name: "AsyncNet", package: "AsyncNet"),
                .product(name: "AsyncNetTesting", package: "AsyncNet"),
            ]
        ),
        .executableTarget(
            name: "anet",
            dependencies: [
                "Timelines",
                .product(name: "AsyncNet", package: "AsyncNet"),
                .product(name: "AsyncNetLibcurl", package: "AsyncNet"),
                .product(name: "AsyncNetMonitors", package: "AsyncNet"),
                .product(name: "AsyncNetTestSupport", package: "AsyncNet"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .executableTarget(
            name: "shop",
            dependencies: [
                .product(name: "AsyncNet", package: "AsyncNet"),
                .product(name: "AsyncNetTestSupport", package: "AsyncNet"),
            ]
        ),
        .testTarget(
            name: "ShopTests",
            dependencies: [
                "shop", .product(name: "AsyncNet", package: "AsyncNet"),
                .product(name: "AsyncNetTesting", package: "AsyncNet"),
            ],
            exclude: ["fixtures"]
        ),
        .executableTarget(name: "chat", dependencies: [.product(name: "AsyncNet", package: "AsyncNet")]),
        .testTarget(name: "ChatTests", dependencies: ["chat", .product(name: "AsyncNet", package: "AsyncNet")]),
        .executableTarget(name: "redis", dependencies: [.product(name: "AsyncNet", package: "AsyncNet")]),
        .executableTarget(name: "netwatch", dependencies: [.product(name: "AsyncNet", package: "AsyncNet")]),
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

// Programs that Scripts run: nobody who uses AsyncNet needs them.
let package = Package(
    name: "Tools",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "AsyncNet", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .executableTarget(
            name: "fuzz-sequences",
            dependencies: [
                .product(name: "AsyncNet", package: "AsyncNet"),
                .product(name: "AsyncNetLibcurl", package: "AsyncNet"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .executableTarget(
            name: "requests",
            dependencies: [
                .product(name: "AsyncNet", package: "AsyncNet"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

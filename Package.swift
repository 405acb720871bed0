// swift-tools-version: 6.2
import PackageDescription

// Arrows point down only. docs/architecture.md draws the same map with the reason for each layer.
//
//   scrub -> ScrubCommands -> Scrub -> ScrubPictures -> ScrubDecoding -> ScrubIndex
//         -> { Bitstream, ISOMedia, Matroska, LibAV, FileIO, Hashing } -> ScrubBase
//                             Scrub -> Scrubbing -> ScrubBase
//
// C is visible in LibAV (libav*), Hashing (xxHash) and ScrubPictures' PNG encoder (libpng through shims) and
// nowhere above them.
let package = Package(
    name: "scrub",
    products: [
        .library(name: "Scrub", targets: ["Scrub"]),
        .executable(name: "scrub", targets: ["scrub-cli"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
    ],
    targets: [
        // C faces.
        .systemLibrary(name: "CFFmpeg", pkgConfig: "libavformat", providers: [.apt(["libavformat-dev"])]),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
        .target(name: "CScrubShims", dependencies: ["CFFmpeg", "CPNG"]),

        // Values and bytes.
        .target(name: "ScrubBase"),
        .target(
            name: "FileIO",
            dependencies: ["ScrubBase", .product(name: "SystemPackage", package: "swift-system")]),
        .target(name: "Hashing", dependencies: ["CXXHash"]),

        // Formats, pure logic over bytes.
        .target(name: "Bitstream", dependencies: ["ScrubBase"]),
        .target(name: "ISOMedia", dependencies: ["ScrubBase"]),
        .target(name: "Matroska", dependencies: ["ScrubBase"]),

        // Owners over libav handles.
        .target(name: "LibAV", dependencies: ["CFFmpeg", "CScrubShims", "ScrubBase"]),

        // The engine.
        .target(
            name: "ScrubIndex",
            dependencies: ["ScrubBase", "FileIO", "Hashing", "Bitstream", "ISOMedia", "Matroska", "LibAV"]),
        .target(
            name: "ScrubDecoding",
            dependencies: ["ScrubIndex", "ScrubBase", "FileIO", "Bitstream", "LibAV"]),
        .target(name: "ScrubPictures", dependencies: ["ScrubBase", "LibAV", "FileIO", "CScrubShims"]),

        // Gestures and playheads, pure logic over values.
        .target(name: "Scrubbing", dependencies: ["ScrubBase"]),

        // What people import, and what they type.
        .target(
            name: "Scrub",
            dependencies: [
                "ScrubBase", "Scrubbing", "FileIO", "LibAV", "ScrubIndex", "ScrubDecoding", "ScrubPictures",
            ]),
        .target(
            name: "ScrubCommands",
            dependencies: [
                "Scrub", "FileIO", .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .executableTarget(
            name: "scrub-cli",
            dependencies: ["ScrubCommands", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Sources/scrub"),

        .testTarget(name: "ScrubBaseTests", dependencies: ["ScrubBase", "FileIO", "Hashing"]),
        .testTarget(name: "BitstreamTests", dependencies: ["Bitstream", "ScrubBase"]),
        .testTarget(name: "ISOMediaTests", dependencies: ["ISOMedia", "ScrubBase"]),
        .testTarget(name: "MatroskaTests", dependencies: ["Matroska", "ScrubBase"]),
        .target(name: "TestSupport", path: "Tests/TestSupport"),
        .testTarget(name: "ScrubbingTests", dependencies: ["Scrubbing", "ScrubBase", "TestSupport"]),
        .testTarget(
            name: "ScrubDecodingTests",
            dependencies: [
                "ScrubDecoding", "ScrubIndex", "ScrubBase", "FileIO", "Bitstream", "LibAV", "TestSupport",
                "CFFmpeg",
            ]),
        .testTarget(
            name: "ScrubIndexTests",
            dependencies: ["ScrubIndex", "ScrubDecoding", "ScrubBase", "FileIO", "Bitstream", "LibAV"]),
        .testTarget(
            name: "ScrubPicturesTests",
            dependencies: ["ScrubPictures", "LibAV", "ScrubBase", "FileIO", "CFFmpeg"]),
        .testTarget(
            name: "ScrubTests",
            dependencies: [
                "Scrub", "scrub-cli",
            ]),
    ]
)

for target in package.targets where target.type != .system {
    var settings = target.swiftSettings ?? []
    settings += [
        .swiftLanguageMode(.v6),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableExperimentalFeature("Lifetimes"),
    ]
    target.swiftSettings = settings
}

// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that people who use Scrub never build it.
let package = Package(
    name: "scrub-benchmarks",
    dependencies: [.package(name: "scrub", path: "..", traits: [])],
    targets: [
        // The coders that previews are measured with, as C has them.
        .systemLibrary(name: "CPreviewCodecs", providers: [.apt(["libturbojpeg0-dev", "libwebp-dev"])]),
        .systemLibrary(name: "CPictureCodecs", pkgConfig: "libavcodec", providers: [.apt(["libavcodec-dev"])]),
        .executableTarget(
            name: "PNGBenchmark", dependencies: ["CPictureCodecs", .product(name: "Scrub", package: "scrub")],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "PreviewBenchmark", dependencies: ["CPreviewCodecs", .product(name: "Scrub", package: "scrub")],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "OpenBenchmark", dependencies: [.product(name: "Scrub", package: "scrub")],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "CancellationBenchmark", dependencies: [.product(name: "ScrubThumbnails", package: "scrub")],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "SoakBenchmark", dependencies: [.product(name: "Scrub", package: "scrub")],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "GrowBenchmark", dependencies: [.product(name: "Scrub", package: "scrub")],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    ]
)

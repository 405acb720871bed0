// swift-tools-version: 6.2
import PackageDescription

// Programs that use the library as an application does: `import Scrub`, `ScrubThumbnails` or `ScrubPlayers`, and
// nothing that is not public.
let package = Package(
    name: "examples",
    // Without traits: what only Scrub's programs need is not resolved.
    dependencies: [.package(name: "scrub", path: "..", traits: [])],
    targets: [
        .executableTarget(
            name: "tour",
            dependencies: [
                .product(name: "ScrubPlayers", package: "scrub"), .product(name: "ScrubThumbnails", package: "scrub"),
            ]),
        .executableTarget(name: "thumbnailer", dependencies: [.product(name: "Scrub", package: "scrub")]),
        .executableTarget(name: "series", dependencies: [.product(name: "Scrub", package: "scrub")]),
        .executableTarget(name: "scrubbar", dependencies: [.product(name: "Scrub", package: "scrub")]),
        .executableTarget(name: "histogram", dependencies: [.product(name: "Scrub", package: "scrub")]),
        .executableTarget(name: "playlist", dependencies: [.product(name: "ScrubPlayers", package: "scrub")]),
        // Targets of an app's own whose names a toolkit might have had: Scrub's begin with Scrub.
        .target(name: "FileIO"),
        .target(name: "Hashing"),
        .target(name: "Playback"),
        .executableTarget(
            name: "namesakes",
            dependencies: ["FileIO", "Hashing", "Playback", .product(name: "Scrub", package: "scrub")]),
        // The code of the articles and of the README: compiled, not run.
        .target(
            name: "Articles",
            dependencies: [
                .product(name: "ScrubPlayers", package: "scrub"), .product(name: "ScrubThumbnails", package: "scrub"),
            ]),
    ]
)

for target in package.targets {
    target.swiftSettings = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
}

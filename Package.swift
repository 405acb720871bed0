// swift-tools-version: 6.2
import PackageDescription

// Arrows point down only. docs/architecture.md draws the same map with the reason for each layer.
//
//   scrub -> ScrubCommands -> Scrub -> ScrubThumbnails -> ScrubMedia -> ScrubPictures -> ScrubDecoding -> ScrubIndex
//         -> { Bitstream, ISOMedia, Matroska, LibAV, FileIO, Hashing } -> ScrubBase
//                                       ScrubMedia -> Scrubbing -> ScrubBase
//   Scrub -> ScrubPlayers -> { ScrubMedia, Playback } ; Playback -> Scrubbing (playlists, pace, presenters: pure logic)
//                  ScrubThumbnails -> Storyboards -> ScrubBase
//                                     PosterScoring -> ScrubBase (which frame is a good poster; placeholders)
//
// C is visible in LibAV (libav*), Hashing (xxHash), ScrubPictures' encoders (libpng through shims, TurboJPEG, libwebp, libavif) and
// ScrubBase (processors, through a shim), and nowhere above them.
let package = Package(
    name: "scrub",
    products: [
        .library(name: "Scrub", targets: ["Scrub"]),
        .executable(name: "scrub", targets: ["scrub-cli"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // C faces.
        .systemLibrary(name: "CFFmpeg", pkgConfig: "libavformat", providers: [.apt(["libavformat-dev"])]),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CWebP", pkgConfig: "libwebpmux", providers: [.apt(["libwebp-dev"])]),
        .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
        // Its header is libavif's; the library is loaded when it is needed.
        .target(name: "CAVIF"),
        .target(name: "CProcessors"),
        .target(name: "CScrubShims", dependencies: ["CFFmpeg", "CPNG"]),

        // Values and bytes.
        .target(name: "ScrubBase", dependencies: ["CProcessors"]),
        .target(
            name: "FileIO",
            dependencies: ["ScrubBase", "CSparseFiles", .product(name: "SystemPackage", package: "swift-system")]),
        .target(name: "Hashing", dependencies: ["CXXHash"]),

        // Formats, pure logic over bytes.
        .target(name: "Bitstream", dependencies: ["ScrubBase"]),
        .target(name: "ISOMedia", dependencies: ["ScrubBase"]),
        .target(name: "Matroska", dependencies: ["ScrubBase"]),

        // Owners over libav handles.
        .target(name: "LibAV", dependencies: ["CFFmpeg", "CScrubShims", "CSandbox", "Isolation", "ScrubBase"]),

        // Processes that decode for this one, locked in: what the kernel has for that, and messages to and from them.
        .target(name: "CSandbox"),
        .target(name: "Isolation", dependencies: ["CSandbox", "ScrubBase"]),

        // The engine.
        .target(
            name: "ScrubIndex",
            dependencies: ["ScrubBase", "FileIO", "Hashing", "Bitstream", "ISOMedia", "Matroska", "LibAV"]),
        .target(
            name: "ScrubDecoding",
            dependencies: ["ScrubIndex", "ScrubBase", "FileIO", "Bitstream", "LibAV"]),
        .target(
            name: "ScrubPictures",
            dependencies: ["ScrubBase", "LibAV", "FileIO", "CScrubShims", "CTurboJPEG", "CWebP", "CAVIF"]),

        // Gestures and playheads, pure logic over values.
        .target(name: "Scrubbing", dependencies: ["ScrubBase"]),

        // Playlists, pace, presenters and decoder leases, pure logic over values and a clock.
        .target(name: "Playback", dependencies: ["ScrubBase", "Scrubbing"]),

        // Index formats of thumbnail sets, pure logic over values.
        .target(name: "Storyboards", dependencies: ["ScrubBase"]),
        // Work over many files: shards, manifests, costs and forecasts, pure logic over values.
        .target(name: "Batching", dependencies: ["ScrubBase"]),
        // The custom element <scrub-strip>, one file of JavaScript in the program.
        .target(name: "StripElement", resources: [.embedInCode("scrub-strip.js")]),
        // Which frame makes a good poster, and placeholders of it, pure logic over small pictures.
        .target(name: "PosterScoring", dependencies: ["ScrubBase"]),

        // Videos, frames, pictures and sessions.
        .target(
            name: "ScrubMedia",
            dependencies: [
                "ScrubBase", "Scrubbing", "FileIO", "Isolation", "LibAV", "ScrubIndex", "ScrubDecoding",
                "ScrubPictures",
            ]),
        // Strips, sets, posters, scenes, covers, and the proof of sets.
        .target(
            name: "ScrubThumbnails",
            dependencies: [
                "ScrubMedia", "ScrubBase", "Storyboards", "StripElement", "PosterScoring", "FileIO", "Hashing",
                "Bitstream",
                "ISOMedia",
                "LibAV", "ScrubIndex", "ScrubDecoding", "ScrubPictures",
            ]),

        // Players without a screen: items, controllers, presenters, decoder limits, sinks.
        .target(
            name: "ScrubPlayers",
            dependencies: [
                "ScrubMedia", "Playback", "Scrubbing", "ScrubBase", "FileIO", "LibAV", "ScrubIndex", "ScrubDecoding",
                "ScrubPictures",
            ]),

        // What is on the network: addresses, ranges, validators and plans of requests (pure); the client; what was fetched; sources.
        .target(name: "Fetching", dependencies: ["ScrubBase"]),
        // Its declarations are libcurl's; the library is loaded at the first address.
        .target(name: "CCurl"),
        .target(name: "HTTPTransport", dependencies: ["Fetching", "CCurl", "ScrubBase"]),
        // Locks of open file descriptions and holes in files, which Swift's import of the C library lacks.
        .target(name: "CSparseFiles"),
        .target(
            name: "MediaCache",
            dependencies: [
                "Fetching", "FileIO", "Hashing", "CSparseFiles", "ScrubBase",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .target(
            name: "ScrubSources", dependencies: ["Fetching", "HTTPTransport", "MediaCache", "FileIO", "ScrubBase"]),
        // HLS: playlists (pure), and videos made of segments.
        .target(name: "HLSPlaylists", dependencies: ["ScrubBase"]),
        .target(
            name: "ScrubStreams",
            dependencies: [
                "HLSPlaylists", "ScrubSources", "Fetching", "ScrubMedia", "ScrubIndex", "ScrubDecoding", "LibAV",
                "FileIO", "Hashing", "ScrubBase",
            ]),

        // What a request to the viewer names: its target and its host, pure logic over text.
        .target(name: "ViewerRequests", dependencies: ["ScrubBase"]),

        // Libraries of films: what is to be done, shards and costs (pure), and the run that does it.
        .target(
            name: "ScrubBatch",
            dependencies: [
                "Batching", "Fetching", "HTTPTransport", "ScrubMedia", "ScrubThumbnails", "Storyboards",
                "ScrubDecoding", "ScrubIndex", "LibAV",
                "FileIO",
                "Hashing",
                "ScrubBase", .product(name: "GRDB", package: "GRDB.swift"),
            ]),

        // What people import, and what they type.
        .target(
            name: "Scrub",
            dependencies: [
                "ScrubMedia", "ScrubThumbnails", "ScrubPlayers", "ScrubSources", "ScrubStreams", "Fetching",
                "FileIO", "ScrubIndex", "ScrubBase",
            ]),
        // What can be said to the viewer, on both programs' command lines.
        .target(
            name: "ViewerOptions",
            dependencies: [
                "ScrubBase", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .target(
            name: "ScrubCommands",
            dependencies: [
                "ViewerOptions", "ScrubBatch", "Batching",
                "Scrub", "ScrubMedia", "ScrubPlayers", "ScrubSources", "ScrubStreams", "MediaCache", "Fetching",
                "Storyboards", "FileIO",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .executableTarget(
            name: "scrub-cli",
            dependencies: ["ScrubCommands", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Sources/scrub"),

        .testTarget(name: "ScrubBaseTests", dependencies: ["ScrubBase", "FileIO", "Hashing", "TestSupport"]),
        .testTarget(name: "BitstreamTests", dependencies: ["Bitstream", "ScrubBase", "TestSupport"]),
        .testTarget(name: "ISOMediaTests", dependencies: ["ISOMedia", "ScrubBase", "TestSupport"]),
        .testTarget(name: "MatroskaTests", dependencies: ["Matroska", "ScrubBase"]),
        .target(name: "TestSupport", dependencies: ["ScrubBase"], path: "Tests/TestSupport"),
        // A sandbox's worker that somebody has taken over: no product.
        .target(name: "CMalice", path: "Tests/CMalice"),
        .executableTarget(
            name: "malicious-worker", dependencies: ["CMalice", "CSandbox", "Isolation", "LibAV"],
            path: "Tests/MaliciousWorker"),
        .testTarget(name: "ScrubbingTests", dependencies: ["Scrubbing", "ScrubBase", "TestSupport"]),
        .testTarget(name: "PlaybackTests", dependencies: ["Playback", "Scrubbing", "ScrubBase", "TestSupport"]),
        .testTarget(
            name: "ScrubPlayersTests",
            dependencies: [
                "ScrubPlayers", "ScrubMedia", "Playback", "Scrubbing", "ScrubIndex", "ScrubDecoding", "ScrubBase",
                "FileIO",
                "LibAV", "TestSupport",
            ]),
        .testTarget(name: "FetchingTests", dependencies: ["Fetching", "ScrubBase", "TestSupport"]),
        .testTarget(
            name: "HTTPTransportTests",
            dependencies: ["HTTPTransport", "CCurl", "Fetching", "ScrubBase", "TestSupport"]),
        .testTarget(
            name: "MediaCacheTests",
            dependencies: [
                "MediaCache", "Fetching", "FileIO", "Hashing", "ScrubIndex", "ScrubBase", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "ScrubSourcesTests",
            dependencies: [
                "ScrubSources", "MediaCache", "HTTPTransport", "Fetching", "ScrubMedia", "ScrubThumbnails",
                "ScrubIndex",
                "ScrubDecoding", "FileIO", "ScrubBase", "TestSupport",
            ]),
        .testTarget(
            name: "ScrubStreamsTests",
            dependencies: [
                "ScrubStreams", "HLSPlaylists", "ScrubSources", "HTTPTransport", "Fetching", "ScrubMedia", "ScrubIndex",
                "FileIO", "ScrubBase", "TestSupport",
            ]),
        .testTarget(name: "StoryboardsTests", dependencies: ["Storyboards", "ScrubBase", "TestSupport"]),
        .testTarget(
            name: "ScrubBatchTests",
            dependencies: [
                "ScrubBatch", "Batching", "Fetching", "ScrubMedia", "ScrubThumbnails", "FileIO", "Hashing",
                "HTTPTransport", "ScrubBase", "TestSupport", .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(name: "BatchingTests", dependencies: ["Batching", "ScrubBase", "TestSupport"]),
        // What a million films come to on many machines, by simulation: docs/scale.md. No product.
        .executableTarget(
            name: "scale-simulation",
            dependencies: ["Batching", "ScrubBase", "TestSupport", .product(name: "GRDB", package: "GRDB.swift")],
            path: "Tests/ScaleSimulation"),
        .testTarget(name: "PosterScoringTests", dependencies: ["PosterScoring", "ScrubBase", "TestSupport"]),
        .testTarget(
            name: "ScrubDecodingTests",
            dependencies: [
                "ScrubDecoding", "ScrubIndex", "ScrubBase", "FileIO", "Bitstream", "Isolation", "LibAV",
                "TestSupport", "CFFmpeg",
            ]),
        .testTarget(
            name: "ScrubIndexTests",
            dependencies: [
                "ScrubIndex", "ScrubDecoding", "ScrubBase", "FileIO", "Bitstream", "LibAV", "Matroska", "TestSupport",
            ]),
        .testTarget(
            name: "ScrubPicturesTests",
            dependencies: [
                "ScrubPictures", "LibAV", "ScrubBase", "FileIO", "CAVIF", "CFFmpeg", "CScrubShims", "TestSupport",
            ]),
        // One body for each reader of bytes from outside, for the fuzzer in Fuzz/ and for the replay of what it found.
        .target(
            name: "FuzzBodies",
            dependencies: [
                "Batching", "Bitstream", "Fetching", "FileIO", "HLSPlaylists", "Hashing", "ISOMedia", "Matroska",
                "ScrubBase",
                "ScrubIndex", "Scrubbing", "Storyboards", "ViewerRequests",
            ],
            path: "Tests/FuzzBodies"),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzBodies", "TestSupport"]),
        .testTarget(
            name: "ScrubTests",
            dependencies: [
                "Scrub", "scrub-cli", "malicious-worker", "ScrubIndex", "TestSupport",
            ]),
    ]
)

// The viewer in the browser: a server and its page, a program of its own, so that scrub itself loads nothing of it. SwiftNIO takes
// minutes to build; a build that has no use for the viewer says SCRUB_VIEWER=0.
if Context.environment["SCRUB_VIEWER"] != "0" {
    package.products.append(.executable(name: "scrub-view", targets: ["scrub-view"]))
    package.dependencies.append(
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []))
    // Hummingbird's own parts, named where its server has no word for something: connections, shutting down, silence.
    package.dependencies += [
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ]
    package.targets += [
        .target(
            name: "ScrubViewer",
            dependencies: [
                "Scrub", "ScrubMedia", "ScrubThumbnails", "ScrubPlayers", "ScrubSources", "ScrubBase", "Scrubbing",
                "Storyboards", "ScrubPictures", "ScrubIndex", "ScrubDecoding", "FileIO", "Hashing", "StripElement",
                "ViewerOptions", "ViewerRequests",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            resources: [.embedInCode("Page")]),
        // How many heaps threads share, which Swift's import of the C library lacks.
        .target(name: "CHeap"),
        .executableTarget(
            name: "scrub-view",
            dependencies: [
                "CHeap",
                "ScrubViewer", "ScrubCommands", "ViewerOptions", "ScrubMedia", "ScrubSources", "FileIO", "ScrubBase",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(
            name: "ScrubViewerTests",
            dependencies: [
                "ScrubViewer", "ViewerOptions", "ViewerRequests", "Scrub", "ScrubMedia", "ScrubThumbnails",
                "ScrubPictures", "Storyboards",
                "ScrubBase", "FileIO", "TestSupport",
            ]),
    ]
}

// Fuzz/ is a package of its own, and `package` access ends with the package: it links the bodies as a product, which nobody else sees.
if Context.environment["SCRUB_FUZZ"] == "1" {
    package.products.append(.library(name: "_FuzzBodies", targets: ["FuzzBodies"]))
}

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
    // Every use of memory that the compiler does not check says `unsafe` in what ships; docs/memory-safety.md counts them.
    if target.type != .test, target.path?.hasPrefix("Tests/") != true { settings.append(.strictMemorySafety()) }
    target.swiftSettings = settings
}

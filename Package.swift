// swift-tools-version: 6.2
import PackageDescription

// Length: a manifest is one file.
//
// The storeys of the house, from below; arrows point down only. Sources has a folder for each, and Tests the same.
// docs/architecture.md draws the map with the reason for each target, and Scripts/map.py holds it against this file and
// the imports.
//
// C is visible in ScrubLibAV (libav*, zlib), ScrubHashing (xxHash), ScrubPictures' encoders (libpng and zlib through
// shims, TurboJPEG, libwebp, libavif) and the network's client (libcurl). It is also visible for functions that Swift's
// import of the C library lacks; nowhere above them.
//
// Names of targets are unique over all packages of a program, so each begins with Scrub, those of C with CScrub.
// `XLogic` is the pure half of `X`: values and a clock, without files, threads and libraries.
let storeys: KeyValuePairs<String, [String]> = [
    "C": [
        "CScrubAVIF", "CScrubCurl", "CScrubFFmpeg", "CScrubHeap", "CScrubLibAVLoader", "CScrubPNG", "CScrubProcessors",
        "CScrubSandbox", "CScrubShims", "CScrubSparseFiles", "CScrubTurboJPEG", "CScrubWebP", "CScrubXXHash",
        "CScrubZlib",
    ],
    "Base": ["ScrubBase", "ScrubFileIO", "ScrubHashing"],
    "Formats": ["ScrubBitstream", "ScrubISOMedia", "ScrubMatroska", "ScrubHLSPlaylists", "ScrubStoryboards"],
    "Engine": ["ScrubIsolation", "ScrubLibAV", "ScrubIndex", "ScrubDecoding", "ScrubPictures"],
    "Media": ["ScrubMediaLogic", "ScrubMedia"],
    "Network": ["ScrubSourcesLogic", "ScrubHTTPTransport", "ScrubMediaCache", "ScrubSources", "ScrubStreams"],
    "Thumbnails": ["ScrubThumbnailsLogic", "ScrubStripElement", "ScrubThumbnails"],
    // What people import.
    "Scrub": ["Scrub"],
    // What people include.
    "Library": ["CScrub", "ScrubC"],
    "Players": ["ScrubPlayersLogic", "ScrubPlayers"],
    "Batch": ["ScrubBatchLogic", "ScrubBatch"],
    "Programs": [
        "ScrubViewerOptions", "ScrubViewerLogic", "ScrubTerminal", "ScrubCommands", "ScrubViewer", "scrub",
        "scrub-view",
    ],
]

/// The folder of a target that says none itself.
func folder(of target: Target) -> String {
    let subject = target.type == .test ? String(target.name.dropLast("Tests".count)) : target.name
    let root = target.type == .test ? "Tests" : "Sources"
    guard let storey = storeys.first(where: { $0.value.contains(subject) })?.key else {
        fatalError("Package.swift: the target \(target.name) has no storey")
    }
    return target.name == "Scrub" ? "Sources/Scrub" : "\(root)/\(storey)/\(target.name)"
}

// What only the programs use stands under a trait: an app that depends on Scrub with `traits: []` neither resolves nor
// fetches it. This package builds all its targets whatever the traits are. Each file of a target that uses such a
// product, or a target that does, therefore lies in `#if` with the trait's name. Scripts/map.py holds both.
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["CommandLine"]))
let viewer = TargetDependencyCondition.when(traits: ["Viewer"])

// The C library's functions check the sizes of what they write to, where the compiler knows them.
let hardened = [CSetting.define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release))]

let package = Package(
    name: "scrub",
    products: [
        .library(name: "Scrub", targets: ["Scrub"]),
        .library(name: "ScrubPlayers", targets: ["ScrubPlayers"]),
        // The C library; Scripts/library.sh links libscrub.so of it.
        .library(name: "ScrubC", type: .dynamic, targets: ["ScrubC"]),
        .executable(name: "scrub", targets: ["scrub-cli"]),
        .executable(name: "scrub-view", targets: ["scrub-view"]),
    ],
    traits: [
        .trait(name: "CommandLine", description: "The program scrub."),
        .trait(
            name: "Viewer",
            description: "The program scrub-view: a server and its page. SwiftNIO takes minutes to build.",
            enabledTraits: ["CommandLine"]),
        .default(enabledTraits: ["CommandLine", "Viewer"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // The command line's.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        // The viewer's.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        // Hummingbird's own parts, named where its server has no word for something: connections, shutting down,
        // silence.
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        // C faces.
        .systemLibrary(
            name: "CScrubFFmpeg", pkgConfig: "libswscale", providers: [.apt(["libavformat-dev", "libswscale-dev"])]),
        // Defines libavformat's and libavcodec's functions; the libraries are loaded with the first call.
        .target(name: "CScrubLibAVLoader", dependencies: ["CScrubFFmpeg"], cSettings: hardened),
        .systemLibrary(name: "CScrubPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CScrubTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CScrubWebP", pkgConfig: "libwebpmux", providers: [.apt(["libwebp-dev"])]),
        .systemLibrary(name: "CScrubXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
        .systemLibrary(name: "CScrubZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // Its header is libavif's; the library is loaded when it is needed.
        .target(name: "CScrubAVIF", cSettings: hardened),
        .target(name: "CScrubProcessors", cSettings: hardened),
        .target(
            name: "CScrubShims", dependencies: ["CScrubFFmpeg", "CScrubLibAVLoader", "CScrubPNG", "CScrubZlib"],
            cSettings: hardened),

        // Values and bytes.
        .target(name: "ScrubBase", dependencies: ["CScrubHeap", "CScrubProcessors"]),
        .target(
            name: "ScrubFileIO",
            dependencies: ["ScrubBase", "CScrubSparseFiles", .product(name: "SystemPackage", package: "swift-system")]),
        .target(name: "ScrubHashing", dependencies: ["CScrubXXHash"]),

        // Formats, pure logic over bytes.
        .target(name: "ScrubBitstream", dependencies: []),
        .target(name: "ScrubISOMedia", dependencies: ["ScrubBase"]),
        .target(name: "ScrubMatroska", dependencies: ["ScrubBase"]),

        // Owners over libav handles.
        .target(
            name: "ScrubLibAV",
            dependencies: [
                "CScrubFFmpeg", "CScrubLibAVLoader", "CScrubShims", "CScrubSandbox", "CScrubZlib", "ScrubIsolation",
                "ScrubBase",
            ]),

        // Processes that decode for this one, locked in: what the kernel has for that, and messages to and from them.
        .target(name: "CScrubSandbox", cSettings: hardened),
        .target(name: "ScrubIsolation", dependencies: ["CScrubSandbox", "ScrubBase"]),

        // The engine.
        .target(
            name: "ScrubIndex",
            dependencies: [
                "ScrubBase", "ScrubFileIO", "ScrubHashing", "ScrubBitstream", "ScrubISOMedia", "ScrubMatroska",
                "ScrubLibAV",
            ]),
        .target(
            name: "ScrubDecoding",
            dependencies: ["ScrubHashing", "ScrubIndex", "ScrubBase", "ScrubFileIO", "ScrubBitstream", "ScrubLibAV"]),
        .target(
            name: "ScrubPictures",
            dependencies: [
                "ScrubBase", "ScrubLibAV", "CScrubShims", "CScrubTurboJPEG", "CScrubWebP", "CScrubAVIF",
            ]),

        // Gestures, playheads and decoder leases, pure logic over values.
        .target(name: "ScrubMediaLogic", dependencies: ["ScrubBase"]),

        // Playlists, pace and presenters, pure logic over values and a clock.
        .target(name: "ScrubPlayersLogic", dependencies: ["ScrubBase", "ScrubMediaLogic"]),

        // Index formats of thumbnail sets, pure logic over values.
        .target(name: "ScrubStoryboards", dependencies: ["ScrubBase"]),
        // Work over many files: shards, manifests, costs and forecasts, pure logic over values.
        .target(name: "ScrubBatchLogic", dependencies: ["ScrubBase"]),
        // The custom element <scrub-strip>, one file of JavaScript in the program.
        .target(name: "ScrubStripElement", resources: [.embedInCode("scrub-strip.js")]),
        // Which frame makes a good poster, and placeholders of it, pure logic over small pictures.
        .target(name: "ScrubThumbnailsLogic", dependencies: ["ScrubBase"]),

        // Videos, frames, pictures and sessions.
        .target(
            name: "ScrubMedia",
            dependencies: [
                "ScrubBase", "ScrubMediaLogic", "ScrubFileIO", "ScrubHashing", "ScrubIsolation", "ScrubLibAV",
                "ScrubIndex", "ScrubDecoding",
                "ScrubPictures",
            ]),
        // Strips, sets, posters, scenes, covers, and the proof of sets.
        .target(
            name: "ScrubThumbnails",
            dependencies: [
                "ScrubMedia", "ScrubBase", "ScrubStoryboards", "ScrubStripElement", "ScrubThumbnailsLogic",
                "ScrubFileIO", "ScrubHashing",
                "ScrubBitstream",
                "ScrubISOMedia",
                "ScrubLibAV", "ScrubIndex", "ScrubDecoding", "ScrubPictures",
            ]),

        // Players without a screen: items, controllers, presenters, sinks.
        .target(
            name: "ScrubPlayers",
            dependencies: [
                "Scrub", "ScrubSources",
                "ScrubMedia", "ScrubPlayersLogic", "ScrubMediaLogic", "ScrubBase", "ScrubFileIO", "ScrubLibAV",
                "ScrubIndex", "ScrubDecoding",
                "ScrubPictures",
            ]),

        // What is on the network: addresses, ranges, validators and plans of requests (pure); the client; what was
        // fetched; sources.
        .target(name: "ScrubSourcesLogic", dependencies: ["ScrubBase"]),
        // Its declarations are libcurl's; the library is loaded at the first address.
        .target(name: "CScrubCurl", cSettings: hardened),
        .target(name: "ScrubHTTPTransport", dependencies: ["ScrubSourcesLogic", "CScrubCurl", "ScrubBase"]),
        // Locks of open file descriptions and holes in files, which Swift's import of the C library lacks.
        .target(name: "CScrubSparseFiles", cSettings: hardened),
        .target(
            name: "ScrubMediaCache",
            dependencies: [
                "ScrubSourcesLogic", "ScrubFileIO", "ScrubHashing", "CScrubSparseFiles", "ScrubBase",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .target(
            name: "ScrubSources",
            dependencies: ["ScrubSourcesLogic", "ScrubHTTPTransport", "ScrubMediaCache", "ScrubFileIO", "ScrubBase"]),
        // HLS: playlists (pure), and videos made of segments.
        .target(name: "ScrubHLSPlaylists", dependencies: ["ScrubBase"]),
        .target(
            name: "ScrubStreams",
            dependencies: [
                "ScrubMediaCache", "ScrubHTTPTransport",
                "ScrubHLSPlaylists", "ScrubSources", "ScrubSourcesLogic", "ScrubMedia", "ScrubIndex", "ScrubDecoding",
                "ScrubLibAV",
                "ScrubFileIO", "ScrubHashing", "ScrubBase",
            ]),

        // What a request to the viewer names: its target and its host, pure logic over text.
        .target(name: "ScrubViewerLogic", dependencies: ["ScrubBase"]),

        // Libraries of films: what is to be done, shards and costs (pure), and the run that does it.
        .target(
            name: "ScrubBatch",
            dependencies: [
                "ScrubBatchLogic", "ScrubSourcesLogic", "ScrubHTTPTransport", "ScrubMedia", "ScrubThumbnails",
                "ScrubStoryboards",
                "ScrubDecoding", "ScrubIndex", "ScrubLibAV",
                "ScrubFileIO",
                "ScrubHashing",
                "ScrubBase", .product(name: "GRDB", package: "GRDB.swift"),
            ]),

        // What people import, and what they type.
        .target(
            name: "Scrub",
            dependencies: [
                "ScrubMedia", "ScrubThumbnails", "ScrubSources", "ScrubStreams", "ScrubSourcesLogic",
                "ScrubFileIO", "ScrubIndex", "ScrubBase",
            ]),
        // The library for programs in C: its header, and the functions.
        .target(name: "CScrub"),
        .target(
            name: "ScrubC",
            dependencies: [
                "CScrub", "Scrub", "ScrubMedia", "ScrubThumbnails", "ScrubThumbnailsLogic", "ScrubStoryboards",
                "ScrubFileIO", "ScrubBase",
            ]),
        // Frames, gestures and playback in a terminal: half blocks, sixel, Kitty's pictures; keys and mouse.
        .target(
            name: "ScrubTerminal",
            dependencies: [
                "ScrubPlayers", "ScrubPlayersLogic", "ScrubMedia", "ScrubMediaLogic", "ScrubFileIO", "ScrubBase",
            ]),
        // What can be said to the viewer, on both programs' command lines.
        .target(name: "ScrubViewerOptions", dependencies: [argumentParser]),
        .target(
            name: "ScrubCommands",
            dependencies: [
                "ScrubTerminal",
                "ScrubLibAV", "ScrubPictures", "ScrubBase",
                "ScrubViewerOptions", "ScrubBatch", "ScrubBatchLogic",
                "Scrub", "ScrubMedia", "ScrubPlayers", "ScrubSources", "ScrubStreams", "ScrubMediaCache",
                "ScrubSourcesLogic",
                "ScrubStoryboards", "ScrubFileIO",
                argumentParser,
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .executableTarget(
            name: "scrub-cli",
            dependencies: ["ScrubCommands", argumentParser],
            path: "Sources/Programs/scrub"),
        // The viewer in the browser: a server and its page, a program of its own, so that scrub itself loads nothing of
        // it.
        .target(
            name: "ScrubViewer",
            dependencies: [
                "Scrub", "ScrubMedia", "ScrubThumbnails", "ScrubSources", "ScrubBase",
                "ScrubStoryboards", "ScrubPictures", "ScrubIndex", "ScrubDecoding", "ScrubFileIO", "ScrubHashing",
                "ScrubStripElement",
                "ScrubViewerLogic",
                .product(name: "Hummingbird", package: "hummingbird", condition: viewer),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: viewer),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: viewer),
                .product(name: "NIOCore", package: "swift-nio", condition: viewer),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: viewer),
                .product(name: "Logging", package: "swift-log", condition: viewer),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: viewer),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: viewer),
            ],
            resources: [.embedInCode("Page")]),
        // How many heaps threads share, which Swift's import of the C library lacks.
        .target(name: "CScrubHeap", cSettings: hardened),
        .executableTarget(
            name: "scrub-view",
            dependencies: [
                "CScrubHeap",
                "ScrubViewer", "ScrubCommands", "ScrubViewerOptions", "ScrubMedia", "ScrubSources", "ScrubFileIO",
                "ScrubBase",
                argumentParser,
                .product(name: "SystemPackage", package: "swift-system"),
            ]),

        .testTarget(
            name: "ScrubBaseTests", dependencies: ["ScrubBase", "ScrubFileIO", "ScrubHashing", "ScrubTestSupport"]),
        .testTarget(name: "ScrubBitstreamTests", dependencies: ["ScrubBitstream", "ScrubTestSupport"]),
        .testTarget(name: "ScrubISOMediaTests", dependencies: ["ScrubISOMedia", "ScrubBase", "ScrubTestSupport"]),
        .testTarget(name: "ScrubMatroskaTests", dependencies: ["ScrubMatroska", "ScrubBase"]),
        .target(
            name: "ScrubTestSupport", dependencies: ["ScrubBase", "ScrubHashing"],
            path: "Tests/Support/ScrubTestSupport"),
        // Films of testdata/ with their frames, for the tests of media and of all above.
        .target(
            name: "ScrubTestClips",
            dependencies: [
                "ScrubMedia", "ScrubPictures", "ScrubIndex", "ScrubFileIO", "ScrubBase", "ScrubTestSupport",
            ],
            path: "Tests/Support/ScrubTestClips"),
        // A sandbox's worker that an attacker controls. Not a product.
        .target(name: "CScrubMalice", path: "Tests/Support/CScrubMalice"),
        .executableTarget(
            name: "scrub-malicious-worker",
            dependencies: ["CScrubMalice", "CScrubSandbox", "ScrubIsolation", "ScrubLibAV"],
            path: "Tests/Support/MaliciousWorker"),
        .testTarget(name: "ScrubMediaLogicTests", dependencies: ["ScrubMediaLogic", "ScrubBase", "ScrubTestSupport"]),
        .testTarget(
            name: "ScrubPlayersLogicTests",
            dependencies: ["ScrubPlayersLogic", "ScrubMediaLogic", "ScrubBase", "ScrubTestSupport"]),
        .testTarget(
            name: "ScrubPlayersTests",
            dependencies: [
                "ScrubPlayers", "ScrubMedia", "ScrubPlayersLogic", "ScrubMediaLogic", "ScrubIndex", "ScrubDecoding",
                "ScrubBase",
                "ScrubFileIO",
                "ScrubLibAV", "ScrubTestSupport",
            ]),
        .testTarget(
            name: "ScrubTerminalTests",
            dependencies: [
                "ScrubTerminal", "ScrubPlayers", "ScrubPlayersLogic", "ScrubMedia", "ScrubMediaLogic", "ScrubBase",
                "ScrubTestSupport",
            ]),
        .testTarget(
            name: "ScrubSourcesLogicTests", dependencies: ["ScrubSourcesLogic", "ScrubBase", "ScrubTestSupport"]),
        .testTarget(
            name: "ScrubHTTPTransportTests",
            dependencies: ["ScrubHTTPTransport", "CScrubCurl", "ScrubSourcesLogic", "ScrubTestSupport"]),
        .testTarget(
            name: "ScrubMediaCacheTests",
            dependencies: [
                "ScrubMediaCache", "ScrubSourcesLogic", "ScrubFileIO", "ScrubHashing", "ScrubIndex", "ScrubBase",
                "ScrubTestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "ScrubSourcesTests",
            dependencies: [
                "ScrubLibAV",
                "ScrubSources", "ScrubMediaCache", "ScrubHTTPTransport", "ScrubSourcesLogic", "ScrubMedia",
                "ScrubThumbnails",
                "ScrubIndex",
                "ScrubDecoding", "ScrubFileIO", "ScrubBase", "ScrubTestSupport",
            ]),
        .testTarget(
            name: "ScrubStreamsTests",
            dependencies: [
                "ScrubStreams", "ScrubHLSPlaylists", "ScrubSources", "ScrubHTTPTransport", "ScrubMedia", "ScrubBase",
                "ScrubTestSupport",
            ]),
        .testTarget(
            name: "ScrubStoryboardsTests", dependencies: ["ScrubStoryboards", "ScrubBase", "ScrubTestSupport"]),
        .testTarget(
            name: "ScrubBatchTests",
            dependencies: [
                "ScrubLibAV", "ScrubPictures",
                "ScrubBatch", "ScrubSourcesLogic", "ScrubMedia", "ScrubThumbnails", "ScrubFileIO",
                "ScrubHashing",
                "ScrubHTTPTransport", "ScrubBase", "ScrubTestSupport", .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(name: "ScrubBatchLogicTests", dependencies: ["ScrubBatchLogic", "ScrubBase", "ScrubTestSupport"]),
        // What a million films come to on many machines, by simulation: docs/scale.md. No product.
        .executableTarget(
            name: "scrub-scale-simulation",
            dependencies: [
                "ScrubBatchLogic", "ScrubBase", "ScrubTestSupport", .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Batch/ScaleSimulation"),
        .testTarget(
            name: "ScrubThumbnailsLogicTests", dependencies: ["ScrubThumbnailsLogic", "ScrubBase", "ScrubTestSupport"]),
        .testTarget(
            name: "ScrubDecodingTests",
            dependencies: [
                "ScrubDecoding", "ScrubIndex", "ScrubBase", "ScrubBitstream", "ScrubIsolation",
                "ScrubLibAV",
                "ScrubTestSupport", "CScrubFFmpeg", "CScrubLibAVLoader",
            ]),
        .testTarget(
            name: "ScrubIndexTests",
            dependencies: [
                "ScrubIndex", "ScrubDecoding", "ScrubBase", "ScrubFileIO", "ScrubBitstream", "ScrubLibAV",
                "ScrubMatroska", "ScrubTestSupport",
            ]),
        .testTarget(
            name: "ScrubPicturesTests",
            dependencies: [
                "ScrubPictures", "ScrubLibAV", "ScrubBase", "CScrubAVIF", "CScrubFFmpeg", "CScrubPNG", "CScrubShims",
                "ScrubTestSupport",
            ]),
        // One body for each reader of bytes from outside, for the fuzzer in Fuzz/ and for the replay of what it found.
        .target(
            name: "ScrubFuzzBodies",
            dependencies: [
                "ScrubBatchLogic", "ScrubBitstream", "ScrubSourcesLogic", "ScrubFileIO", "ScrubHLSPlaylists",
                "ScrubHashing", "ScrubISOMedia", "ScrubMatroska",
                "ScrubBase",
                "ScrubIndex", "ScrubMediaLogic", "ScrubStoryboards", "ScrubViewerLogic",
            ],
            path: "Tests/Support/ScrubFuzzBodies"),
        .testTarget(
            name: "ScrubFuzzTests", dependencies: ["ScrubFuzzBodies", "ScrubTestSupport"],
            path: "Tests/Support/ScrubFuzzTests"),
        .testTarget(
            name: "ScrubMediaTests",
            dependencies: [
                "ScrubMedia", "ScrubMediaLogic", "ScrubPictures", "ScrubDecoding", "ScrubIndex", "ScrubLibAV",
                "ScrubFileIO",
                "ScrubBase", "ScrubTestSupport", "ScrubTestClips",
            ]),
        .testTarget(
            name: "ScrubThumbnailsTests",
            dependencies: [
                "ScrubThumbnails", "ScrubStoryboards", "ScrubPictures", "ScrubFileIO", "ScrubBase",
                "ScrubTestSupport", "ScrubTestClips",
            ]),
        .testTarget(
            name: "ScrubTests",
            dependencies: [
                "ScrubStoryboards", "ScrubPictures", "ScrubMedia", "ScrubLibAV",
                "ScrubFileIO", "ScrubDecoding", "ScrubBitstream", "ScrubBase", "ScrubPlayers", "ScrubPlayersLogic",
                "Scrub", "scrub-malicious-worker", "ScrubIndex", "ScrubTestSupport", "ScrubTestClips", "CScrubFFmpeg",
                "CScrubSandbox",
            ]),
        .testTarget(
            name: "ScrubViewerTests",
            dependencies: [
                "ScrubSources",
                "ScrubViewer", "ScrubViewerLogic", "Scrub", "ScrubMedia", "ScrubStoryboards",
                "ScrubBase", "ScrubTestSupport",
            ]),
    ]
)

// Fuzz/ is a package of its own, and `package` access ends with the package. It links the bodies as a product that
// other packages do not see.
if Context.environment["SCRUB_FUZZ"] == "1" {
    package.products.append(.library(name: "_FuzzBodies", targets: ["ScrubFuzzBodies"]))
}

for target in package.targets {
    target.path = target.path ?? folder(of: target)
    if target.type == .system { continue }
    var settings = target.swiftSettings ?? []
    settings += [
        .swiftLanguageMode(.v6),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableExperimentalFeature("Lifetimes"),
    ]
    // Every use of memory that the compiler does not check says `unsafe` in what ships; docs/memory-safety.md counts
    // them.
    if target.type != .test, target.path?.hasPrefix("Tests/") != true { settings.append(.strictMemorySafety()) }
    // An optimized build compiles what is tested with optimization, and the tests quickly.
    if target.type == .test { settings.append(.unsafeFlags(["-Onone"], .when(configuration: .release))) }
    target.swiftSettings = settings
}

// swift-tools-version: 6.2
import PackageDescription

// Length: a manifest must be a single file.
//
// The layers, from bottom to top; dependencies point down only. Sources and Tests have a folder for each.
// docs/architecture.md has the map with the purpose of each target, and Scripts/map.py compares it with this file and
// the imports.
//
// Only these targets import C libraries: ScrubLibAV (libav*, zlib), ScrubHashing (xxHash), ScrubPictures' encoders
// (libpng and zlib through shims, TurboJPEG, libwebp, libavif) and the network client (libcurl). Others import C only
// for functions that Swift's import of the C library lacks. No target above them does.
//
// Target names must be unique across all packages of a program, so each begins with Scrub, or with CScrub for C.
// `XLogic` is the pure half of `X`: values and a clock, without files, threads or libraries.
let storeys: KeyValuePairs<String, [String]> = [
    "C": [
        "CScrubAVIF", "CScrubCurl", "CScrubFFmpeg", "CScrubHeap", "CScrubLibAVLoader", "CScrubPNG", "CScrubProcessors",
        "CScrubSandbox", "CScrubShims", "CScrubSparseFiles", "CScrubTurboJPEG", "CScrubWebP", "CScrubXXHash",
        "CScrubZlib",
    ],
    "Base": ["ScrubBase", "ScrubFileIO", "ScrubHashing"],
    "Formats": [
        "ScrubBitstream", "ScrubISOMedia", "ScrubMatroska", "ScrubMPEGSystems", "ScrubHLSPlaylists", "ScrubStoryboards",
    ],
    "Engine": ["ScrubIsolation", "ScrubLibAV", "ScrubIndex", "ScrubDecoding", "ScrubPictures"],
    "Media": ["ScrubMediaLogic", "ScrubMedia"],
    "Network": ["ScrubSourcesLogic", "ScrubHTTPTransport", "ScrubMediaCache", "ScrubSources", "ScrubStreams"],
    // What Swift programs import for videos, frames, pictures and sessions.
    "Scrub": ["Scrub"],
    // What they import for thumbnails.
    "Thumbnails": ["ScrubThumbnailsLogic", "ScrubStripElement", "ScrubThumbnails"],
    "Reports": ["ScrubReports"],
    // What C programs include.
    "Library": ["CScrub", "ScrubC"],
    "Players": ["ScrubPlayersLogic", "ScrubPlayers"],
    "Batch": ["ScrubBatchLogic", "ScrubBatch"],
    "Programs": [
        "ScrubViewerOptions", "ScrubViewerLogic", "ScrubTerminal", "ScrubCommands", "ScrubViewer", "scrub",
        "scrub-view",
    ],
]

/// The folder of a target that does not specify one.
func folder(of target: Target) -> String {
    let subject = target.type == .test ? String(target.name.dropLast("Tests".count)) : target.name
    let root = target.type == .test ? "Tests" : "Sources"
    guard let storey = storeys.first(where: { $0.value.contains(subject) })?.key else {
        fatalError("Package.swift: the target \(target.name) has no storey")
    }
    return target.name == "Scrub" ? "Sources/Scrub" : "\(root)/\(storey)/\(target.name)"
}

// Products that only the programs use are conditional on a trait: an app that depends on Scrub with `traits: []`
// neither resolves nor fetches them. This package builds all its targets whatever the traits are. In each target that
// uses such a product, directly or through another target, every file is therefore inside `#if` with the trait's name.
// Scripts/map.py checks both.
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["CommandLine"]))
let viewer = TargetDependencyCondition.when(traits: ["Viewer"])

// The C library's functions check the sizes of their destination buffers, where the compiler knows them.
let hardened = [CSetting.define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release))]

let package = Package(
    name: "scrub",
    products: [
        .library(name: "Scrub", targets: ["Scrub"]),
        .library(name: "ScrubThumbnails", targets: ["ScrubThumbnails"]),
        .library(name: "ScrubPlayers", targets: ["ScrubPlayers"]),
        // The C library; Scripts/library.sh links it into libscrub.so.
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
        // For the command line.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        // For the viewer.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        // Hummingbird's own dependencies, used directly where its server has no API: connections, shutdown, idle
        // clients.
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        // C modules.
        .systemLibrary(
            name: "CScrubFFmpeg", pkgConfig: "libswscale", providers: [.apt(["libavformat-dev", "libswscale-dev"])]),
        // Defines libavformat's and libavcodec's functions; the first call loads the libraries.
        .target(name: "CScrubLibAVLoader", dependencies: ["CScrubFFmpeg"], cSettings: hardened),
        .systemLibrary(name: "CScrubPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CScrubTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CScrubWebP", pkgConfig: "libwebpmux", providers: [.apt(["libwebp-dev"])]),
        .systemLibrary(name: "CScrubXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
        .systemLibrary(name: "CScrubZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // Its header is libavif's; the library is loaded on demand.
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
        .target(name: "ScrubMPEGSystems", dependencies: []),

        // Owners of libav handles.
        .target(
            name: "ScrubLibAV",
            dependencies: [
                "CScrubFFmpeg", "CScrubLibAVLoader", "CScrubShims", "CScrubSandbox", "CScrubZlib", "ScrubIsolation",
                "ScrubBase",
            ]),

        // Sandboxed processes that decode for this one: the kernel's mechanisms, and messages to and from them.
        .target(name: "CScrubSandbox", cSettings: hardened),
        .target(name: "ScrubIsolation", dependencies: ["CScrubSandbox", "ScrubBase"]),

        // The engine.
        .target(
            name: "ScrubIndex",
            dependencies: [
                "ScrubBase", "ScrubFileIO", "ScrubHashing", "ScrubBitstream", "ScrubISOMedia", "ScrubMatroska",
                "ScrubMPEGSystems", "ScrubLibAV",
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
        // The custom element <scrub-strip>, one JavaScript file inside the program.
        .target(name: "ScrubStripElement", resources: [.embedInCode("scrub-strip.js")]),
        // Which frame makes a good poster, and placeholders, pure logic over small pictures.
        .target(name: "ScrubThumbnailsLogic", dependencies: ["ScrubBase"]),

        // Videos, frames, pictures and sessions.
        .target(
            name: "ScrubMedia",
            dependencies: [
                "ScrubBase", "ScrubMediaLogic", "ScrubFileIO", "ScrubHashing", "ScrubIsolation", "ScrubLibAV",
                "ScrubIndex", "ScrubDecoding",
                "ScrubPictures",
            ]),
        // Strips, sets, posters, scenes, covers, and the verification of sets.
        .target(
            name: "ScrubThumbnails",
            dependencies: [
                "Scrub", "ScrubMedia", "ScrubBase", "ScrubStoryboards", "ScrubStripElement", "ScrubThumbnailsLogic",
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

        // The network: addresses, ranges, validators and request plans (pure); the client; the cache of fetched bytes;
        // sources.
        .target(name: "ScrubSourcesLogic", dependencies: ["ScrubBase"]),
        // Its declarations are libcurl's; the library is loaded at the first address.
        .target(name: "CScrubCurl", cSettings: hardened),
        .target(name: "ScrubHTTPTransport", dependencies: ["ScrubSourcesLogic", "CScrubCurl", "ScrubBase"]),
        // Open file description locks and holes in files, which Swift's import of the C library lacks.
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

        // The target and host of a request to the viewer, pure logic over text.
        .target(name: "ScrubViewerLogic", dependencies: ["ScrubBase"]),

        // Libraries of films: the work list, shards and costs (pure), and the run that does the work.
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

        // The library that programs import, and the commands.
        .target(
            name: "Scrub",
            dependencies: [
                "ScrubMedia", "ScrubSources", "ScrubStreams", "ScrubSourcesLogic", "ScrubFileIO", "ScrubIndex",
                "ScrubBase",
            ]),
        // The files and JSON of the commands, which the viewer and the library for C write too.
        .target(
            name: "ScrubReports",
            dependencies: ["Scrub", "ScrubThumbnails", "ScrubSources", "ScrubMedia", "ScrubFileIO", "ScrubBase"]),
        // The library for C programs: its header and functions.
        .target(name: "CScrub"),
        .target(
            name: "ScrubC",
            dependencies: [
                "CScrub", "Scrub", "ScrubReports", "ScrubMedia", "ScrubThumbnails", "ScrubThumbnailsLogic",
                "ScrubStoryboards",
                "ScrubFileIO", "ScrubBase",
            ]),
        // Frames, gestures and playback in a terminal: half blocks, sixel, Kitty graphics; keys and mouse.
        .target(
            name: "ScrubTerminal",
            dependencies: [
                "ScrubPlayers", "ScrubPlayersLogic", "ScrubMedia", "ScrubMediaLogic", "ScrubFileIO", "ScrubBase",
            ]),
        // The viewer's options on both programs' command lines.
        .target(name: "ScrubViewerOptions", dependencies: [argumentParser]),
        .target(
            name: "ScrubCommands",
            dependencies: [
                "ScrubTerminal",
                "ScrubLibAV", "ScrubPictures", "ScrubBase",
                "ScrubViewerOptions", "ScrubBatch", "ScrubBatchLogic",
                "Scrub", "ScrubThumbnails", "ScrubReports", "ScrubMedia", "ScrubPlayers", "ScrubSources",
                "ScrubStreams", "ScrubMediaCache",
                "ScrubSourcesLogic",
                "ScrubStoryboards", "ScrubFileIO",
                argumentParser,
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .executableTarget(
            name: "scrub-cli",
            dependencies: ["ScrubCommands", argumentParser],
            path: "Sources/Programs/scrub"),
        // The viewer in the browser: a server and its page, in a separate program, so that scrub itself does not load
        // it.
        .target(
            name: "ScrubViewer",
            dependencies: [
                "Scrub", "ScrubReports", "ScrubMedia", "ScrubThumbnails", "ScrubSources", "ScrubBase",
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
        // The number of heaps that threads share, which Swift's import of the C library lacks.
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
        .testTarget(name: "ScrubMPEGSystemsTests", dependencies: ["ScrubMPEGSystems"]),
        .target(
            name: "ScrubTestSupport", dependencies: ["ScrubBase", "ScrubHashing"],
            path: "Tests/Support/ScrubTestSupport"),
        // Films from testdata/ with their frames, for the tests of Media and all layers above.
        .target(
            name: "ScrubTestClips",
            dependencies: [
                "ScrubMedia", "ScrubPictures", "ScrubIndex", "ScrubFileIO", "ScrubBase", "ScrubTestSupport",
            ],
            path: "Tests/Support/ScrubTestClips"),
        // A sandbox worker that an attacker controls. Not a product.
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
        // Simulates the cost of a million films on many machines: docs/scale.md. Not a product.
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
        // One body for each parser of external bytes, for the fuzzer in Fuzz/ and for replaying its findings.
        .target(
            name: "ScrubFuzzBodies",
            dependencies: [
                "ScrubBatchLogic", "ScrubBitstream", "ScrubSourcesLogic", "ScrubFileIO", "ScrubHLSPlaylists",
                "ScrubHashing", "ScrubISOMedia", "ScrubMatroska", "ScrubMPEGSystems",
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
                "Scrub", "ScrubThumbnails", "ScrubReports", "scrub-malicious-worker", "ScrubIndex", "ScrubTestSupport",
                "ScrubTestClips", "CScrubFFmpeg",
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

// Fuzz/ is a separate package, and `package` access ends at the package. It links the bodies as a product that other
// packages do not see.
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
    // In shipped code, every use of memory that the compiler does not check says `unsafe`; docs/memory-safety.md counts
    // them.
    if target.type != .test, target.path?.hasPrefix("Tests/") != true { settings.append(.strictMemorySafety()) }
    // An optimized build compiles the tested code with optimization, but the tests without, to save time.
    if target.type == .test { settings.append(.unsafeFlags(["-Onone"], .when(configuration: .release))) }
    target.swiftSettings = settings
}

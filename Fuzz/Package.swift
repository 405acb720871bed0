// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that packages that depend on Scrub do not build it, and no flag of it reaches the product.
// README.md says how.
let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

let package = Package(
    name: "scrub-fuzz",
    targets: [
        // The changes that make damaged files of sound ones. No dependency: it must not share a mistake with the code
        // under test.
        .target(name: "Mutation", swiftSettings: settings),
        .executableTarget(name: "mutate", dependencies: ["Mutation"], swiftSettings: settings),
        .testTarget(name: "MutationTests", dependencies: ["Mutation"], swiftSettings: settings),
    ]
)

// The fuzzer: only with the variables of Fuzz/fuzz.sh, because it links products that Scrub's manifest offers then
// alone.
if Context.environment["SCRUB_FUZZ"] == "1" {
    package.dependencies.append(.package(name: "scrub", path: "..", traits: []))
    package.targets += [
        .target(name: "CFuzzer"),
        .executableTarget(
            name: "scrub-fuzz",
            dependencies: ["CFuzzer", "Mutation", .product(name: "_FuzzBodies", package: "scrub")],
            // Swift's main function takes the place of libFuzzer's, and starts its driver.
            swiftSettings: settings),
    ]
}

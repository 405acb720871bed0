// How long asynchronous calls of the library go on after their task was cancelled, at random moments.
//
// usage: CancellationBenchmark FILM [TIMES [SEED]]
//
// FILM is long. A line for each call: the moments that met it at work, and the median and the most milliseconds from
// the cancellation to its end. Ends with 1 if a call took more than 50 ms, ended with another error than
// CancellationError, or if threads, or bytes of DecodingResources, were left behind a second after all calls.
import Foundation
import Scrub
import ScrubThumbnails

/// One call that takes a while, and that nothing remembers.
struct Call {
    let name: String
    let body: @Sendable (VideoAsset) async throws -> Void
}

/// Threads of the process, by /proc.
func threadCount() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0 }

let arguments = Array(CommandLine.arguments.dropFirst())
guard let film = arguments.first else {
    FileHandle.standardError.write(Data("usage: CancellationBenchmark FILM [TIMES [SEED]]\n".utf8))
    exit(64)
}
let times = arguments.count > 1 ? Int(arguments[1]) ?? 10 : 10
var state = UInt64(arguments.count > 2 ? Int(arguments[2]) ?? 1 : 1)

/// A random number from 0 up to 1 (SplitMix64).
@MainActor func random() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((z ^ (z >> 31)) >> 11) / Double(UInt64(1) << 53)
}

let process = ProcessInfo.processInfo.processIdentifier
let folder = FileManager.default.temporaryDirectory.path + "/scrub-cancellation-\(process)"
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }

let resources = DecodingResources(byteLimit: 512 << 20)
let uncached = VideoAsset.OpenOptions(cache: .none)
let path = film
let place = folder
let calls = [
    Call(name: "open") { _ in _ = try await VideoAsset.open(path: path, options: uncached) },
    Call(name: "info, cost") { _ = try await $0.info(includesSeekCost: true) },
    Call(name: "verify") { _ = try await $0.verify() },
    Call(name: "scenes") { _ = try await $0.scenes() },
    Call(name: "posters") { video in
        var options = Poster.Options()
        (options.count, options.candidateCount) = (200, 200)
        _ = try await video.posterReport(options: options)
    },
    Call(name: "contact sheet") { _ = try await $0.contactSheet() },
    Call(name: "strip") { video in
        let options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(500)))
        _ = try await video.writeStrip(into: place + "/strip", options: options)
    },
    Call(name: "plan") { _ = try await $0.thumbnailPlan(for: ThumbnailPlan.Request(.count(2000))) },
    Call(name: "frame") { video in
        let generator = try FrameGenerator(video)
        for place in 0... {
            _ = try await generator.frame(at: .frame(place * 7919 % video.frames.count))
        }
    },
    Call(name: "image") { video in
        let generator = try FrameGenerator(video)
        for place in 0... {
            _ = try await generator.image(at: .frame(place * 7919 % video.frames.count))
        }
    },
    Call(name: "frames, shared") { video in
        let generator = try FrameGenerator(video, resources: resources)
        let wanted = (0..<100_000).map { FramePosition.frame($0 * 7919 % video.frames.count) }
        for try await _ in generator.frames(at: wanted) {}
        try Task.checkCancellation()
    },
    Call(name: "frames, as decoded") { video in
        let generator = try FrameGenerator(video)
        let wanted = (0..<100_000).map { FramePosition.frame($0 * 7919 % video.frames.count) }
        for try await _ in generator.frames(at: wanted, order: .asDecoded) {}
        try Task.checkCancellation()
    },
]

/// Milliseconds from the cancellation to the end; `nil` if the call was over before.
func end(_ call: Call, of video: VideoAsset, after seconds: Double) async throws -> (ms: Double?, error: (any Error)?) {
    let task = Task { try await call.body(video) }
    try await Task.sleep(for: .seconds(seconds))
    let clock = ContinuousClock()
    let start = clock.now
    task.cancel()
    let result = await task.result
    let elapsed = clock.now - start
    let ms = Double(elapsed.components.seconds) * 1000 + Double(elapsed.components.attoseconds) / 1e15
    switch result {
    case .success: return (nil, nil)
    case .failure(let error): return (ms, error)
    }
}

var isWrong = false
let video = try await VideoAsset.open(path: path, options: uncached)
var before = 0
for call in calls {
    // How long it takes at most, so that moments lie within it.
    let clock = ContinuousClock()
    let start = clock.now
    let whole = Task { try await call.body(video) }
    let limit = Task {
        try await Task.sleep(for: .seconds(2))
        whole.cancel()
    }
    _ = await whole.result
    limit.cancel()
    let took = (clock.now - start).components
    let length = Double(took.seconds) + Double(took.attoseconds) / 1e18
    var found: [Double] = []
    for _ in 0..<times {
        let (ms, error) = try await end(call, of: video, after: random() * length)
        guard let ms, let error else { continue }
        found.append(ms)
        if !(error is CancellationError) {
            isWrong = true
            print("\(call.name): \(error)")
        }
    }
    found.sort()
    let most = found.last ?? 0
    if most > 50 { isWrong = true }
    let median = found.isEmpty ? 0 : found[found.count / 2]
    print(
        "\(call.name): \(found.count) of \(times) at work, median \(String(format: "%.1f", median)) ms,",
        "most \(String(format: "%.1f", most)) ms")
    if before == 0 { before = threadCount() }
}
try await Task.sleep(for: .seconds(1))
let after = threadCount()
let bytes = (resources.usedByteCount, resources.heldByteCount)
print("threads: \(before) after the first call, \(after) at the end; bytes in use \(bytes.0), held \(bytes.1)")
if after > before + 2 || bytes.1 > 0 || bytes.0 > 0 { isWrong = true }
exit(isWrong ? 1 : 0)

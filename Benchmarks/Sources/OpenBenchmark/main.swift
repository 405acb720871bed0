// Times the opening of a video: cold (the index is made), and from the saved index.
//
// usage: OpenBenchmark FILE [ROUNDS]
//
// Each round opens the file once without a cache and once from a saved index. The page cache is warm after the first
// round, as for every program that is compared. The benchmark measures the work, not the disk.
import Foundation
import Scrub

func milliseconds(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds) * 1e3 + Double(attoseconds) / 1e15
}

func summary(_ values: [Double]) -> String {
    let sorted = values.sorted()
    let text = { (value: Double) in String(format: "%.2f", value) }
    return
        "median \(text(sorted[sorted.count / 2])) ms, best \(text(sorted[0])), worst \(text(sorted[sorted.count - 1]))"
}

guard CommandLine.arguments.count > 1 else {
    print("usage: OpenBenchmark FILE [ROUNDS]")
    exit(64)
}
let path = CommandLine.arguments[1]
let rounds = CommandLine.arguments.count > 2 ? Int(CommandLine.arguments[2]) ?? 21 : 21
let folder = FileManager.default.temporaryDirectory.appending(path: "scrub-bench-\(UUID().uuidString)").path
defer { try? FileManager.default.removeItem(atPath: folder) }

var (cold, saved): ([Double], [Double]) = ([], [])
var (bytes, frames): (Int64, Int) = (0, 0)
let cached = VideoAsset.OpenOptions(cache: VideoAsset.IndexCache(path: folder))
_ = try VideoAsset(path: path, options: cached)
for _ in 0..<max(1, rounds) {
    let fresh = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
    cold.append(milliseconds(fresh.openReport.elapsed))
    (bytes, frames) = (fresh.openReport.readByteCount, fresh.frames.count)
    let again = try VideoAsset(path: path, options: cached)
    precondition(again.openReport.indexOrigin == .saved && again.frames.count == frames)
    saved.append(milliseconds(again.openReport.elapsed))
}
let size = (try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.int64Value ?? 1
print("file              \(path): \(frames) frames, \(size) bytes")
print("cold open         \(summary(cold))")
print("bytes read        \(bytes), \(String(format: "%.3f", 100 * Double(bytes) / Double(size))) % of the file")
print("from saved index  \(summary(saved))")

import Foundation
import Scrub

// The cost of extending a long recording. All but the last pieces of a file are copied, opened, and the rest is added
// piece by piece. Beside it runs a fresh opening of the same bytes.
//
//   GrowBenchmark FILE PIECES BYTES

let arguments = CommandLine.arguments
guard arguments.count == 4, let pieces = Int(arguments[2]), let size = Int(arguments[3]) else {
    print("GrowBenchmark FILE PIECES BYTES")
    exit(64)
}
let bytes = try Data(contentsOf: URL(filePath: arguments[1]))
let path =
    NSTemporaryDirectory() + "growing-\(ProcessInfo.processInfo.processIdentifier)."
    + URL(filePath: arguments[1]).pathExtension
defer { unlink(path) }
var count = bytes.count - pieces * size
try bytes[..<count].write(to: URL(filePath: path))
let clock = ContinuousClock()
func milliseconds(_ duration: Duration) -> Double {
    Double(duration.components.attoseconds) / 1e15 + Double(duration.components.seconds) * 1000
}

var start = clock.now
let recording = try await GrowingVideo.open(path: path)
print("opened in \(milliseconds(start.duration(to: clock.now))) ms: \(recording.asset?.frames.count ?? 0) frames")
let file = try FileHandle(forWritingTo: URL(filePath: path))
try file.seekToEnd()
var (extensions, openings) = ([Double](), [Double]())
for _ in 0..<pieces {
    try file.write(contentsOf: bytes[count..<count + size])
    count += size
    start = clock.now
    let step = try await recording.extend()
    extensions.append(milliseconds(start.duration(to: clock.now)))
    if step.frames.isEmpty { extensions.removeLast() }
    if openings.count < 3 {
        start = clock.now
        let fresh = try await VideoAsset.open(path: path, options: VideoAsset.OpenOptions(cache: .none))
        openings.append(milliseconds(start.duration(to: clock.now)))
        if fresh.frames.count < step.frames.upperBound { print("a fresh opening has fewer frames") }
    }
}
extensions.sort()
openings.sort()
print(
    "\(extensions.count) extensions with new frames: median \(extensions[extensions.count / 2]) ms, least \(extensions[0]), "
        + "most \(extensions[extensions.count - 1]); fresh openings: median \(openings[openings.count / 2]) ms; "
        + "\(recording.asset?.frames.count ?? 0) frames")

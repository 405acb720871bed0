// A day by proxy: random seeks over many open files in one process. Memory, descriptors and threads are those of after the warm-up,
// and every picture is the one that a pass from the first frame to the last gave.
//
// usage: SoakBenchmark SEEKS SEED FILE…
//
// Of a hundred seeks one closes its file and opens it again, and one makes a second reader beside the first. Ends with 1 when something
// grew or differed.
import Foundation
import Scrub

/// What the process has now, by /proc.
struct Holdings {
    var megabytes = 0.0
    var descriptors = 0
    var threads = 0

    static func now() -> Holdings {
        var holdings = Holdings()
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        for line in status.split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count > 1, let value = Int(words[1]) else { continue }
            if words[0] == "VmRSS:" { holdings.megabytes = Double(value) / 1024 }
            if words[0] == "Threads:" { holdings.threads = value }
        }
        holdings.descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        return holdings
    }
}

/// A file that is open, with its reader.
final class Station {
    let path: String
    private var asset: VideoAsset
    private var reader: FrameReader
    /// The digests of all frames, from one pass; `nil` where there is no picture.
    let truth: [String?]

    init(_ path: String) throws {
        self.path = path
        asset = try Station.open(path)
        reader = FrameReader(asset, options: Station.options)
        var pass = FrameReader(asset, options: Station.options)
        var truth = [String?](repeating: nil, count: asset.frames.count)
        try pass.frames(numbered: asset.frames.indices) { truth[$0.frame.number] = try $0.picture?.md5() }
        self.truth = truth
    }

    private static var options: ReaderOptions {
        var options = ReaderOptions()
        (options.decoderLimit, options.threadCount, options.cacheByteLimit) = (1, 1, 2 << 20)
        return options
    }

    private static func open(_ path: String) throws -> VideoAsset {
        try VideoAsset(path: path, options: OpenOptions(cache: .none))
    }

    func reopen() throws {
        asset = try Station.open(path)
        reader = FrameReader(asset, options: Station.options)
    }

    /// Whether the frame's picture is that of the pass.
    func isRight(_ frame: Int, besides: Bool) throws -> Bool {
        if besides {
            var other = FrameReader(asset, options: Station.options)
            return try other.frame(numbered: frame).picture?.md5() == truth[frame]
        }
        return try reader.frame(numbered: frame).picture?.md5() == truth[frame]
    }
}

/// SplitMix64: the same seeks for the same seed.
struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

let arguments = CommandLine.arguments
guard arguments.count > 3, let count = Int(arguments[1]), count >= 100, let seed = UInt64(arguments[2]) else {
    print("usage: SoakBenchmark SEEKS SEED FILE…       at least 100 seeks")
    exit(64)
}
var stations: [Station] = []
for path in arguments.dropFirst(3) {
    do {
        let station = try Station(path)
        if !station.truth.isEmpty { stations.append(station) }
    } catch {
        print("left out \(path): \(error)")
    }
}
guard !stations.isEmpty else { exit(65) }
print("\(stations.count) files, \(stations.map(\.truth.count).reduce(0, +)) frames; seed \(seed)")
print("      seeks   MiB  descriptors  threads  wrong")
var generator = Generator(state: seed)
var wrong = 0
var warm = Holdings.now()
let warmUp = count / 10
for seek in 1...count {
    let station = stations[Int.random(in: 0..<stations.count, using: &generator)]
    let frame = Int.random(in: 0..<station.truth.count, using: &generator)
    let turn = Int.random(in: 0..<100, using: &generator)
    if turn == 0 { try station.reopen() }
    if try !station.isRight(frame, besides: turn == 1) {
        wrong += 1
        print("f\(frame) of \(station.path) is another picture than in the pass")
    }
    if seek % max(1, count / 20) == 0 || seek == warmUp {
        let now = Holdings.now()
        if seek == warmUp { warm = now }
        print(
            String(format: "%11d %6.1f %12d %8d %6d", seek, now.megabytes, now.descriptors, now.threads, wrong)
                + (seek == warmUp ? "  (warm)" : ""))
    }
}
let end = Holdings.now()
let growth = 100 * (end.megabytes / warm.megabytes - 1)
print(String(format: "memory %+.2f %% since the warm-up", growth))
if wrong > 0 || growth > 1 || end.descriptors != warm.descriptors || end.threads != warm.threads { exit(1) }

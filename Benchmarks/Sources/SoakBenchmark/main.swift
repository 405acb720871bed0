// A day by proxy: random seeks over many open files in one process. Memory, descriptors and threads of the last third
// are those of the second. Every picture is the one that a pass from the first frame to the last gave. The first third
// is the warm-up. Memory is a mean, since the bytes that the allocator gives back come and go by a few MiB.
//
// usage: SoakBenchmark SEEKS SEED FILE…
//
// Of a hundred seeks one closes its file and opens it again, and one makes a second reader beside the first. Ends with
// 1 when something grew or differed.
import Foundation
import Scrub

/// The process's present holdings, by /proc.
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
    /// The digests of all frames, from one pass; `nil` for a frame without a picture.
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

    private static var options: FrameReader.Options {
        var options = FrameReader.Options()
        (options.decoderLimit, options.threadCount, options.cacheByteLimit) = (1, 1, 2 << 20)
        return options
    }

    private static func open(_ path: String) throws -> VideoAsset {
        try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
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
var thirds: [[Holdings]] = [[], [], []]
for seek in 1...count {
    let station = stations[Int.random(in: 0..<stations.count, using: &generator)]
    let frame = Int.random(in: 0..<station.truth.count, using: &generator)
    let turn = Int.random(in: 0..<100, using: &generator)
    if turn == 0 { try station.reopen() }
    if try !station.isRight(frame, besides: turn == 1) {
        wrong += 1
        print("f\(frame) of \(station.path) is another picture than in the pass")
    }
    if seek % max(1, count / 100) == 0 {
        let now = Holdings.now()
        thirds[min(2, (seek - 1) / (count / 3))].append(now)
        if seek % max(1, count / 20) == 0 {
            print(String(format: "%11d %6.1f %12d %8d %6d", seek, now.megabytes, now.descriptors, now.threads, wrong))
        }
    }
}
func mean(_ holdings: [Holdings]) -> Double { holdings.map(\.megabytes).reduce(0, +) / Double(holdings.count) }
let growth = 100 * (mean(thirds[2]) / mean(thirds[1]) - 1)
let isSame = [\Holdings.descriptors, \.threads].allSatisfy { what in
    thirds[2].allSatisfy { last in thirds[1].contains { $0[keyPath: what] >= last[keyPath: what] } }
}
print(
    String(format: "memory %+.2f %% from the second third to the last, ", growth)
        + (isSame ? "nothing left open" : "SOMETHING IS LEFT OPEN"))
if wrong > 0 || growth > 1 || !isSame { exit(1) }

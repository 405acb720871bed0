#if CommandLine
internal import ScrubBase
internal import ScrubFileIO
internal import Glibc
internal import Scrub

/// One kind of access, measured.
struct BenchSection {
    /// The user's action: `random`, `forward` ...
    let name: String
    /// The meaning of the action, for people.
    let meaning: String
    /// The milliseconds of each request, in request order.
    private(set) var milliseconds: [Double] = []
    /// The pictures decoded for each request.
    private(set) var decoded: [Int] = []

    init(_ name: String, _ meaning: String) {
        self.name = name
        self.meaning = meaning
    }

    mutating func add(_ elapsed: Duration, decoded count: Int) {
        milliseconds.append(Double(elapsed.wholeNanoseconds) / 1e6)
        decoded.append(count)
    }

    /// Returns the value that a given fraction of all requests does not exceed: the nearest rank.
    func percentile(_ part: Double) -> Double {
        let sorted = milliseconds.sorted()
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(sorted.count - 1, max(0, Int((part * Double(sorted.count)).rounded(.up)) - 1))]
    }

    var meanDecoded: Double {
        decoded.isEmpty ? 0 : Double(decoded.reduce(0, +)) / Double(decoded.count)
    }
}

/// All of `scrub bench`'s measurements of one file.
struct BenchMeasurement {
    let file: String
    let frameCount: Int
    /// The median milliseconds to open without and with a saved index.
    let (coldOpen, savedOpen): (Double, Double)
    /// The bytes of the file that the cold opening read (by Scrub's own reads).
    let bytesRead: Int64
    let sections: [BenchSection]
    /// Drags on a scrubbing session; none for a film with one frame.
    let drags: [BenchDrag]
    /// The most bytes of decoded pictures allocated at any one time, and the cache's limit.
    let (peakPictureBytes, cacheByteLimit): (Int, Int)
    /// The process's peak of resident memory in bytes, over all files so far.
    let peakResidentBytes: Int
    /// The media that the file declares but does not contain.
    let missing: VideoAsset.MissingMedia?

    /// Measures a file.
    init(
        file name: MediaName, stream: Int?, network: NetworkArguments, requests: Int, options: FrameReader.Options,
        progress: (Double) -> Void
    ) throws(ScrubError) {
        let clock = ContinuousClock()
        file = name.shown
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let cache = VideoAsset.IndexCache(path: folder.path)
        let asset = try openVideo(name, stream: stream, MediaAccess(cache: .none, network: network))
        // Writes the index that later openings find.
        _ = try openVideo(name, stream: stream, MediaAccess(cache: cache, network: network), saysMissing: false)
        var cold = [asset.openReport.elapsed]
        var saved: [Duration] = []
        for round in 0..<5 {
            if round > 0 {
                cold.append(try BenchMeasurement.openTime(name, stream, MediaAccess(cache: .none, network: network)))
            }
            saved.append(try BenchMeasurement.openTime(name, stream, MediaAccess(cache: cache, network: network)))
        }
        coldOpen = BenchMeasurement.median(cold)
        savedOpen = BenchMeasurement.median(saved)
        bytesRead = asset.openReport.readByteCount
        frameCount = asset.frames.count
        missing = asset.missingMedia
        var sections: [BenchSection] = []
        var peak = 0
        let plans = BenchMeasurement.plans(asset.frames.count, requests)
        for (place, plan) in plans.enumerated() {
            var section = BenchSection(plan.name, plan.meaning)
            let frames = try FrameService(asset, options: options)
            for (i, number) in plan.targets.enumerated() {
                let start = clock.now
                let answer = try frames.frame(numbered: number)
                let elapsed = clock.now - start
                // The jump to a movement's start is not part of the movement.
                if i > 0 || plan.name == "random" { section.add(elapsed, decoded: answer.decodedPictureCount) }
                progress((Double(place) + Double(i) / Double(plan.targets.count)) / Double(plans.count) / 2)
            }
            peak = max(peak, frames.memory.peakByteCount)
            sections.append(section)
        }
        self.sections = sections
        // Taken before the drags, so that it is the reader's own peak.
        peakResidentBytes = BenchMeasurement.peakResident()
        drags = try BenchDrag.all(
            of: asset, moves: min(BenchMeasurement.moveLimit, 2 * requests), threads: options.threadCount,
            progress: { progress(0.5 + $0 / 2) })
        (peakPictureBytes, cacheByteLimit) = (peak, options.cacheByteLimit)
        progress(1)
    }

    /// The maximum number of moves in a drag: two seconds.
    private static let moveLimit = 120

    /// Measures an opening quietly: the first openings have already reported everything about this file.
    private static func openTime(_ name: MediaName, _ stream: Int?, _ access: MediaAccess) throws(ScrubError)
        -> Duration
    {
        try beginVideo(name, stream: stream, access, savesBeside: false).openReport.elapsed
    }

    /// Returns the median in milliseconds.
    private static func median(_ times: [Duration]) -> Double {
        Double(times.sorted()[times.count / 2].wholeNanoseconds) / 1e6
    }

    private static func plans(
        _ count: Int, _ requests: Int
    ) -> [(name: String, meaning: String, targets: [Int])] {
        var state: UInt64 = 0x5DEE_CE66D
        let random = (0..<requests).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        // A finger that moves across a twentieth of the video, and one that moves back as far.
        let reach = max(1, min(count / 20, 4 * requests))
        let from = count * 2 / 5
        let steps = (0..<requests).map { $0 * reach / requests }
        let place = { (frame: Int) in min(count - 1, max(0, frame)) }
        return [
            ("random", "frames throughout the video", random),
            ("forward", "a gesture forward", steps.map { place(from + $0) }),
            ("back", "a gesture backward", steps.map { place(from + reach - $0) }),
            ("stepForward", "single steps forward", (0..<requests).map { place(count / 3 + $0) }),
            ("stepBack", "single steps backward", (0..<requests).map { place(count * 7 / 10 - $0) }),
        ].map { ($0.0, $0.1, withoutRepeats($0.2)) }
    }

    private static func withoutRepeats(_ targets: [Int]) -> [Int] {
        var result: [Int] = []
        for target in targets where target != result.last { result.append(target) }
        return result
    }

    private static func peakResident() -> Int {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return Int(usage.ru_maxrss) * 1024
    }
}

/// A folder for the saved indexes of one measurement.
private struct TemporaryFolder {
    let path: String

    init() throws(ScrubError) {
        let base = unsafe getenv("TMPDIR").map { unsafe String(systemName: $0) } ?? "/tmp"
        var name = Array((base + "/scrub-bench-XXXXXX").utf8CString)
        guard unsafe mkdtemp(&name) != nil else {
            throw ScrubError(.inputOutput, "a temporary folder for the index cannot be created", file: base)
        }
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func remove() {
        let files = CacheDirectory(path: path, suffix: "", byteLimit: .max)
        for file in files.entries() { files.remove(file.name) }
        unsafe rmdir(path)
    }
}
#endif

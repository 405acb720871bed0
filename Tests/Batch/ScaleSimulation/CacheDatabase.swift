import ScrubBatchLogic
import Glibc
import ScrubTestSupport

/// A film of a catalogue that is made up.
struct Film {
    /// The kind of the film, for tables.
    let kind: Kind
    let codec: String
    let container: Container
    let seconds: Double
    let byteCount: Double
    /// Bytes that are read of it, the key's and the index's and the pictures'.
    let readBytes: Double
    /// Questions to the storage that wait for an answer, one after the other.
    let trips: Double
    /// Predicted processor seconds.
    let predicted: Double
    /// The actual cost.
    let actual: Double
    /// Thumbnails.
    let pictures: Double

    enum Kind: String, CaseIterable { case clip, episode, film, recording, master }
    enum Container: String { case mp4, mkv, ts }
}

/// A million films as an archive might have them. The shares, lengths and rates are assumed: there is no public survey
/// of archives.
struct CacheDatabase {
    /// The assumption about a kind of films.
    struct Assumption {
        /// Of all files.
        let share: Double
        /// Middle length in seconds, and its spread (the logarithm's standard deviation).
        let length: (middle: Double, spread: Double)
        /// Middle megabits per second, and its spread.
        let rate: (middle: Double, spread: Double)
        /// Codecs by their share.
        let codecs: [(String, Double)]
        /// Heights by their share.
        let heights: [(Double, Double)]
        /// Containers by their share.
        let containers: [(Film.Container, Double)]
        /// Middle seconds from one key frame to the next.
        let group: Double
    }

    static let assumptions: [Film.Kind: Assumption] = [
        .clip: Assumption(
            share: 0.70, length: (90, 1.0), rate: (5, 0.5),
            codecs: [("h264", 0.82), ("hevc", 0.08), ("vp9", 0.06), ("av1", 0.04)], heights: [(720, 0.3), (1080, 0.7)],
            containers: [(.mp4, 0.95), (.mkv, 0.05)], group: 4),
        .episode: Assumption(
            share: 0.24, length: (2520, 0.35), rate: (5, 0.5), codecs: [("h264", 0.62), ("hevc", 0.33), ("av1", 0.05)],
            heights: [(720, 0.3), (1080, 0.7)], containers: [(.mp4, 0.4), (.mkv, 0.6)], group: 5),
        .film: Assumption(
            share: 0.03, length: (6300, 0.25), rate: (11, 0.6), codecs: [("h264", 0.55), ("hevc", 0.45)],
            heights: [(1080, 0.75), (2160, 0.25)], containers: [(.mp4, 0.3), (.mkv, 0.7)], group: 5),
        .recording: Assumption(
            share: 0.02, length: (5400, 0.7), rate: (7, 0.3), codecs: [("h264", 0.7), ("mpeg2video", 0.3)],
            heights: [(576, 0.3), (1080, 0.7)], containers: [(.ts, 1)], group: 1),
        .master: Assumption(
            share: 0.01, length: (900, 1.0), rate: (140, 0.3), codecs: [("prores", 0.7), ("h264", 0.3)],
            heights: [(1080, 0.8), (2160, 0.2)], containers: [(.mp4, 1)], group: 0.04),
    ]

    let films: [Film]
    var byteCount: Double { films.reduce(0) { $0 + $1.byteCount } }
    var readBytes: Double { films.reduce(0) { $0 + $1.readBytes } }
    var predicted: Double { films.reduce(0) { $0 + $1.predicted } }
    var actual: Double { films.reduce(0) { $0 + $1.actual } }

    /// - Parameters:
    ///   - bytes: the bytes of all films together; rates are stretched to that.
    ///   - isExact: whether thumbnails show the very frame; else the nearest key frame, where one is near.
    ///   - isIndexed: whether indexes are saved from an earlier run.
    ///   - spread: the distance of actual costs from predicted ones (the logarithm's standard deviation).
    init(
        count: Int, bytes: Double, isExact: Bool = false, isIndexed: Bool = false, spread: Double = 0.25, seed: UInt64
    ) {
        var random = SplitMix(seed)
        let drafts = (0..<count).map { _ in Draft(&random) }
        let stretch = bytes / max(1, drafts.reduce(0) { $0 + $1.byteCount })
        films = drafts.map { $0.film(stretch, isExact, isIndexed, exp(spread * normal(&random) - spread * spread / 2)) }
    }
}

/// A film whose rate is not decided yet.
private struct Draft {
    let kind: Film.Kind
    let codec: String
    let container: Film.Container
    let seconds: Double, rate: Double, height: Double, group: Double
    var byteCount: Double { seconds * rate }

    init(_ random: inout SplitMix) {
        kind = pick(Film.Kind.allCases.map { ($0, CacheDatabase.assumptions[$0]?.share ?? 0) }, &random)
        guard let known = CacheDatabase.assumptions[kind] else { fatalError("a kind without assumptions") }
        codec = pick(known.codecs, &random)
        container = pick(known.containers, &random)
        height = pick(known.heights, &random)
        seconds = min(86_400, known.length.middle * exp(known.length.spread * normal(&random)))
        rate = known.rate.middle * 125_000 * exp(known.rate.spread * normal(&random))
        group = kind == .master ? known.group : min(20, known.group * exp(0.5 * normal(&random)))
    }

    func film(_ stretch: Double, _ isExact: Bool, _ isIndexed: Bool, _ luck: Double) -> Film {
        let interval = 10.0, framesPerSecond = 25.0
        let bytes = byteCount * stretch
        let pictures = max(1, (seconds / interval).rounded(.up))
        let frames = seconds * framesPerSecond, framesInGroup = max(1, group * framesPerSecond)
        let frameBytes = bytes / max(1, frames)
        // A key frame takes as many bytes as eight others.
        let keyBytes = frameBytes * min(8, framesInGroup)
        // The nearest key frame is within half an interval unless groups are longer. Then, and if frames are to be
        // exact, the pictures before the frame are decoded. That is half a group, of which half the pictures are
        // referred to.
        let isNear = !isExact && group <= interval
        let fed = isNear ? 1 : max(1, min(framesInGroup, framesPerSecond * interval) / 4)
        let fedBytes = pictures * (isNear ? keyBytes : min(bytes / pictures, keyBytes + (fed - 1) * frameBytes))
        let width = (height * 16 / 9).rounded()
        let index = isIndexed ? (bytes: 40 * frames, trips: 2.0) : indexing(bytes, frames)
        let features = CostFeatures(
            codec: codec, fedPixels: pictures * fed * width * height, fedBytes: fedBytes,
            shownPixels: pictures * width * height,
            indexBytes: isIndexed ? 0 : index.bytes, outputPixels: pictures * 320 * 180)
        let predicted = CostModel.measured.predict(features)
        return Film(
            kind: kind, codec: codec, container: container, seconds: seconds, byteCount: bytes,
            readBytes: min(bytes, Costs.keyBytes) + index.bytes + (container == .ts && !isIndexed ? 0 : fedBytes),
            trips: Costs.trips + index.trips + pictures * Costs.tripsOfPicture, predicted: predicted,
            actual: predicted * luck, pictures: pictures)
    }

    /// Bytes and round trips of an index.
    private func indexing(_ bytes: Double, _ frames: Double) -> (bytes: Double, trips: Double) {
        switch container {
        // Tables of samples: about 16 bytes for each frame of picture, and as many for sound; heads where the tables
        // can't decide.
        case .mp4: return (100_000 + frames * 32, 40)
        // From block header to block header: each leap is a read, and a page of the storage's; several stretches go
        // side by side.
        case .mkv:
            guard bytes / max(1, frames) > 8192 else { return (bytes, bytes / 262_144) }
            return (frames * 4096, frames / Costs.stretches)
        // Everything is read.
        case .ts: return (bytes, bytes / 1_048_576)
        }
    }
}

/// The requests of a film to the storage, measured: docs/scale.md says how.
enum Costs {
    /// Bytes of the content key.
    static let keyBytes = 196_608.0
    /// Round trips of a film without its index and its pictures: names, opening, the key, results, their record.
    static let trips = 100.0
    /// Round trips of a picture: the heads of the pictures near it, and the packets that are fed for it.
    static let tripsOfPicture = 2.0
    /// Leaps of the walk through a Matroska file that wait side by side.
    static let stretches = 8.0
    /// Bytes of a film's results for each thumbnail (320 x 180, JPEG), and for itself.
    static let resultBytes = (picture: 9000.0, film: 2000.0)
}

/// One of several, by their shares.
private func pick<Value>(_ choices: [(Value, Double)], _ random: inout SplitMix) -> Value {
    var rest = Double.random(in: 0..<choices.reduce(0) { $0 + $1.1 }, using: &random)
    for (value, share) in choices {
        rest -= share
        if rest < 0 { return value }
    }
    return choices[choices.count - 1].0
}

/// A number of the normal distribution (Box and Muller).
private func normal(_ random: inout SplitMix) -> Double {
    let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &random))).squareRoot()
    return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
}

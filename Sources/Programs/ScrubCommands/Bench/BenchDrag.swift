#if CommandLine
internal import ScrubBase
internal import Scrub
internal import ScrubMedia

/// A drag that `scrub bench` played on a scrubbing session: 60 moves per second, over some frames around the middle.
struct BenchDrag {
    /// The finger's movement.
    enum Kind: String, CaseIterable {
        case forward, back, turning

        fileprivate var made: MadeGesture {
            switch self {
            case .forward: .drag
            case .back: .back
            case .turning: .turning
            }
        }
    }

    let kind: Kind
    /// Whether all previews of its frames existed before it began; otherwise, none did.
    let isWarm: Bool
    let moves: Int
    /// The number of moves whose frame was on screen in time.
    let rightShown: Int
    /// Milliseconds.
    let worstGap: Double
    /// Milliseconds from the last move to its exact picture.
    let rest: Double

    /// Plays all drags, each on a separate session.
    ///
    /// - Parameters:
    ///   - asset: the video, opened without a cache, so that no previews are found or kept on disk.
    ///   - moves: the maximum number of moves per drag.
    ///   - progress: receives the progress, from 0 to 1.
    static func all(
        of asset: VideoAsset, moves: Int, threads: Int?, progress: (Double) -> Void
    ) throws(ScrubError) -> [BenchDrag] {
        let distance = min(moves, asset.frames.count - 1)
        guard distance > 0 else { return [] }
        let first = (asset.frames.count - 1 - distance) / 2
        // Previews do not cause fetches: a remote film's previews do not exist before its drag.
        let kinds = [false, true].filter { !$0 || asset.networkCost == nil }.flatMap { isWarm in
            Kind.allCases.map { ($0, isWarm) }
        }
        var drags: [BenchDrag] = []
        for (kind, isWarm) in kinds {
            drags.append(
                try BenchDrag(kind, isWarm: isWarm, asset, over: first...first + distance, moves, threads: threads))
            progress(Double(drags.count) / Double(kinds.count))
        }
        return drags
    }

    private init(
        _ kind: Kind, isWarm: Bool, _ asset: VideoAsset, over frames: ClosedRange<Int>, _ moves: Int, threads: Int?
    ) throws(ScrubError) {
        var options = ScrubSession.Options()
        options.threadCount = threads
        // Large pictures get the memory that they need.
        let budget = ScrubBudget(byteLimit: max(ScrubBudget.defaultByteLimit, options.minimumByteCount(for: asset)))
        let session = try ScrubSession(asset, options: options, budget: budget)
        if isWarm { session.waitForPreviews(of: frames) }
        // One point for each frame.
        let start = ScrubGesture.Script.Start(
            width: Rational(Int64(asset.frames.count)),
            startFraction: asset.fraction(ofFrame: kind == .back ? frames.upperBound : frames.lowerBound),
            isPlaying: false)
        let recording = try GesturePlayer(
            asset: asset, session: session,
            script: kind.made.script(distance: frames.count - 1, ticks: moves, from: start),
            options: .init(), showsOnlyReducedPictures: false, isWarm: false
        ).play()
        (self.kind, self.isWarm, self.moves) = (kind, isWarm, recording.moves.count)
        (rightShown, worstGap) = (recording.rightShown, recording.worstGap)
        rest = recording.rest ?? 0
    }

    /// The name of its preview state, as in the JSON.
    private var warmth: String { isWarm ? "warm" : "cold" }

    /// The columns of ``row``.
    static let columns = ["a drag", "moves", "in time", "longest gap ms", "at rest after ms"]

    /// A row of a table.
    var row: [String] {
        let meaning = kind == .turning ? "back and forth" : kind.rawValue
        return [
            "\(meaning), \(isWarm ? "previews made" : "cold")", String(moves), String(rightShown),
            Clock.rounded(worstGap, 1), Clock.rounded(rest, 1),
        ]
    }

    /// The content of ``row``, for drawings without columns.
    var sentence: String {
        let row = row
        return
            "a drag \(row[0]): the frame was on screen in time for \(row[2]) of \(row[1]) moves; longest gap \(row[3]) ms; "
            + "at rest after \(row[4]) ms"
    }

    /// Returns the objects `cold` and `warm`, for the drags that were played.
    static func json(_ drags: [BenchDrag]) -> JSONText.Value {
        var object = JSONText()
        for warmth in ["cold", "warm"] {
            var own = JSONText()
            for drag in drags where drag.warmth == warmth {
                var line = JSONText()
                line.add("moves", drag.moves)
                line.add("rightShown", drag.rightShown)
                line.add("worstGapMs", drag.worstGap)
                line.add("restMs", drag.rest)
                own.add(drag.kind.rawValue, .object(line))
            }
            if drags.contains(where: { $0.warmth == warmth }) { object.add(warmth, .object(own)) }
        }
        return .object(object)
    }
}
#endif

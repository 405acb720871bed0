internal import ScrubFileIO
internal import ScrubDecoding
internal import ScrubIndex

/// A stretch of a film that was read. It determines which of its frames can be decoded.
///
/// Use from one thread at a time.
struct KnownStretch {
    /// The position of a time relative to a stretch.
    enum Place: Equatable {
        /// The frame on screen at that time. The next frame is known too, unless the film ends there.
        case inside(Int)
        /// Before all frames that can be decoded, or the frame depends on earlier pictures.
        case before
        /// After all frames whose order is certain.
        case after
    }

    private(set) var stretch: FilmStretch
    private let file: MediaSource
    private var planner: SeekPlanner?
    /// The first frame that can be decoded from the pictures of the stretch alone.
    private var firstFrame: Int?

    init(_ stretch: FilmStretch, file: MediaSource) {
        (self.stretch, self.file) = (stretch, file)
        prepare()
    }

    /// Reads more pictures.
    mutating func extend(
        to goal: StretchGoal, reading source: some StretchSource
    ) throws(ScrubError) {
        let end = stretch.end
        try source.extend(&stretch, to: goal)
        // Otherwise, a caller would wait forever.
        guard stretch.end > end || stretch.isLast else {
            throw ScrubError(.badData, "nothing follows", file: file.path, place: .byte(end))
        }
        prepare()
    }

    private mutating func prepare() {
        firstFrame = stretch.isFirst ? 0 : nil
        planner = stretch.index.map { index in
            SeekPlanner(
                file: file.view(), index: index, graph: DependencyGraph(file: file, index: index),
                proofs: RestartProofs())
        }
    }

    /// The frames that can be decoded and whose order is certain.
    mutating func frames() -> Range<Int> {
        let end = stretch.certainFrameCount
        let first = firstDecodable(before: end) ?? end
        return min(first, end)..<end
    }

    /// Returns the first frame that needs no pictures before the stretch.
    private mutating func firstDecodable(before end: Int) -> Int? {
        if let firstFrame { return firstFrame }
        guard let planner else { return nil }
        firstFrame = (0..<end).first { frame in
            // Some writers give the first picture of an open group a time before that of its leading pictures.
            if frame == 0, !beginsClosed(planner) { return false }
            return planner.plan(forFrame: frame).needsNothingEarlier
        }
        return firstFrame
    }

    /// Whether no picture before the stretch is shown after its first one.
    private func beginsClosed(_ planner: SeekPlanner) -> Bool {
        let plan = planner.plan(forFrame: 0)
        return planner.index.frames.first == 0 && planner.index.displayOrder.first == 0 && plan.needsNothingEarlier
            && plan.isSelfContained
    }

    /// Returns the position of a time in time base units.
    mutating func place(of time: Int64) -> Place {
        let frames = frames()
        guard let index = stretch.index, let first = frames.first else { return stretch.isLast ? .before : .after }
        guard stretch.isFirst || time >= index.time(ofFrame: first) else { return .before }
        let frame = max(first, frames.partitioningIndex { index.time(ofFrame: $0) > time } - 1)
        if !stretch.isLast, frame + 1 >= frames.upperBound { return .after }
        guard stretch.isFirst || planner?.plan(forFrame: frame).needsNothingEarlier == true else { return .before }
        return .inside(frame)
    }

    /// Returns the time of the frame after another one, in time base units; `nil` at the end.
    func time(after frame: Int) -> Int64? {
        guard let index = stretch.index, frame + 1 < index.frameCount else { return nil }
        return index.time(ofFrame: frame + 1)
    }
}

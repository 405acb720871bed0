internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubDecoding
internal import ScrubIndex
internal import ScrubMedia

/// One segment, or several consecutive ones, opened as one video with a separate index.
///
/// Use from one thread at a time.
final class SegmentWindow {
    /// The position of a time relative to a window.
    enum Place: Equatable {
        /// The frame on screen at that time.
        case inside(Int)
        /// Before all frames that this window can decode.
        case before
        /// The frame is in the window, but depends on earlier pictures.
        case needsEarlier
        /// At the window's end, where the next segment may contain the frame.
        case after
    }

    let segments: Range<Int>
    let asset: VideoAsset
    private var reader: FrameReader
    private let planner: SeekPlanner
    /// The start offset of each segment in the joined bytes.
    private let starts: [Int64]
    /// Whether no joinable segment precedes it, and whether none follows it.
    let (beginsStretch, endsStretch): (Bool, Bool)
    /// The time at which the first frame appears on screen, in seconds by the segments' own timestamps. For transport
    /// streams, it is one of the values that 33 bits allow.
    let firstTimestamp: Rational

    private var index: FrameIndex { asset.index }

    init(
        _ segments: Range<Int>, asset: VideoAsset, starts: [Int64], stretch: Range<Int>, options: FrameReader.Options
    ) throws(ScrubError) {
        (self.segments, self.asset, self.starts) = (segments, asset, starts)
        reader = FrameReader(asset, options: options)
        planner = asset.seekPlanner()
        beginsStretch = segments.lowerBound == stretch.lowerBound
        endsStretch = segments.upperBound == stretch.upperBound
        let facts = asset.index.facts
        guard let first = Rational(checked: asset.index.time(ofFrame: 0), 1)?.multiplied(by: facts.timeBase) else {
            throw ScrubError(.badData, "its first frame's time is too large", file: asset.path)
        }
        firstTimestamp = first
    }

    /// Whether timestamps wrap around after 2^33 units.
    var wraps: Bool { index.facts.container == "mpegts" }

    var frameCount: Int { index.frameCount }

    /// Whether no frame depends on earlier pictures, and no earlier picture appears on screen after its first one. The
    /// window is at the start of the presentation's timeline, or begins with a picture after which everything is
    /// decodable (IDR, or the I picture of a closed group).
    var startsClosed: Bool {
        if let knownStart { return knownStart }
        let isClosed = beginsStretch || firstFrameIsIndependent
        // Interrupted reads prove nothing.
        if !Cancellation.isCurrentCancelled { knownStart = isClosed }
        return isClosed
    }

    /// Whether the window starts closed, once that was examined.
    private var knownStart: Bool?

    private var firstFrameIsIndependent: Bool {
        let plan = planner.plan(forFrame: 0)
        let isFirst = index.frames.first == 0 && plan.start != .streamStart && plan.isSelfContained
        return isFirst && index.displayOrder.first == 0
    }

    /// Whether its first picture in decode order is a restart and its first frame.
    var beginsWithRestart: Bool { index.frames.first == 0 && index.restarts.first == 0 }

    /// The number of frames of each segment in this window, by where their bytes begin.
    lazy var frameCounts: [Int] = {
        var counts = [Int](repeating: 0, count: segments.count)
        for frame in 0..<frameCount { counts[segment(ofFrame: frame) - segments.lowerBound] += 1 }
        return counts
    }()

    /// Returns the segment that contains a frame's bytes.
    func segment(ofFrame frame: Int) -> Int {
        let offset = index.pictures.offsets[Int(index.frames[frame])]
        let place = starts.partitioningIndex { $0 > offset } - 1
        return min(max(segments.lowerBound, segments.lowerBound + place), segments.upperBound - 1)
    }

    /// The corrected times of frames in units after the first one, if a key picture's time contradicts its position;
    /// otherwise `nil`. ffmpeg's writer of movie fragments gives the key picture of an open group the time of one of
    /// its leading pictures.
    private lazy var repairedOffsets: [Int64]? = {
        let times = (0..<frameCount).map { index.presentationTime(ofFrame: $0) }
        let isWrong = times.indices.dropFirst().contains { place in
            times[place] <= times[place - 1] && index.pictures.flags[Int(index.frames[place])].contains(.key)
        }
        return isWrong ? WindowTimes.offsets(ofTimes: times) : nil
    }()

    private func units(ofFrame frame: Int) -> Int64 { repairedOffsets?[frame] ?? index.offset(ofFrame: frame) }

    /// Returns the time at which a frame appears on screen, in seconds after the window's first frame.
    func time(ofFrame frame: Int) -> Rational {
        Rational(checked: units(ofFrame: frame), 1)?.multiplied(by: index.facts.timeBase) ?? .zero
    }

    /// Returns the duration of a frame, in seconds.
    func duration(ofFrame frame: Int) -> Rational {
        guard frame + 1 == frameCount else {
            return time(ofFrame: frame + 1).subtracting(time(ofFrame: frame)) ?? .zero
        }
        return Rational(checked: index.lastDuration, 1)?.multiplied(by: index.facts.timeBase) ?? .zero
    }

    /// The duration of a unit of the segments' times in seconds.
    var timeBase: Rational { index.facts.timeBase }

    /// Returns the position of a time of the presentation.
    ///
    /// - Parameter start: the time at which the window's first frame appears on screen in the presentation.
    /// - Returns: `nil` for a time with more digits than 128 bits can represent.
    func place(of time: Rational, windowStart start: Rational) -> Place? {
        guard time >= start || beginsStretch else { return .before }
        guard let units = WideTimeArithmetic.floor(time, minus: start, unit: index.facts.timeBase) else { return nil }
        let frame = (1..<frameCount).partitioningIndex { Int128(self.units(ofFrame: $0)) > units } - 1
        return place(ofFrame: frame)
    }

    /// Returns the position of a frame of the window.
    func place(ofFrame frame: Int) -> Place {
        // A later picture may appear on screen before as many pictures as the stream reorders; the last frame stays
        // until the next one.
        if !endsStretch, frame >= frameCount - 1 - index.reorderDelay { return .after }
        if !beginsStretch {
            if planner.plan(forFrame: frame).start == .streamStart { return .needsEarlier }
            // The pictures shown before this one are missing, and some writers give it an earlier time than theirs.
            if frame == 0, !startsClosed { return .needsEarlier }
        }
        return .inside(frame)
    }

    /// Decodes a frame.
    func frame(_ number: Int) throws(ScrubError) -> FrameAnswer { try reader.frame(numbered: number) }
}

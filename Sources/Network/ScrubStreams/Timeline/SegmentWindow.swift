internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubDecoding
internal import ScrubIndex
internal import ScrubMedia

/// One segment, or several one behind the other, opened as one video with an index of its own.
///
/// Use from one thread at a time.
final class SegmentWindow {
    /// The place of a time in a window.
    enum Place: Equatable {
        /// The frame that is on screen then.
        case inside(Int)
        /// Before all frames that this window can make.
        case before
        /// The frame is here, but it depends on pictures before the window.
        case needsEarlier
        /// At the window's end, where the next segment may have a say.
        case after
    }

    let segments: Range<Int>
    let asset: VideoAsset
    private var reader: FrameReader
    private let planner: SeekPlanner
    /// The beginning of each segment among the joined bytes.
    private let starts: [Int64]
    /// Whether nothing that could be joined lies before it, and behind it.
    let (beginsStretch, endsStretch): (Bool, Bool)
    /// The time at which the first frame comes on screen, in seconds by the segments' own timestamps. For transport
    /// streams it is one of the values that 33 bits leave open.
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

    /// Whether timestamps begin again after 2^33 units.
    var wraps: Bool { index.facts.container == "mpegts" }

    var frameCount: Int { index.frameCount }

    /// Whether nothing in it depends on pictures before it, and none of those comes on screen after its first picture.
    /// It begins the presentation's timeline, or with a picture after which all can be decoded (IDR, the I picture of a
    /// closed group).
    lazy var startsClosed: Bool = {
        guard !beginsStretch else { return true }
        let plan = planner.plan(forFrame: 0)
        let isFirst = index.frames.first == 0 && plan.start != .streamStart && plan.isSelfContained
        return isFirst && index.displayOrder.first == 0
    }()

    /// Whether its first picture in decode order is a restart, and its first frame.
    var beginsWithRestart: Bool { index.frames.first == 0 && index.restarts.first == 0 }

    /// The frames of each segment in this window, by where their bytes begin.
    lazy var frameCounts: [Int] = {
        var counts = [Int](repeating: 0, count: segments.count)
        for frame in 0..<frameCount { counts[segment(ofFrame: frame) - segments.lowerBound] += 1 }
        return counts
    }()

    /// Returns the segment that has a frame's bytes.
    func segment(ofFrame frame: Int) -> Int {
        let offset = index.pictures.offsets[Int(index.frames[frame])]
        let place = starts.partitioningIndex { $0 > offset } - 1
        return min(max(segments.lowerBound, segments.lowerBound + place), segments.upperBound - 1)
    }

    /// Times of frames in units after the first one, if that of a key picture contradicts its place. ffmpeg's writer of
    /// movie fragments gives the key picture of an open group the time of one of its leading pictures. Nil elsewhere.
    private lazy var repairedOffsets: [Int64]? = {
        let times = (0..<frameCount).map { index.presentationTime(ofFrame: $0) }
        let isWrong = times.indices.dropFirst().contains { place in
            times[place] <= times[place - 1] && index.pictures.flags[Int(index.frames[place])].contains(.key)
        }
        return isWrong ? WindowTimes.offsets(ofTimes: times) : nil
    }()

    private func units(ofFrame frame: Int) -> Int64 { repairedOffsets?[frame] ?? index.offset(ofFrame: frame) }

    /// Returns the time at which a frame comes on screen, in seconds after the window's first one.
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

    /// Seconds that a unit of the segments' times is.
    var timeBase: Rational { index.facts.timeBase }

    /// Returns the place of a time of the presentation.
    ///
    /// - Parameter start: the time at which the window's first frame comes on screen in the presentation.
    /// - Returns: nil for a time of more digits than 128 bits hold.
    func place(of time: Rational, windowStart start: Rational) -> Place? {
        guard time >= start || beginsStretch else { return .before }
        guard let units = WideTime.floor(time, minus: start, unit: index.facts.timeBase) else { return nil }
        let frame = (1..<frameCount).partitioningIndex { Int128(self.units(ofFrame: $0)) > units } - 1
        return place(ofFrame: frame)
    }

    /// Returns the same for a frame of the window.
    func place(ofFrame frame: Int) -> Place {
        // A later picture may come on screen before as many as the stream reorders; the last frame stays until the next
        // one.
        if !endsStretch, frame >= frameCount - 1 - index.reorderDelay { return .after }
        if !beginsStretch {
            if planner.plan(forFrame: frame).start == .streamStart { return .needsEarlier }
            // Pictures that this one shows after are not here, and some writers give it a time before theirs.
            if frame == 0, !startsClosed { return .needsEarlier }
        }
        return .inside(frame)
    }

    /// Decodes a frame.
    func frame(_ number: Int) throws(ScrubError) -> FrameAnswer { try reader.frame(numbered: number) }
}

internal import ScrubLibAV
internal import ScrubHLSPlaylists
internal import ScrubBase
internal import ScrubMedia

/// The known frames of a presentation, with the means to find more.
///
/// A playlist's durations are only hints. The segments' own timestamps and their frames are authoritative.
///
/// Calls stop if the work on their thread is cancelled. They keep what they have found, except for results of
/// interrupted reads.
struct StreamIndex {
    /// A frame in an open window.
    struct Found {
        var window: SegmentWindow
        /// The frame's number in the window.
        var frame: Int
    }

    var timeline: StreamTimeline
    private var opener: WindowOpener
    let library: SegmentOpener
    private let name: String
    /// The number of frames of each counted segment.
    private var counts: [Int: Int] = [:]
    /// The number of frames before each segment, as far as all previous segments were counted.
    private var sums = [0]
    /// The first frame's timestamp of each examined run.
    private var anchors: [Int: Rational] = [:]
    /// For examined segments: the seconds by which they begin later in their runs than in the playlist.
    var lateness: [Int: Rational] = [:]
    /// The end of the presentation, with the unit of the last segment's times.
    private var knownEnd: (time: Rational, unit: Rational)?

    init(_ timeline: StreamTimeline, library: SegmentOpener, options: HLSVideo.Options, name: String) {
        (self.timeline, self.library, self.name) = (timeline, library, name)
        opener = WindowOpener(library, options: options, name: name)
    }

    /// Adopts a later version of the playlist. Known frames stay.
    mutating func extend(with playlist: MediaPlaylist) throws(ScrubError) -> Int {
        knownEnd = nil
        return try timeline.extend(with: playlist)
    }

    // MARK: Windows

    /// Returns the window of segments.
    ///
    /// - Returns: `nil` if no picture in their bytes can be decoded without earlier ones.
    mutating func window(_ segments: Range<Int>) throws(ScrubError) -> SegmentWindow? {
        // A segment that cannot be opened is an error, not a segment without pictures.
        for segment in segments { _ = try library.segment(segment, of: timeline) }
        let window: SegmentWindow
        do throws(ScrubError) {
            window = try opener.window(segments, of: timeline)
        } catch  where error.code == .badData && !error.isOfWorker {
            // A segment that crashed a worker is unknown: counting it as empty would give all other frames wrong
            // numbers. So is one whose opening was interrupted.
            try Cancellation.check()
            return nil
        }
        let isWhole = segments.count == 1 && window.startsClosed
        // Interrupted reads prove nothing.
        try Cancellation.check()
        if isWhole { count(window.frameCount, segments.lowerBound) }
        return window
    }

    /// Returns a window of the segments, extended by as many preceding ones as needed until it contains the frame.
    ///
    /// - Parameter place: returns the position of the sought frame in a window; `nil` if it needs earlier pictures.
    private mutating func settle(
        _ segments: Range<Int>, _ place: (inout StreamIndex, SegmentWindow) throws(ScrubError) -> SegmentWindow.Place?
    ) throws(ScrubError) -> Found {
        var range = segments
        let stretch = timeline.stretch(of: range.lowerBound)
        while true {
            let window = try window(range)
            let found = try window.flatMap { (window) throws(ScrubError) in try place(&self, window) }
            if let window, case .inside(let frame) = found { return Found(window: window, frame: frame) }
            if found == .after, range.upperBound < stretch.upperBound {
                range = range.lowerBound..<range.upperBound + 1
            } else if found != .after, range.lowerBound > stretch.lowerBound {
                range = max(stretch.lowerBound, range.lowerBound - range.count)..<range.upperBound
            } else if window == nil, range.upperBound < stretch.upperBound {
                range = range.lowerBound..<range.upperBound + 1
            } else {
                let segment = timeline.segments[segments.lowerBound]
                throw ScrubError(
                    .badData, "no picture can be decoded from segment \(segment.sequence) (\(segment.resource.uri))",
                    file: name,
                    place: .line(segment.line))
            }
        }
    }

    // MARK: Times

    /// Returns the time at which a window's first frame appears on screen, in seconds after the presentation's first
    /// frame.
    mutating func start(of window: SegmentWindow) throws(ScrubError) -> Rational {
        while let joint = try unmarkedJoint(upTo: window) {
            timeline.addUnmarkedJoint(at: joint)
            lateness = lateness.filter { $0.key < joint }
            knownEnd = nil
        }
        return try startByTimestamps(of: window)
    }

    /// Returns the same, using only the timestamps of its run.
    mutating func startByTimestamps(of window: SegmentWindow) throws(ScrubError) -> Rational {
        let run = timeline.run(ofSegment: window.segments.lowerBound)
        let anchor = try anchor(ofRun: run)
        let raw = window.firstTimestamp.subtracting(anchor)
        let offset =
            window.wraps
            ? raw.flatMap {
                WideTimeArithmetic.unwrapped($0, near: timeline.estimate(ofSegment: window.segments.lowerBound))
            }
            : raw
        guard let start = offset?.adding(timeline.runs[run].start) else {
            throw ScrubError(.badData, "its times are too large", file: window.asset.path)
        }
        return start
    }

    private mutating func anchor(ofRun run: Int) throws(ScrubError) -> Rational {
        let first = timeline.runs[run].segments.lowerBound
        if let known = anchors[first] { return known }
        let found = try opener.firstTimestamp(first, of: timeline)
        anchors[first] = found
        return found
    }

    /// Returns the frame on screen at a time.
    mutating func frame(at time: Rational) throws(ScrubError) -> Found {
        let run = timeline.run(at: time)
        let range = timeline.runs[run].segments
        // The bounds: segments that end before the time, and that begin after it.
        var (before, behind) = (range.lowerBound - 1, range.upperBound)
        let runTime = WideTimeArithmetic.rough(time).subtracting(timeline.runs[run].start) ?? .zero
        var guess = timeline.segment(ofRun: run, atEstimate: runTime)
        var steps = 0
        while true {
            var shift: Rational?
            if let window = try window(guess..<guess + 1) {
                let start = try start(of: window)
                switch try place(time, in: window, start: start, of: range) {
                case .inside(let frame): return Found(window: window, frame: frame)
                case .needsEarlier: return try settle(around: time, guess..<guess + 1)
                case .before: behind = guess
                case .after: before = guess
                }
                shift = start.subtracting(timeline.runs[run].start)?.subtracting(timeline.estimate(ofSegment: guess))
            } else {
                behind = guess
            }
            if behind - before <= 1 { return try between(before, behind, time, range) }
            // If playlist and segments differ here, they differ similarly nearby; bisection limits the number of steps.
            steps += 1
            let middle = before + (behind - before) / 2
            let corrected = shift.flatMap { runTime.subtracting($0) }.map {
                timeline.segment(ofRun: run, atEstimate: $0)
            }
            guess = min(max(steps % 3 == 0 ? middle : corrected ?? middle, before + 1), behind - 1)
        }
    }

    /// Returns the frame that begins at a rounded time or less than one unit of its last decimal later, else the one on
    /// screen.
    mutating func frame(atRounded time: Rational, _ decimals: Int) throws(ScrubError) -> Found {
        if decimals > ComputedTime.mostPrinted {
            return try frame(atComputed: ComputedTime(seconds: time, decimals: decimals))
        }
        let found = try frame(at: time)
        let scale = (0..<min(max(decimals, 0), 18)).reduce(Int64(1)) { scale, _ in scale * 10 }
        // A time that is too long to be added is outside every presentation.
        guard let own = try start(of: found.window).adding(found.window.time(ofFrame: found.frame)), own != time,
            let next = own.adding(found.window.duration(ofFrame: found.frame)), next > time,
            let away = next.subtracting(time), away < Rational(1, scale)
        else { return found }
        return try frame(at: next)
    }

    /// Returns the frame that a computed time names.
    mutating func frame(atComputed time: ComputedTime) throws(ScrubError) -> Found {
        let found = try frame(at: max(time.seconds, .zero))
        let (own, unit) = (try self.time(of: found), found.window.timeBase)
        guard let next = own.adding(found.window.duration(ofFrame: found.frame)), next > time.seconds else {
            return found
        }
        let (begin, end, place) = (own.parts(of: unit), next.parts(of: unit), time.seconds.parts(of: unit))
        let isNext = time.names(next: end, at: place, own: begin, gap: end - begin, unit: unit)
        return isNext ? try frame(at: next) : found
    }

    /// Returns the time at which a frame appears, in seconds after the presentation's first frame.
    mutating func time(of found: Found) throws(ScrubError) -> Rational {
        guard let time = try start(of: found.window).adding(found.window.time(ofFrame: found.frame)) else {
            throw ScrubError(.badData, "its times are too large", file: found.window.asset.path)
        }
        return time
    }

    /// Returns the seconds since the previous frame began, as far as the segment shows it.
    func lead(of found: Found) -> Rational? {
        // The first frame of a window follows a frame of another segment. Frames are approximately evenly spaced.
        let lead = found.window.duration(ofFrame: max(0, found.frame - 1))
        return lead > .zero ? lead : nil
    }

    /// The ends of a presentation.
    struct Edge {
        /// The time at which the last frame appears, and the one at which it ends.
        var last: Rational
        var end: Rational
        var lead: Rational?
    }

    /// Returns the presentation's ends if a frame is the last one.
    mutating func edge(of found: Found) throws(ScrubError) -> Edge? {
        let window = found.window
        guard window.endsStretch, found.frame == window.frameCount - 1,
            window.segments.upperBound == timeline.segments.count
        else { return nil }
        let time = try time(of: found)
        return time.adding(window.duration(ofFrame: found.frame)).map {
            Edge(last: time, end: $0, lead: lead(of: found))
        }
    }

    /// Returns the position of a time in one segment of a run, taking into account the known ends of the run.
    private func place(
        _ time: Rational, in window: SegmentWindow, start: Rational, of run: Range<Int>
    ) throws(ScrubError) -> SegmentWindow.Place {
        guard let place = window.place(of: time, windowStart: start) else {
            throw ScrubError(.usage, "the time has too many digits", advice: "nanoseconds are enough")
        }
        // Stretches of a run follow each other without being joined.
        if window.beginsStretch, window.segments.lowerBound > run.lowerBound, time < start { return .before }
        if window.endsStretch, window.segments.upperBound < run.upperBound, place == .inside(window.frameCount - 1) {
            return .after
        }
        return place
    }

    /// Returns the frame at a time that is beyond one segment and before the next one.
    private mutating func between(
        _ before: Int, _ behind: Int, _ time: Rational, _ run: Range<Int>
    ) throws(ScrubError) -> Found {
        let range = max(before, run.lowerBound)..<min(behind + 1, run.upperBound)
        let isJoined = timeline.stretch(of: range.lowerBound).contains(range.upperBound - 1)
        guard !isJoined, let window = try window(range.lowerBound..<range.lowerBound + 1) else {
            return try settle(around: time, range)
        }
        return Found(window: window, frame: window.frameCount - 1)
    }

    private mutating func settle(around time: Rational, _ segments: Range<Int>) throws(ScrubError) -> Found {
        try settle(segments) { (index, window) throws(ScrubError) in
            guard let place = window.place(of: time, windowStart: try index.start(of: window)) else {
                throw ScrubError(.usage, "the time has too many digits", advice: "nanoseconds are enough")
            }
            return place
        }
    }

    /// Returns the end of the presentation according to the playlist, with the unit of its last times.
    mutating func end() throws(ScrubError) -> (time: Rational, unit: Rational) {
        if let knownEnd { return knownEnd }
        let last = try frame(fromEnd: 1)
        let time = try start(of: last.window).adding(last.window.time(ofFrame: last.frame))
        guard let end = time?.adding(last.window.duration(ofFrame: last.frame)) else {
            throw ScrubError(.badData, "its times are too large", file: last.window.asset.path)
        }
        try Cancellation.check()
        knownEnd = (end, last.window.timeBase)
        return (end, last.window.timeBase)
    }

    // MARK: Numbers

    private mutating func count(_ frames: Int, _ segment: Int) {
        counts[segment] = frames
        while let next = counts[sums.count - 1] { sums.append((sums.last ?? 0) + next) }
    }

    /// Returns the number of frames in a segment.
    ///
    /// If it cannot be determined from the segment alone, preceding segments are read too, back to one in which some
    /// pictures can be decoded.
    mutating func frameCount(ofSegment segment: Int) throws(ScrubError) -> Int {
        if let known = counts[segment] { return known }
        if try window(segment..<segment + 1) == nil || counts[segment] == nil {
            let stretch = timeline.stretch(of: segment)
            var first = segment
            var found = 0
            while first > stretch.lowerBound {
                first = max(stretch.lowerBound, first - (segment - first + 1))
                guard let window = try window(first..<segment + 1) else { continue }
                found = window.frameCounts.last ?? 0
                if window.frameCount > found { break }
            }
            count(found, segment)
        }
        return counts[segment] ?? 0
    }

    /// The total number of frames; `nil` if a segment has not been counted.
    var total: Int? { sums.count == timeline.segments.count + 1 ? sums.last : nil }

    /// Returns the number of a window's first frame; `nil` if preceding segments have not been counted.
    private func firstNumber(of window: SegmentWindow) -> Int? {
        let first = window.segments.lowerBound
        guard first < sums.count else { return nil }
        if window.startsClosed { return sums[first] }
        // Frames that this window cannot decode are in the segments up to its first one; the leading pictures of that
        // one may be in the next segment.
        let frames = window.frameCounts
        let begun = frames.firstIndex { $0 > 0 } ?? 0
        var number = sums[first]
        for place in 0..<min(begun + 2, frames.count) {
            guard let count = counts[first + place] else { return nil }
            number += count - frames[place]
        }
        return number
    }

    /// Returns the number of a frame; `nil` if preceding segments have not been counted.
    func number(of found: Found) -> Int? { firstNumber(of: found.window).map { $0 + found.frame } }

    /// Returns the segment that contains a frame's bytes.
    func segment(of found: Found) -> Int { found.window.segment(ofFrame: found.frame) }

    /// Returns the frame with a number. It counts every uncounted segment up to the frame's own.
    mutating func frame(numbered number: Int) throws(ScrubError) -> Found {
        while sums.count <= timeline.segments.count, (sums.last ?? 0) <= number {
            _ = try frameCount(ofSegment: sums.count - 1)
        }
        let segment = sums.partitioningIndex { $0 > number } - 1
        guard segment + 1 < sums.count else {
            guard total != 0 else { throw empty }
            throw ScrubError(
                .usage, "there is no frame \(number)", file: name,
                advice: "the frames are f0 to f\(max(0, (sums.last ?? 0) - 1))")
        }
        return try settle(segment..<segment + 1) { (index, window) throws(ScrubError) in
            guard let first = index.firstNumber(of: window), number >= first else { return .needsEarlier }
            guard number - first < window.frameCount else { return .after }
            return window.place(ofFrame: number - first)
        }
    }

    /// The error for a presentation without a picture.
    private var empty: ScrubError {
        ScrubError(
            .badData, "no segment of the playlist contains a picture", file: name,
            advice: "open one of its segments to see what it contains")
    }

    /// Returns the frame at a distance from the last one. It counts segments from the end.
    mutating func frame(fromEnd number: Int) throws(ScrubError) -> Found {
        var behind = 0
        for segment in timeline.segments.indices.reversed() {
            // The last frame is in the last segment that has any, however many are empty.
            if number == 1, let window = try window(segment..<segment + 1), window.endsStretch {
                return try settle(segment..<segment + 1) { (_, window) in window.place(ofFrame: window.frameCount - 1) }
            }
            let count = try frameCount(ofSegment: segment)
            if number <= behind + count {
                return try frame(number - behind, fromEndOf: segment, behind: behind)
            }
            behind += count
        }
        guard let total, total > 0 else { throw empty }
        throw ScrubError(
            .usage, "there is no frame -\(number)", file: name, advice: "the frames are f-\(total) to f-1")
    }

    /// Returns a frame by its distance from the end of a segment.
    private mutating func frame(
        _ number: Int, fromEndOf segment: Int, behind: Int
    ) throws(ScrubError) -> Found {
        try settle(segment..<segment + 1) { (index, window) throws(ScrubError) in
            // Frames of the window's later segments follow it.
            var later = 0
            for other in segment + 1..<max(segment + 1, window.segments.upperBound) {
                later += try index.frameCount(ofSegment: other)
            }
            let frame = window.frameCount - later - number
            guard frame >= 0 else { return .needsEarlier }
            guard frame < window.frameCount else { return .after }
            return window.place(ofFrame: frame)
        }
    }
}

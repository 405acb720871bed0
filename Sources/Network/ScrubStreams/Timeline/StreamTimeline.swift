internal import ScrubHLSPlaylists
internal import ScrubBase

/// A playlist's segments as parts of one presentation: which of them share a timeline, and which can be read as one.
struct StreamTimeline: Sendable {
    /// A run of segments between discontinuities, which share a timeline.
    struct Run: Sendable, Equatable {
        var segments: Range<Int>
        /// Its start in the presentation, in seconds: the sum of the playlist's preceding durations.
        var start: Rational
    }

    private(set) var segments: [MediaPlaylist.Segment] = []
    private(set) var initializations: [MediaPlaylist.Initialization] = []
    private(set) var keySets: [[MediaPlaylist.Key]] = []
    private(set) var runs: [Run] = []
    /// The ends of stretches whose segments can be read consecutively: they have the same initialization section and no
    /// gap.
    private var stretchEnds: [Int] = []
    private(set) var isComplete = false
    /// Segments that begin another timeline without a tag in the playlist.
    private(set) var unmarkedJoints: Set<Int> = []
    /// The longest segment duration in the playlist, in seconds.
    private(set) var longest = Rational.zero

    init(_ playlist: MediaPlaylist) {
        segments = playlist.segments
        initializations = playlist.initializations
        keySets = playlist.keySets
        isComplete = playlist.isComplete
        arrange()
    }

    /// Adds the segments that follow the known ones in a later version of the playlist. Segments that it no longer
    /// contains keep their position, so every frame keeps its number.
    ///
    /// - Returns: the number of new segments.
    /// - Throws: `badData` if the two versions have no segment in common and numbers are missing between them, or if a
    ///   segment was replaced.
    mutating func extend(with playlist: MediaPlaylist) throws(ScrubError) -> Int {
        guard let last = segments.last else {
            self = StreamTimeline(playlist)
            return segments.count
        }
        guard playlist.mediaSequence <= last.sequence + 1 else {
            throw ScrubError(
                .badData,
                "segments \(last.sequence + 1) to \(playlist.mediaSequence - 1) were added and removed between reads",
                advice: "open the playlist again, and reload it more often")
        }
        // Not every writer counts the discontinuities that were removed; the segments in both versions reveal the
        // difference.
        var shift: Int64 = 0
        for known in playlist.segments where known.sequence <= last.sequence && known.sequence >= segments[0].sequence {
            let own = segments[Int(known.sequence - segments[0].sequence)]
            guard own.resource == known.resource else {
                throw ScrubError(
                    .badData, "segment \(known.sequence) was '\(own.resource.uri)', but is now '\(known.resource.uri)'",
                    place: .line(known.line), advice: "the playlist now has another recording: open it again")
            }
            shift = own.discontinuity - known.discontinuity
        }
        let news = playlist.segments.filter { $0.sequence > last.sequence }
        let (maps, sets) = (initializations.count, keySets.count)
        initializations += playlist.initializations
        keySets += playlist.keySets
        var start = last.start + last.duration
        for var segment in news {
            segment.start = start
            segment.discontinuity += shift
            segment.initialization = segment.initialization.map { $0 + maps }
            segment.keySet = segment.keySet.map { $0 + sets }
            start = start + segment.duration
            segments.append(segment)
        }
        isComplete = playlist.isComplete
        arrange()
        return news.count
    }

    /// Records that the timestamps of a segment do not continue the previous ones. The segment begins where the
    /// playlist's durations say, as after a discontinuity.
    mutating func addUnmarkedJoint(at segment: Int) {
        guard unmarkedJoints.insert(segment).inserted else { return }
        arrange()
    }

    private mutating func arrange() {
        (runs, stretchEnds) = ([], [])
        longest = segments.map(\.duration).max()?.seconds ?? .zero
        var first = 0
        for place in segments.indices {
            let next = place + 1
            let isLast = next == segments.count
            let isRunEnd =
                isLast || segments[next].discontinuity != segments[place].discontinuity
                || unmarkedJoints.contains(next)
            let sameStretch =
                !isRunEnd && !segments[next].isGap && !segments[place].isGap
                && initialization(of: next)?.resource == initialization(of: place)?.resource
            if !sameStretch { stretchEnds.append(next) }
            if isRunEnd {
                runs.append(Run(segments: first..<next, start: segments[first].start.seconds))
                first = next
            }
        }
    }

    func initialization(of segment: Int) -> MediaPlaylist.Initialization? {
        segments[segment].initialization.map { initializations[$0] }
    }

    /// The sum of the playlist's durations.
    var duration: Rational { segments.last.map { ($0.start + $0.duration).seconds } ?? .zero }

    /// Returns the run that contains a segment.
    func run(ofSegment segment: Int) -> Int { runs.partitioningIndex { $0.segments.upperBound > segment } }

    /// Returns the run on screen at a time.
    func run(at time: Rational) -> Int { max(0, runs.partitioningIndex { $0.start > time } - 1) }

    /// Returns the segments that can be read together with a segment.
    func stretch(of segment: Int) -> Range<Int> {
        let place = stretchEnds.partitioningIndex { $0 > segment }
        return (place == 0 ? 0 : stretchEnds[place - 1])..<stretchEnds[place]
    }

    /// Returns the seconds from a run's start to a segment's, according to the playlist.
    func estimate(ofSegment segment: Int) -> Rational {
        let first = runs[run(ofSegment: segment)].segments.lowerBound
        return PlaylistTime(attoseconds: segments[segment].start.attoseconds - segments[first].start.attoseconds)
            .seconds
    }

    /// Returns the segment of a run at a number of seconds after its start, according to the playlist.
    func segment(ofRun run: Int, atEstimate time: Rational) -> Int {
        let range = runs[run].segments
        return max(range.lowerBound, range.partitioningIndex { estimate(ofSegment: $0) > time } - 1)
    }
}

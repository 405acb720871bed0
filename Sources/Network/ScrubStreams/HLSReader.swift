internal import ScrubHLSPlaylists
public import ScrubBase
internal import ScrubMedia
internal import ScrubSources

extension HLSVideo {
    /// Exact frames of one HLS presentation, for code that may block.
    ///
    /// A time fetches the head of the first segment, once (times are counted from there), and the segment that holds
    /// it. At a segment's edge it also fetches the neighbour, if that may have a say. A fraction needs the end as well:
    /// the last segment, once. A frame number needs every segment before it counted: of movie fragments only their
    /// tables, of transport streams all bytes. ``HLSVideo/Answer/number`` says when a number is not known.
    ///
    /// Use one reader per thread; a reader may move between threads.
    ///
    /// Memory: up to three videos of one or a few segments each, with their share of ``HLSVideo/Options/reader``; 16
    /// bytes for each segment that was counted.
    public struct Reader: ~Copyable {
        private let video: HLSVideo
        private var index: StreamIndex

        /// Makes a reader; nothing is fetched yet.
        public init(_ video: HLSVideo) {
            self.video = video
            index = StreamIndex(
                video.timeline, library: SegmentLibrary(video.access, base: video.address), options: video.options,
                name: video.path)
        }

        /// Returns the exact frame at a position.
        ///
        /// - Parameter clampsFractions: takes the first frame for a fraction below 0, and the last one for a fraction
        ///   above 1.
        /// - Throws: `usage` for a frame number that does not exist, for a fraction outside 0...1 that is not clamped,
        ///   and for timecodes, which playlists don't have. `badData` for segments that hold no video, are missing or
        ///   have another key. `unavailable` for encryption that nothing here undoes; `inputOutput` if fetching fails.
        ///   Damage of pictures is not thrown: it is the answer's verdict.
        @available(*, noasync, message: "it blocks; in asynchronous code use a VideoAsset of the whole")
        public mutating func frame(at position: FramePosition, clampsFractions: Bool = false) throws(ScrubError)
            -> HLSVideo.Answer
        {
            index.library.tally.begin()
            let before = video.networkCost
            while true {
                let joints = index.timeline.unmarkedJoints.count
                do throws(ScrubError) {
                    let answer = try answer(at: position, clampsFractions: clampsFractions, before: before)
                    if index.timeline.unmarkedJoints.count == joints { return answer }
                } catch  where index.timeline.unmarkedJoints.count > joints {
                    // What was found up to here was found without the joint.
                }
            }
        }

        private mutating func answer(
            at position: FramePosition, clampsFractions: Bool, before: NetworkCost?
        ) throws(ScrubError) -> HLSVideo.Answer {
            var requested: Rational?
            var isClamped = false
            let found: StreamIndex.Found
            switch position {
            case .time(let time):
                isClamped = time < .zero
                requested = max(time, .zero)
                found = try index.frame(at: max(time, .zero))
            case .roundedTime(let time, let decimals):
                isClamped = time < .zero
                requested = max(time, .zero)
                found = try index.frame(atRounded: max(time, .zero), decimals)
            case .fraction(let fraction) where fraction >= .one:
                if !clampsFractions { try refuseOutside(position) }
                isClamped = fraction > .one
                found = try index.frame(fromEnd: 1)
            case .fraction(let fraction):
                if !clampsFractions { try refuseOutside(position) }
                isClamped = fraction < .zero
                let end = try index.end()
                guard let time = WideTime.floor(max(fraction, .zero), of: end.time, unit: end.unit) else {
                    throw ScrubError(.usage, "a fraction of too many digits", advice: "12 digits are fine")
                }
                requested = time
                found = try index.frame(at: time)
            case .frame(let number) where number >= 0: found = try index.frame(numbered: number)
            case .frame(let number):
                guard number > .min else {
                    throw ScrubError(
                        .usage, "there is no frame \(number)",
                        advice: "negative numbers count from the end: f-1 is the last frame")
                }
                found = try index.frame(fromEnd: -number)
            case .timecode:
                throw ScrubError(
                    .usage, "playlists have no timecode", file: video.path, advice: "ask by time: 1:02:03.5")
            }
            return try answer(found, requested: requested, isClamped: isClamped, before: before)
        }

        private func refuseOutside(_ position: FramePosition) throws(ScrubError) {
            let guess = OutsideGuess(position, text: nil, frameCount: index.total, duration: nil)
            if let guess { throw guess.error }
        }

        private mutating func answer(
            _ found: StreamIndex.Found, requested: Rational?, isClamped: Bool, before: NetworkCost?
        ) throws(ScrubError) -> HLSVideo.Answer {
            let window = found.window
            guard let time = try index.start(of: window).adding(window.time(ofFrame: found.frame)) else {
                throw ScrubError(.badData, "its times are too large", file: window.asset.path)
            }
            let answer = try window.frame(found.frame)
            let frame = answer.frame
            let stay = window.duration(ofFrame: found.frame)
            // The first frame of a window follows a frame of another segment; frames come at about one pace.
            let lead = found.frame > 0 ? window.duration(ofFrame: found.frame - 1) : stay
            let isLast =
                window.endsStretch && found.frame == window.frameCount - 1
                && window.segments.upperBound == index.timeline.segments.count
            let isBeyond =
                isLast ? requested.map { asked in time.adding(stay).map { asked > $0 } ?? false } ?? false : false
            let sum = index.library.tally.sum
            let segments = index.timeline.segments
            return HLSVideo.Answer(
                time: time, lead: lead > .zero ? lead : nil, number: index.number(of: found),
                frameCount: index.timeline.isComplete ? index.total : nil,
                segment: segments[index.segment(of: found)].sequence, requestedTime: requested ?? time,
                isClamped: isClamped || isBeyond, presentationTime: frame.presentationTime, timeBase: frame.timeBase,
                duration: stay, isKeyframe: frame.isKeyframe, verdict: answer.verdict, picture: answer.picture,
                decodedPictures: answer.decodedPictures, rendition: video.rendition,
                fetched: HLSVideo.Fetch(
                    segments: sum.segments.map { segments[$0].sequence }, bytes: sum.bytes,
                    network: video.networkCost.map { $0.since(before ?? NetworkCost()) }))
        }

        /// The number of segments in the playlist, as it was read last.
        public var segmentCount: Int { index.timeline.segments.count }

        /// The number of frames; `nil` as long as a segment was not counted. Fetches nothing.
        public var knownFrameCount: Int? { index.total }

        /// Returns the end of the presentation as far as the playlist goes, in seconds after the first frame. Fetches
        /// the last segment once.
        ///
        /// - Throws: as ``frame(at:clampsFractions:)``.
        @available(*, noasync, message: "it blocks; in asynchronous code use a VideoAsset of the whole")
        public mutating func duration() throws(ScrubError) -> Rational { try index.end().time }

        /// Reads the playlist again, if it had no end yet (`EXT-X-ENDLIST`). New segments are behind the others, and
        /// every frame keeps its number and its time, also if the playlist has forgotten its segment.
        ///
        /// - Returns: the number of new segments.
        /// - Throws: `badData` if segments came and went unseen or were replaced by others, and the errors of reading
        ///   the playlist.
        @available(*, noasync, message: "it blocks; in asynchronous code use a VideoAsset of the whole")
        public mutating func reload() throws(ScrubError) -> Int {
            guard !index.timeline.isComplete else { return 0 }
            return try index.extend(with: video.currentPlaylist())
        }
    }
}

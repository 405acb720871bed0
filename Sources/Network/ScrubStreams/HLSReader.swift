internal import ScrubHLSPlaylists
package import ScrubBase
internal import ScrubMedia
internal import ScrubSources

extension HLSVideo {
    /// A reader of exact frames of one HLS presentation, for code that may block.
    ///
    /// Calls stop if the work on their thread is cancelled, and later calls work as before.
    ///
    /// A request by time fetches the start of the first segment, once, because times are counted from there, and the
    /// segment that contains the time. At a segment's edge, it also fetches the adjacent segment if that may contain
    /// the frame. A fraction also requires the end, and fetches the last segment once. A frame number requires counting
    /// every segment before it: for movie fragments only their tables, for transport streams all bytes.
    /// ``HLSVideo/Frame/number`` documents when a number is not known.
    ///
    /// Use one reader per thread; a reader may move between threads.
    ///
    /// Memory: up to three videos of one or a few segments each, with their share of ``HLSVideo/Options/reader``, and
    /// 16 bytes for each counted segment.
    package struct Reader: ~Copyable {
        private let video: HLSVideo
        /// What the reader has found so far.
        private(set) var index: StreamIndex

        /// Creates a reader. It does not fetch anything yet.
        package init(_ video: HLSVideo) { self.init(video, index: video.newIndex()) }

        /// Creates a reader that continues another one's work.
        init(_ video: HLSVideo, index: StreamIndex) { (self.video, self.index) = (video, index) }

        /// Returns the exact frame at a position.
        ///
        /// - Parameter clamps: whether a fraction or a time outside the presentation names the nearest end.
        /// - Throws: `usage` for a frame number that does not exist, for a fraction or a time outside the presentation
        ///   that is not clamped, and for timecodes, which playlists don't have. `badData` for segments that contain no
        ///   video, are missing or have another key. `unavailable` for unsupported encryption; `inputOutput` if
        ///   fetching fails. Damaged pictures do not throw an error; the frame's verdict reports them.
        @available(*, noasync, message: "this blocks; in async code, use 'try await HLSVideo.frame(at:)'")
        package mutating func frame(at position: FramePosition, clamps: Bool = false) throws(ScrubError)
            -> HLSVideo.Frame
        {
            try frame(at: position, named: nil, clamps: clamps)
        }

        /// Returns the frame at a position.
        ///
        /// - Parameters:
        ///   - text: the position as it was typed.
        ///   - advice: the remedy for a position outside the presentation.
        package mutating func frame(
            at position: FramePosition, named text: String?, clamps: Bool, advice: String? = nil
        ) throws(ScrubError) -> HLSVideo.Frame {
            if !clamps,
                let place = OutsidePosition(position, text: text, frameCount: index.total, duration: nil)
            {
                throw place.error(advice: advice)
            }
            index.library.tally.begin()
            let before = video.networkCost
            while true {
                let joints = index.timeline.unmarkedJoints.count
                do throws(ScrubError) {
                    let answer = try answer(at: position, named: text, clamps: clamps, advice: advice, before: before)
                    if index.timeline.unmarkedJoints.count == joints { return answer }
                } catch  where index.timeline.unmarkedJoints.count > joints {
                    // Everything up to here was found without the joint.
                }
            }
        }

        private mutating func answer(
            at position: FramePosition, named text: String?, clamps: Bool, advice: String?, before: NetworkCost?
        ) throws(ScrubError) -> HLSVideo.Frame {
            var requested: Rational?
            var isClamped = false
            let found: StreamIndex.Found
            switch position.kind {
            case .time(let time):
                requested = max(time, .zero)
                found = try index.frame(at: max(time, .zero))
            case .roundedTime(let time, let decimals):
                requested = max(time, .zero)
                found = try index.frame(atRounded: max(time, .zero), decimals)
            case .computedTime(let time):
                requested = max(time.seconds, .zero)
                found = try index.frame(atComputed: time)
            case .fraction(let fraction) where fraction >= .one:
                isClamped = fraction > .one
                found = try index.frame(fromEnd: 1)
            case .fraction(let fraction):
                isClamped = fraction < .zero
                let end = try index.end()
                guard let time = WideTimeArithmetic.floor(max(fraction, .zero), of: end.time, unit: end.unit) else {
                    throw ScrubError(.usage, "the fraction has too many digits", advice: "12 digits are enough")
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
                    .usage, "playlists do not have timecodes", file: video.path, advice: "use a time: 1:02:03.5")
            }
            let edge = try index.edge(of: found)
            if position.lies(outside: edge, unit: found.window.timeBase) { isClamped = true }
            if isClamped, !clamps {
                let last = edge.map { TimeText($0.last, after: $0.lead).clock }
                let place = OutsidePosition(position, text: text, from: TimeText(.zero).clock, to: last)
                if let place { throw place.error(advice: advice) }
            }
            return try answer(found, requested: requested, isClamped: isClamped, before: before)
        }

        private mutating func answer(
            _ found: StreamIndex.Found, requested: Rational?, isClamped: Bool, before: NetworkCost?
        ) throws(ScrubError) -> HLSVideo.Frame {
            let window = found.window
            let time = try index.time(of: found)
            let answer = try window.frame(found.frame)
            let frame = answer.frame
            let stay = window.duration(ofFrame: found.frame)
            let lead = index.lead(of: found)
            let sum = index.library.tally.sum
            let segments = index.timeline.segments
            return HLSVideo.Frame(
                time: time, lead: lead, number: index.number(of: found),
                frameCount: index.timeline.isComplete ? index.total : nil,
                segment: segments[index.segment(of: found)].sequence, requestedTime: requested ?? time,
                isClamped: isClamped, presentationTime: frame.presentationTime, timeBase: frame.timeBase,
                duration: stay, isKeyframe: frame.isKeyframe, verdict: answer.verdict, picture: answer.picture,
                decodedPictureCount: answer.decodedPictureCount, rendition: video.rendition,
                fetched: HLSVideo.Fetch(
                    segments: sum.segments.map { segments[$0].sequence }, byteCount: sum.bytes,
                    network: video.networkCost.map { $0.since(before ?? NetworkCost()) }))
        }

        /// The number of segments in the most recently read playlist.
        package var segmentCount: Int { index.timeline.segments.count }

        /// The number of frames; `nil` if a segment has not been counted. Reading this property does not fetch
        /// anything.
        package var knownFrameCount: Int? { index.total }

        /// Returns the duration of the presentation according to the current playlist, in seconds after the first
        /// frame. It fetches the last segment once.
        ///
        /// - Throws: the errors of ``frame(at:clamps:)``.
        @available(*, noasync, message: "this blocks; in async code, use 'try await HLSVideo.duration()'")
        package mutating func duration() throws(ScrubError) -> Rational { try index.end().time }

        /// Reads the playlist again if it had no end yet (`EXT-X-ENDLIST`). New segments are appended, and every frame
        /// keeps its number and its time, even if the playlist no longer lists its segment.
        ///
        /// - Returns: the number of new segments.
        /// - Throws: `badData` if segments came and went unseen or were replaced, and the errors of reading the
        ///   playlist.
        @available(*, noasync, message: "this blocks; in async code, use 'try await HLSVideo.reload()'")
        package mutating func reload() throws(ScrubError) -> Int {
            guard !index.timeline.isComplete else { return 0 }
            return try index.extend(with: video.currentPlaylist())
        }
    }
}

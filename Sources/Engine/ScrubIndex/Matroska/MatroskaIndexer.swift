internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubMatroska
internal import ScrubBase

/// Makes an index from the cluster and block headers of a Matroska or WebM file, without reading the payloads.
///
/// libavformat reads only the file's header, to identify the streams and to set up their decoders. Whatever the block
/// headers do not say exactly is left to the packet pass of ``ScanIndexer``.
struct MatroskaIndexer {
    private let file: MediaSource
    private let rules: IndexRules
    private let pace: BlockScan.Pace

    /// - Parameter pace: the way in which blocks are read; `nil` for the one that suits the file.
    init(_ file: MediaSource, rules: IndexRules = .init(), pace: BlockScan.Pace? = nil) {
        self.file = file.sequentialView()
        self.rules = rules
        self.pace = pace ?? (file.file == nil ? .sparing : BlockScan.Pace())
    }

    func makeIndex(requestedStream: Int?) throws(TableFallbackReason) -> FrameIndex {
        do throws(ScrubError) {
            let segment = try MatroskaSegment(reading: file)
            // libavformat would report that there is not enough memory.
            try file.limiting { (limits) throws(ScrubError) in
                try limits.check(.streams, segment.tracks.count, "tracks")
            }
            let early = SpeculativeBlockScan(segment, requestedStream: requestedStream, file: file, pace: pace)
            let stream = try chooseStream(segment, requested: requestedStream)
            let track = try self.track(of: stream, in: segment)
            return try makeIndex(segment, track, stream, early)
        } catch {
            // The demuxer is more lenient and decides, also about which error is reported.
            throw TableFallbackReason(why: error.cause, reason: nil)
        }
    }

    static func left(_ why: String) -> ScrubError { ScrubError(.unavailable, why) }

    func chooseStream(_ segment: MatroskaSegment, requested: Int?) throws(ScrubError) -> StreamDescription {
        let streams: [StreamDescription]
        do throws(AVError) {
            streams = try Input(bytes: segment.slimHeader(), format: "matroska", of: file).streams
        } catch {
            throw error.scrubError("is not a segment that libavformat can read")
        }
        let tracks = MatroskaIndexer.streamTracks(segment).count
        guard streams.count == tracks, tracks == segment.tracks.count else {
            throw MatroskaIndexer.left("its tracks do not match libavformat's streams")
        }
        return try StreamChoice.choose(among: streams, requested: requested) { PictureCounts.of($0, in: file) }
    }

    /// Returns the tracks from which libavformat makes streams, in order.
    static func streamTracks(_ segment: MatroskaSegment) -> [TrackEntry] {
        segment.tracks.filter { track in
            switch track.kind {
            case .video, .audio, .subtitle, .metadata: track.codecID != nil
            case .complex, .logo, .buttons, .control, nil: false
            }
        }
    }

    /// Returns the name of a stream's codec in a Matroska file, which libavformat does not report for unknown ones;
    /// `nil` for other files.
    static func codecName(ofStream index: Int, in file: MediaSource) -> String? {
        guard MatroskaSegment.isEBML(file), let segment = try? MatroskaSegment(reading: file) else { return nil }
        let tracks = streamTracks(segment)
        return tracks.indices.contains(index) ? tracks[index].codecID : nil
    }

    /// Codecs whose blocks are passed to decoders unchanged, with one picture each or identifiable by their first
    /// bytes.
    static let codecs = [
        "V_MPEG4/ISO/AVC": "h264", "V_MPEGH/ISO/HEVC": "hevc", "V_AV1": "av1", "V_VP8": "vp8", "V_VP9": "vp9",
        "V_MJPEG": "mjpeg",
    ]

    /// Returns the track of a stream, if nothing about it needs a demuxer.
    func track(of stream: StreamDescription, in segment: MatroskaSegment) throws(ScrubError) -> TrackEntry {
        let track = MatroskaIndexer.streamTracks(segment)[stream.index]
        let codec = VideoCodec(named: stream.codec.codecName)
        guard segment.tracks.count(where: { $0.number == track.number }) == 1 else {
            throw MatroskaIndexer.left("two tracks have the same number")
        }
        guard track.kind == .video, let name = track.codecID,
            MatroskaIndexer.codecs[name] == stream.codec.codecName, codec != .other || stream.codec.isIntraOnly,
            stream.codec.hasDecoder
        else { throw MatroskaIndexer.left("its blocks have the codec \(track.codecID ?? "(none)")") }
        guard !track.hasContentEncodings else { throw MatroskaIndexer.left("its blocks are encoded or encrypted") }
        guard track.timestampScale == 1, track.codecDelay == 0,
            stream.timeBase == Rational(checked: Int64(clamping: segment.timestampScale), 1_000_000_000)
        else { throw MatroskaIndexer.left("its times are scaled or delayed") }
        let parser = PictureParser(codec: codec, extradata: stream.codec.extradata)
        guard !parser.mayHoldFields else { throw MatroskaIndexer.left("each field may have its own block") }
        return track
    }

    private func makeIndex(
        _ segment: MatroskaSegment, _ track: TrackEntry, _ stream: StreamDescription, _ early: SpeculativeBlockScan?
    ) throws(ScrubError) -> FrameIndex {
        try file.check(stream.codec)
        var facts = self.facts(track, stream)
        guard let heads = BlockHeaderReader(codec: facts.codec, extradata: stream.codec.extradata, file: file) else {
            throw MatroskaIndexer.left("no decoder configuration")
        }
        let isIntraOnly = stream.codec.isIntraOnly && !stream.codec.mayInheritTables
        let walk: BlockScan
        if let early = try early?.walk(of: track, facts.codec, stream.codec.extradata, isIntraOnly: isIntraOnly) {
            walk = early
        } else {
            walk = try BlockScan(segment, track, isIntraOnly: isIntraOnly, file: file, heads: heads, pace: pace)
        }
        try file.check(pictureCount: walk.pictures.count)
        if stream.codec.mayInheritTables,
            !SampleHead.standsAlone(0, of: walk.pictures, stream.codec, file)
                || walk.pictures.hintAtState(stream.codec, file)
        {
            throw MatroskaIndexer.left("pictures may need tables from earlier pictures")
        }
        facts.lacks(
            MissingRange(segment, isTruncated: walk.isTruncated, end: walk.isTruncated ? walk.end : 0, file: file))
        if file.isRemote, facts.codec == .h264, walk.pictures.count > 0 {
            facts.x264Build = TableOrdering.look(at: 0, walk.pictures, facts, file)?.x264Build
        }
        facts.findDisplayOrientation(atPicture: 0, of: walk.pictures, in: file)
        try checkStart(walk.pictures, facts)
        try checkTimes(walk.pictures, facts)
        let index = try makeIndex(walk, facts) { (frames) throws(ScrubError) in
            try lastDuration(frames, walk, segment, facts.codec)
        }
        guard index.frameCount > 0 else { throw MatroskaIndexer.left("its times do not form a timeline") }
        return index
    }

    /// Returns the facts about the stream that are known before its blocks are read.
    func facts(_ track: TrackEntry, _ stream: StreamDescription) -> StreamFacts {
        var facts = StreamFacts()
        facts.container = "matroska,webm"
        facts.streamIndex = stream.index
        facts.descriptions = [stream.codec]
        facts.codec = VideoCodec(named: stream.codec.codecName)
        facts.route = .direct
        facts.timeBase = stream.timeBase
        facts.sampleAspectRatio = stream.sampleAspectRatio
        facts.displayMatrix = stream.codec.displayMatrix
        facts.crop(track.cropping)
        facts.startTimecode = stream.timecode
        facts.chosenOver = stream.chosenOver
        facts.alpha = AlphaSource(of: track, facts.codec)
        return facts
    }

    /// Puts the pictures of blocks into display order.
    ///
    /// - Parameter lastDuration: returns the duration of the last frame.
    func makeIndex(
        _ walk: BlockScan, _ facts: StreamFacts, lastDuration: ([UInt32]) throws(ScrubError) -> Int64
    ) throws(ScrubError) -> FrameIndex {
        let ordering = TableOrdering(facts, walk.pictures, sectionStarts: [], file: file)
        guard ordering.isSettled, !ordering.isContradicted else {
            throw MatroskaIndexer.left("its times cannot be presentation times")
        }
        let index = ordering.makeIndex(lastDuration: try lastDuration(ordering.frames))
        guard index.repairedTimes == nil else {
            throw MatroskaIndexer.left("its times do not form a timeline")
        }
        // A damaged time moves a picture further than the sequence parameter set allows.
        let limit = PictureParser(codec: facts.codec, extradata: facts.descriptions[0].extradata).reorderLimit
        guard index.reorderDelay <= limit ?? .max else {
            throw MatroskaIndexer.left("its times reorder pictures further than the stream allows")
        }
        return index
    }

    /// Checks the container's claim about the first picture, on which everything else depends.
    func checkStart(_ pictures: CodedPictures, _ facts: StreamFacts) throws(ScrubError) {
        guard let first = pictures.flags.first, first.contains(.key) else {
            throw MatroskaIndexer.left("the first block is not a keyframe")
        }
        guard facts.codec != .other else { return }
        guard !SharedPackets.areFound(in: pictures, facts, file) else {
            throw MatroskaIndexer.left("blocks show several pictures")
        }
        // Reading the blocks has already checked for parameter sets.
        guard !SampleSets(pictures: pictures, facts: facts, file: file).holdLongTerm() else {
            throw MatroskaIndexer.left("open restarts follow long-term references")
        }
        switch TableOrdering.look(at: 0, pictures, facts, file)?.randomAccess ?? RandomAccess.none {
        case .instantaneous, .open, .gradual: break
        case .none, .inexact: throw MatroskaIndexer.left("the first block is not a restart")
        }
    }

    /// Checks that contiguous pictures that begin at a keyframe are shown in the order of the container's times.
    func checkTimes(_ pictures: CodedPictures, _ facts: StreamFacts) throws(ScrubError) {
        let check = ReorderCheck(pictures: pictures, facts: facts, file: file, mustBeReadable: true)
        guard !rules.codecDecidesOrder || check.timesAreBelievable() else {
            throw MatroskaIndexer.left("its times may be decode times")
        }
        // Only H.264 and HEVC code pictures in an order that differs from the display order.
        guard facts.codec != .h264, facts.codec != .hevc else { return }
        var latest = Int64.min
        for (flags, time) in zip(pictures.flags, pictures.presentationTimes) where !flags.contains(.hidden) {
            guard time >= latest else { throw MatroskaIndexer.left("times that run backwards") }
            latest = time
        }
    }

    /// Returns the duration of the last frame in display order: its block's, otherwise the track's default (RFC 9559,
    /// 5.1.4.1.13) in whole units, as in libavformat. An only track lasts to the end of the segment if that gives more
    /// precise information.
    func lastDuration(
        _ frames: [UInt32], _ walk: BlockScan, _ segment: MatroskaSegment, _ codec: VideoCodec
    ) throws(ScrubError) -> Int64 {
        guard let last = frames.last else { return 0 }
        let some = frames.prefix(Timeline.looked + 1)
        let times = some.map { walk.pictures.presentationTimes[Int($0)] }
        var step = Timeline.commonStep(times) ?? 0
        if let duration = walk.duration(of: Int(last)) {
            // A default that is not the distance between two frames is an average over frames that are held for a long
            // time.
            if step == 0 || Timeline.fit(some.map { walk.duration(of: Int($0)) ?? 0 }, to: times) { step = duration }
        } else {
            // For these codecs, libavformat finds no rate in the packets either. It takes units of more than a
            // millisecond for frames (compute_frame_duration).
            guard codec == .vp8 || codec == .vp9, segment.timestampScale <= 1_000_000, frames.count > 1 else {
                throw MatroskaIndexer.left("the last picture has no duration")
            }
        }
        guard step > 0, !walk.isTruncated, StreamEnd.isTold(by: segment), let end = segment.end, end <= file.byteCount,
            let whole = segment.duration.flatMap({ Int64(exactly: $0.rounded(.down)) })
        else { return step }
        return StreamEnd.ofOnlyStream(whole, codec: codec).stay(
            of: walk.pictures.presentationTimes[Int(last)], orElse: step)
    }
}

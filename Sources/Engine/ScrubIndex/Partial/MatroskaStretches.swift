internal import ScrubBitstream
package import ScrubFileIO
internal import ScrubLibAV
internal import ScrubMatroska
package import ScrubBase

/// Reads stretches of consecutive blocks of a Matroska or WebM file, from any cluster on.
///
/// The blocks of a stretch give the same pictures, times and flags as in an index of the whole file. Where block
/// headers are not enough for such an index, there are no stretches either.
package struct MatroskaStretches: StretchSource {
    private let file: MediaSource
    private let indexer: MatroskaIndexer
    private let segment: MatroskaSegment
    private let track: TrackEntry
    private let facts: StreamFacts
    /// The view through which places are searched.
    private let view: MediaSource
    private var cues: CueList
    private var clusters: ClusterReader
    private var locator: PlaceLocator<ClusterReader>
    /// The usual distance between two frames.
    private let usualDuration: Int64
    /// The number of pictures that may follow a picture and be shown before the next one.
    private static let laterPictures: Int64 = 8
    /// The beginning of the film, from which other stretches take what the first blocks determine.
    private let beginning: BlockScanRange

    /// The number of bytes by which a stretch grows at first.
    package static let standardStep: Int64 = 128 << 10
    /// The number of bytes after which a stretch without a result ends.
    private static let limit: Int64 = 256 << 20
    private let step: Int64

    /// Reads the head of a file and its first blocks.
    ///
    /// - Parameter step: the number of bytes by which a stretch grows at first.
    /// - Throws: ``ScrubError`` if the file is not a Matroska file whose block headers are enough for an index.
    package init(
        _ file: MediaSource, requestedStream: Int?, rules: IndexRules = .init(),
        step: Int64 = MatroskaStretches.standardStep
    ) throws(ScrubError) {
        self.step = step
        let file = file.view()
        let segment = try MatroskaSegment(reading: file)
        guard segment.end ?? .max >= file.byteCount else {
            throw MatroskaIndexer.left("the file continues after the segment")
        }
        try file.limiting { (limits) throws(ScrubError) in
            try limits.check(.streams, segment.tracks.count, "tracks")
        }
        let indexer = MatroskaIndexer(file, rules: rules)
        let stream = try indexer.chooseStream(segment, requested: requestedStream)
        let track = try indexer.track(of: stream, in: segment)
        try file.check(stream.codec)
        guard !stream.codec.mayInheritTables else {
            throw MatroskaIndexer.left("pictures may need tables from earlier pictures")
        }
        var facts = indexer.facts(track, stream)
        guard !facts.alpha.isReadable else { throw MatroskaIndexer.left("its transparency is stored separately") }
        guard let heads = BlockHeaderReader(codec: facts.codec, extradata: stream.codec.extradata, file: file) else {
            throw MatroskaIndexer.left("no decoder configuration")
        }
        let reader = BlockReader(segment, track: track.number, source: file, headSize: BlockHeaderReader.size)
        let base = stream.codec.isIntraOnly ? PictureFlags.verified.with(.instantaneous) : []
        var beginning = BlockScanRange(reader, heads: heads, base: base)
        // The index is fetched at the same time as the first blocks.
        let view = file.view()
        CueList.announce(segment, in: view)
        repeat {
            try MatroskaStretches.read(&beginning, to: beginning.end + step, file)
        } while !beginning.isLast && (!beginning.heads.isSettled || beginning.pictures.count < 2)
        guard beginning.heads.isSettled else { throw MatroskaIndexer.left("its first blocks depend on later ones") }
        try indexer.checkStart(beginning.pictures, facts)
        facts.findDisplayOrientation(atPicture: 0, of: beginning.pictures, in: file)
        if facts.codec == .h264 {
            facts.x264Build = TableOrdering.look(at: 0, beginning.pictures, facts, file)?.x264Build
        }
        (self.file, self.indexer, self.segment, self.track, self.facts) = (file, indexer, segment, track, facts)
        self.beginning = beginning
        usualDuration = Timeline.commonStep(beginning.pictures.presentationTimes.sorted(), fallback: 1)
        self.view = view
        cues = CueList(of: segment, track: track.number, reading: view)
        clusters = ClusterReader(segment, reading: view)
        guard let first = try clusters.cluster(at: segment.firstCluster) else {
            throw MatroskaIndexer.left("its first cluster has no time")
        }
        locator = PlaceLocator(
            clusters, in: view, first: TimedPlace(offset: first.offset, time: first.time), end: clusters.end)
    }

    /// The number of bytes after the end of what is read that headers of the last pictures may need.
    private static let blockHead: Int64 = 4096

    /// Reads blocks up to an offset, which are requested at once.
    private static func read(_ blocks: inout BlockScanRange, to end: Int64, _ file: MediaSource) throws(ScrubError) {
        let end = min(file.byteCount, end)
        if blocks.end < end { file.expect([blocks.end..<min(file.byteCount, end + blockHead)]) }
        // At the end of the file, the reader also finds the end of the segment.
        try blocks.read(to: end == file.byteCount ? .max : end)
        try file.check(pictureCount: blocks.pictures.count)
    }

    package func first() throws(ScrubError) -> FilmStretch {
        var stretch = FilmStretch(start: segment.firstCluster, isFirst: true)
        try take(beginning, into: &stretch)
        return stretch
    }

    package func stretch(at place: Int64) throws(ScrubError) -> FilmStretch {
        guard place > segment.firstCluster else { return try first() }
        var stretch = FilmStretch(start: place, isFirst: false)
        stretch.blocks = beginning.beginning(at: place)
        return stretch
    }

    package mutating func place(for time: Int64) throws(ScrubError) -> Int64 {
        while let number = cues.last(notAfter: time) {
            let (cue, next) = (cues.cues[number], cues.next(after: cues.cues[number].cluster))
            // The pictures from there on are read next.
            let group = next.map {
                share(of: $0.cluster - cue.cluster, to: time - cue.time, of: $0.time - cue.time)
            }
            let length = max(step, group ?? 0) + MatroskaStretches.blockHead
            view.expect([cue.cluster..<cue.cluster + min(file.byteCount - cue.cluster, length)])
            if let place = try check(number) { return place }
        }
        return try locator.place(for: time).offset
    }

    package mutating func place(before place: Int64, distance: Int64) throws(ScrubError) -> Int64? {
        guard place > segment.firstCluster else { return nil }
        // If the next cue before it was not enough, more are skipped each time.
        let limit = distance <= MatroskaStretches.nearDistance ? place : max(segment.firstCluster + 1, place - distance)
        while let number = cues.last(before: limit) ?? cues.last(before: place) {
            if let earlier = try check(number) { return earlier }
        }
        return try locator.place(before: place, distance: distance)?.offset
    }

    /// Returns the cluster that a cue names. A cue without a cluster that begins at its time or earlier is removed.
    private mutating func check(_ number: Int) throws(ScrubError) -> Int64? {
        let cue = cues.cues[number]
        if let found = try clusters.cluster(at: cue.cluster), found.time <= cue.time { return cue.cluster }
        cues.remove(number)
        return nil
    }

    package mutating func lastPlace() throws(ScrubError) -> Int64 { try locator.lastPlace().offset }

    package func extend(_ stretch: inout FilmStretch, to goal: StretchGoal) throws(ScrubError) {
        guard var blocks = stretch.blocks.take() else { return }
        let wanted =
            switch goal {
            case .more: blocks.end
            case .time(let time): estimate(of: blocks, from: stretch.start, time)
            case .end: file.byteCount
            }
        let known = blocks.pictures.count
        // The index of a long stretch is made less often.
        let length = blocks.end - stretch.start
        guard length <= MatroskaStretches.limit else {
            throw MatroskaIndexer.left("no picture can be decoded in \(length) bytes")
        }
        try MatroskaStretches.read(&blocks, to: max(blocks.end + max(step, length / 4), wanted), file)
        if blocks.pictures.count > known || blocks.isLast {
            try take(blocks, into: &stretch)
        } else {
            (stretch.blocks, stretch.end) = (blocks, blocks.end)
        }
    }

    /// Returns the offset up to which the pictures before a time presumably extend, from the times of the cues around
    /// it.
    private func estimate(of blocks: BlockScanRange, from start: Int64, _ time: Int64) -> Int64 {
        let last = blocks.pictures.presentationTimes.last ?? cues.time(at: start)
        guard let last, let next = cues.next(after: max(start, blocks.end)), time > last, next.time > last else {
            return blocks.end
        }
        return blocks.end + share(of: next.cluster - blocks.end, to: time - last, of: next.time - last)
    }

    /// Returns the part of some bytes that presumably contains the pictures up to a time, and those that may be shown
    /// before the next one.
    private func share(of bytes: Int64, to time: Int64, of span: Int64) -> Int64 {
        let slack = MatroskaStretches.laterPictures * min(usualDuration, 1 << 40)
        return Int64(min(1, (Double(time) + Double(slack)) / Double(max(1, span))) * Double(max(0, bytes)))
    }

    /// Makes a stretch's index.
    private func take(_ blocks: BlockScanRange, into stretch: inout FilmStretch) throws(ScrubError) {
        let pictures = blocks.pictures
        (stretch.blocks, stretch.end, stretch.isLast) = (blocks, blocks.end, blocks.isLast)
        stretch.index = nil
        guard let key = pictures.flags.firstIndex(where: { $0.contains(.key) }) else { return }
        try indexer.checkTimes(pictures.suffix(from: key), facts)
        let index = try indexer.makeIndex(BlockScan(blocks, segment, track), facts) { _ throws(ScrubError) in 1 }
        if index.frameCount > 0 { stretch.index = index }
    }

    package func end(of tail: FilmStretch, after first: FilmStretch) throws(ScrubError) -> Int64? {
        guard let own = tail.blocks, var whole = first.blocks else { throw MatroskaIndexer.left("nothing was read") }
        var place = 0
        if tail.start > first.start {
            place = whole.pictures.count
            try whole.append(own)
        } else {
            whole = own
        }
        let pictures = whole.pictures
        let shown = (place..<pictures.count).filter { !pictures.flags[$0].contains(.hidden) }
        guard let last = shown.max(by: { pictures.presentationTimes[$0] < pictures.presentationTimes[$1] }) else {
            return nil
        }
        // Pictures that are shown later may precede those of the last clusters.
        guard tail.isFirst || shown.count > MatroskaStretches.mostReordered else { return nil }
        try checkDistances(whole.pictures.presentationTimes, before: place)
        // The frames at the beginning show how long a frame usually is.
        let usual = first.index.map { Array($0.frames.copied(upTo: first.certainFrameCount)) } ?? []
        let duration = try indexer.lastDuration(
            usual.filter { $0 != UInt32(last) } + [UInt32(last)], BlockScan(whole, segment, track), segment,
            facts.codec)
        let (end, overflow) = pictures.presentationTimes[last].addingReportingOverflow(duration)
        guard !overflow else { throw MatroskaIndexer.left("its times are too large") }
        return end
    }
}

extension MatroskaStretches {
    /// The maximum number of pictures that precede a picture in decode order and are shown after it (ITU-T H.264
    /// A.3.1, H.265 A.4.2).
    private static let mostReordered = 16
    /// The distance in bytes up to which the next cue is tried.
    private static let nearDistance: Int64 = 512 << 10

    /// Checks that frames are evenly spaced. Otherwise, the duration of the last frame depends on all of them.
    private func checkDistances(_ times: [Int64], before tail: Int) throws(ScrubError) {
        var (least, most) = (Int64.max, Int64.min)
        for part in [times[..<tail], times[tail...]] {
            // A later picture may be shown between the last ones that were read.
            let sorted = part.sorted()
            let edge = tail == 0 ? 0 : MatroskaStretches.mostReordered
            for (time, next) in zip(sorted, sorted.dropFirst().dropLast(edge)) {
                (least, most) = (min(least, next - time), max(most, next - time))
            }
        }
        guard least > most || most - least <= 1 else {
            throw MatroskaIndexer.left("its frames have different durations, and the last one's depends on all of them")
        }
    }
}

extension ClusterReader: PlaceProber {
    /// The distance between two clusters is that at the beginning, within limits.
    var usualDistance: Int64 { min(max(firstLength ?? 0, 64 << 10), 1 << 20) }

    mutating func firstPlace(in range: Range<Int64>) throws(ScrubError) -> TimedPlace? {
        try firstCluster(in: range).map { TimedPlace(offset: $0.offset, time: $0.time) }
    }

    mutating func lastPlace(in range: Range<Int64>) throws(ScrubError) -> TimedPlace? {
        try lastCluster(in: range).map { TimedPlace(offset: $0.offset, time: $0.time) }
    }
}

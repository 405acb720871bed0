internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubLibAV
internal import ScrubBase

/// Makes an index from the tables of an MP4 or QuickTime file, without reading the media.
///
/// libavformat reads only a header without tables, to identify the streams and to set up their decoders. The tables
/// themselves give the positions of the samples, their times, and the restarts.
struct MovieIndexer {
    private let file: MediaSource
    private let rules: IndexRules

    init(_ file: MediaSource, rules: IndexRules = .init()) {
        self.file = file
        self.rules = rules
    }

    /// Makes the index.
    ///
    /// - Throws: ``TableFallbackReason`` if the tables are not enough, a `ScrubError` if nothing else is either.
    func makeIndex(requestedStream: Int?) throws -> FrameIndex {
        let movie: Movie
        do throws(ScrubError) {
            movie = try Movie(reading: file)
        } catch {
            throw TableFallbackReason(why: error.cause, reason: error.inFile(file.path))
        }
        let made: Made
        do throws(ScrubError) {
            let streams = try describe(movie)
            let stream = try StreamChoice.choose(among: streams, requested: requestedStream) {
                PictureCounts.of($0, in: file)
            }
            let tracks = movie.tracks.filter { $0.id == UInt32(clamping: stream.id) }
            if let track = tracks.first, tracks.count == 1, isReadable(track, stream) {
                made = try makeIndex(movie, track, stream, try track.sampleTable())
            } else {
                made = .unfit
            }
        } catch {
            throw error.inFile(file.path)
        }
        switch made {
        case .index(let index): return index
        case .unfit:
            throw TableFallbackReason(why: "has to be read by libavformat", reason: nil, omissions: movie.omissions)
        case .joinedOpenly(let joints):
            throw TableFallbackReason(
                why: "has edits that join open groups", reason: nil, openJoints: joints, omissions: movie.omissions)
        }
    }

    /// The result of reading a movie's tables.
    enum Made {
        case index(FrameIndex)
        /// The tables are incomplete, or their times contradict the pictures' own order.
        case unfit
        /// Only a linear decode can determine the order of pictures: ``OpenGroupEdits``.
        case joinedOpenly([Int])
    }

    func describe(
        _ movie: Movie, trackID: UInt32? = nil, sampleEntry: Int? = nil
    ) throws(ScrubError) -> [StreamDescription] {
        let header = try movie.slimHeader(trackID: trackID, sampleEntry: sampleEntry)
        let cause = "is not a movie that libavformat can read"
        do throws(AVError) {
            return try Input(bytes: header, format: "mov", of: file).streams
        } catch {
            guard movie.hasApertures else { throw error.scrubError(cause) }
        }
        // FFmpeg 7.1 rejects a movie for a clean aperture outside the picture. Here it is ignored with a warning.
        let without = try movie.slimHeader(trackID: trackID, sampleEntry: sampleEntry, leavesOutApertures: true)
        return try translatingErrors(cause) { () throws(AVError) in
            try Input(bytes: without, format: "mov", of: file).streams
        }
    }

    /// Returns whether every sample is certain to be a picture. Either the codec's samples always show one, or their
    /// headers say so in a part that need not be read, and only the bytes go to the decoder.
    func isReadable(_ track: Track, _ stream: StreamDescription) -> Bool {
        if track.sampleEntries.contains(where: \.hasPalette) || !track.isTimescaleSound { return false }
        switch VideoCodec(named: stream.codec.codecName) {
        case .h264, .hevc, .av1, .vp8, .vp9: return true
        case .mpeg1, .mpeg2, .mpeg4: return false
        case .other:
            return stream.codec.isIntraOnly && stream.codec.makesOnePictureOfEachPacket && !stream.codec.keepsState
        }
    }

    /// - Parameter growing: the first sample whose order is not checked yet, in a movie that is being written; `nil`
    ///   for others.
    func makeIndex(
        _ movie: Movie, _ track: Track, _ stream: StreamDescription, _ table: SampleTable, growing: Int? = nil
    ) throws(ScrubError) -> Made {
        if track.isProtected || table.hasSampleEncryption {
            let scheme = track.sampleEntries.compactMap(\.protectionScheme).first.map { " (\($0))" } ?? ""
            throw ScrubError(.badData, "is encrypted\(scheme)", advice: "decrypt it first: Scrub has no key for it")
        }
        guard stream.codec.hasDecoder else { throw stream.codec.noDecoder() }
        try file.check(stream.codec)
        try file.check(pictureCount: table.count)
        var sequence = try EditMapping.sequence(
            of: table, edits: track.edits, movieTimescale: movie.timescale, mediaTimescale: track.mediaTimescale)
        let whole = sequence.count
        if growing == nil { sequence.leaveOutRepeatedEnd(of: table) }
        let leftOut = whole - sequence.count
        try file.check(pictureCount: sequence.count)
        guard sequence.count > 0 else {
            throw ScrubError(
                .badData, "contains no video samples", place: .box(track.path),
                advice: "the file may be unfinished, or may not contain any video", fact: .noVideo)
        }

        let joints = rules.codecDecidesOrder ? OpenGroupEdits.all(table, sequence, stream.codec, file: file) : []
        // A remote file is not fetched as a whole for this.
        if !joints.isEmpty, growing == nil, !file.isRemote,
            ScanIndexer.Scanned.mayDecode(sequence.count, of: stream.codec)
        {
            return .joinedOpenly(joints)
        }

        var facts = StreamFacts()
        facts.container = "mov,mp4,m4a,3gp,3g2,mj2"
        facts.streamIndex = stream.index
        facts.codec = VideoCodec(named: stream.codec.codecName)
        facts.route = .direct
        facts.timeBase = Rational(1, Int64(track.mediaTimescale))
        facts.sampleAspectRatio = stream.sampleAspectRatio
        facts.displayMatrix = stream.codec.displayMatrix
        facts.cleanAperture = track.sampleEntries.first?.cleanAperture
        facts.startTimecode = movie.startTimecode(of: track, in: file)
        (facts.chosenOver, facts.alpha) = (stream.chosenOver, AlphaSource(of: track, in: movie, stream.codec))
        facts.warnings = movie.warnings + table.warnings
        let mayInherit = stream.codec.mayInheritTables
        // A writer may still fill them in.
        let written = growing == nil ? UnwrittenSamples.start(in: table, stream.codec, file) : table.count
        var pictures = codedPictures(table, sequence, stream.codec, written: written)
        facts.descriptions = try descriptions(movie, track, stream, table, sequence, &pictures)
        facts.changesParameters = facts.descriptions.count > 1
        if facts.codec != .other, !pictures.claimFirstRestart(facts, file) { return .unfit }
        // If even the first picture lacks tables, all pictures must be inspected.
        if mayInherit {
            guard SampleHead.standsAlone(0, of: pictures, stream.codec, file),
                !pictures.hintAtState(stream.codec, file)
            else { return .unfit }
        }
        // Tables do not count pictures: if samples show several pictures, all samples must be inspected.
        if SharedPackets.areFound(in: pictures, facts, file) { return .unfit }
        if let joint = joints.first {
            pictures.markUncounted(from: joint - OpenGroupEdits.mostHeldBack)
            facts.warnings.append(OpenGroupEdits.warning)
        }
        if growing == nil { facts.lacks(MissingRange(movie, track, table, written: written, file: file)) }
        // Samples that edits omit, repeat, or move are checked in track order.
        let media =
            growing.map { wholeTrack(table, $0..<table.count) }
            ?? (sequence.isPlain ? pictures : wholeTrack(table, 0..<table.count - leftOut))
        if file.isRemote, facts.codec == .h264, let first = pictures.offsets.indices.first {
            // The first picture is close to the tables now, and far from everything that is read later.
            facts.x264Build = TableOrdering.look(at: first, pictures, facts, file)?.x264Build
        }
        facts.findDisplayOrientation(atPicture: 0, of: pictures, in: file)
        if growing == nil {
            let sets = SampleSets(pictures: pictures, facts: facts, file: file)
            if sets.change() || sets.holdLongTerm() { return .unfit }
        }
        let check = ReorderCheck(pictures: media, facts: facts, file: file, mustBeReadable: false)
        if rules.codecDecidesOrder, !check.timesAreBelievable() || check.losesPictures() { return .unfit }
        let index = TableOrdering(
            facts, pictures, sectionStarts: sequence.sectionStarts, file: file, rules: rules
        )
        .makeIndex(lastDuration: sequence.lastDuration(table, of: track))
        // A wrong time moves a picture further than the sequence parameter set allows.
        if rules.codecDecidesOrder, let limit = check.reorderLimit, index.reorderDelay > limit { return .unfit }
        return .index(index)
    }

    /// Returns the samples without edits, for checking their order.
    private func wholeTrack(_ table: SampleTable, _ samples: Range<Int>) -> CodedPictures {
        var pictures = CodedPictures()
        pictures.offsets = Array(table.offsets[samples])
        pictures.sizes = Array(table.sizes[samples])
        pictures.presentationTimes = samples.map { table.compositionTime($0) }
        pictures.flags = samples.map { table.isKey($0) ? .key : [] }
        return pictures
    }

    private func codedPictures(
        _ table: SampleTable, _ sequence: EditedSequence, _ codec: CodecDescription, written: Int
    ) -> CodedPictures {
        let isIntraOnly = codec.isIntraOnly && !codec.mayInheritTables
        let showsDiscarded = codec.showsDiscardedPackets
        var pictures = CodedPictures()
        pictures.presentationTimes = sequence.pts
        if sequence.isPlain, table.isInFile, table.dependencies.isEmpty, written == table.count,
            !table.sizes.contains(0)
        {
            // The usual case: every sample occurs once, in order and complete. The columns are those of the tables.
            pictures.offsets = table.offsets
            pictures.sizes = table.sizes
            let base = isIntraOnly ? PictureFlags.verified.with(.instantaneous) : []
            pictures.flags = [PictureFlags](
                repeating: table.isAllSync ? base.union(.key) : base, count: sequence.count)
            if !table.isAllSync {
                for sample in table.keySamples() { pictures.flags[sample].insert(.key) }
            }
            return pictures
        }
        pictures.offsets.reserveCapacity(sequence.count)
        pictures.sizes.reserveCapacity(sequence.count)
        pictures.flags.reserveCapacity(sequence.count)
        let end = file.byteCount
        let base: PictureFlags = isIntraOnly ? PictureFlags.verified.with(.instantaneous) : []
        for (entry, sampleIndex) in sequence.sampleIndex.enumerated() {
            let sample = Int(sampleIndex)
            var flags = base
            if table.isKey(sample) { flags.insert(.key) }
            if sequence.discarded[entry], !showsDiscarded { flags.insert(.discarded) }
            if !table.dependencies.isEmpty, table.dependencies[sample].isDependedOn == 2 {
                flags.insert(.disposable)
            }
            let (offset, size) = (table.offsets[sample], Int64(table.sizes[sample]))
            if offset < 0 || offset > end - size || sample >= written && size > 0 {
                flags.insert(.missing)
            } else if size == 0 {
                flags.insert(.hidden)
            }
            pictures.offsets.append(offset)
            pictures.sizes.append(UInt32(truncatingIfNeeded: size))
            pictures.flags.append(flags)
        }
        return pictures
    }

    /// Returns the sample descriptions in use, numbered from 0 in the order of their first use.
    ///
    /// Only decoders of H.264 and HEVC read a new description where it begins. All others keep the first one.
    private func descriptions(
        _ movie: Movie, _ track: Track, _ stream: StreamDescription, _ table: SampleTable,
        _ sequence: EditedSequence, _ pictures: inout CodedPictures
    ) throws(ScrubError) -> [CodecDescription] {
        guard track.sampleEntries.count > 1, !table.descriptionIndexes.isEmpty,
            ["h264", "hevc"].contains(stream.codec.codecName)
        else { return [stream.codec] }
        var found: [CodecDescription] = []
        var numbers: [UInt16: UInt8] = [:]
        for sample in sequence.sampleIndex {
            let entry = table.descriptionIndexes[Int(sample)]
            if numbers[entry] == nil, found.count < 255 {
                let streams = try describe(movie, trackID: track.id, sampleEntry: Int(entry))
                let own = streams.first { $0.index == stream.index }?.codec ?? stream.codec
                numbers[entry] = UInt8(found.count)
                found.append(own)
            }
            pictures.descriptions.append(numbers[entry] ?? 0)
        }
        if found.count == 1 { pictures.descriptions = [] }
        return found
    }
}

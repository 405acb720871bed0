internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

extension VideoAsset {
    /// Copies the key pictures to a fragmented MP4 file, each to a separate fragment (ISO/IEC 14496-12, 8.8). Players
    /// show them while the user drags. The pictures are copied without being decoded or encoded, so they do not lose
    /// quality.
    ///
    /// Whether a picture is a key picture depends on its header, not on the container. Key pictures are instantaneous
    /// refreshes and the first pictures of open groups. H.264 and HEVC keep their `avcC` or `hvcC` record. For a byte
    /// stream, as in MPEG-TS, a record is made from the parameter sets. The two fields of a picture form one sample.
    /// The times are exactly those of the frames, counted from the video's first frame.
    ///
    /// The initialization followed by any one fragment decodes to that fragment's frame, and the initialization
    /// followed by all fragments in order decodes to all frames. To make this possible, the type of the first pictures
    /// of open groups is changed. In H.264, they become instantaneous refreshes with a new slice header, because their
    /// picture order counts (H.264 8.2.1) continue from pictures that are not in the file. In HEVC, they become
    /// broken-link pictures (BLA). If parameter sets change within the stream, they stay in the samples, and the sample
    /// entry is `avc3` or `hev1`.
    ///
    /// Memory: one picture at a time. The file gets its name only when it is complete. If the task is cancelled, the
    /// work ends before the next picture.
    ///
    /// - Parameters:
    ///   - path: the path of the file. A file that an earlier call wrote is replaced.
    ///   - interval: the length of an interval in seconds. Only the first key picture in each interval is copied. `nil`
    ///     means that all key pictures are copied.
    ///   - replacesFiles: whether to replace a file that no earlier call wrote. A file that is being read is never
    ///     replaced.
    /// - Throws: `usage` if the interval is not above 0 or the file must not be replaced. `unavailable` if the codec is
    ///   not H.264, HEVC, AV1 or VP9, if the stream has no decoder configuration or several, if the video has no key
    ///   picture, or if the disk is full. `badData` or `inputOutput` if a picture cannot be read or the file cannot be
    ///   written. `CancellationError` if the task was cancelled.
    public func writeKeyframeMovie(
        to path: String, every interval: Rational? = nil, replacesFiles: Bool = false
    ) async throws -> ThumbnailSets.KeyframeMovie {
        try await BlockingWork.run(.long) {
            try self.writeKeyframeMovie(to: path, every: interval, replacesFiles: replacesFiles)
        }
    }

    /// Writes the movie synchronously, on the calling thread. See the asynchronous method.
    package func writeKeyframeMovie(
        to path: String, every interval: Rational? = nil, replacesFiles: Bool = false
    ) throws(ScrubError) -> ThumbnailSets.KeyframeMovie {
        let output = try OutputFile(path, .movie, replacesFiles: replacesFiles)
        return try writeKeyframeMovie(every: interval) { () throws(ScrubError) in try AtomicFileWriter(output) }
    }

    /// Writes the movie to a set that is not complete yet.
    func writeKeyframeMovie(
        staged path: String, every interval: Rational?
    ) throws(ScrubError) -> ThumbnailSets.KeyframeMovie {
        try writeKeyframeMovie(every: interval) { () throws(ScrubError) in try AtomicFileWriter(.staged(path)) }
    }

    private func writeKeyframeMovie(
        every interval: Rational?, _ begin: () throws(ScrubError) -> AtomicFileWriter
    ) throws(ScrubError) -> ThumbnailSets.KeyframeMovie {
        do throws(ScrubError) {
            let keys = try keyFrames(every: interval)
            var reader = PacketReader(file: file, index: index)
            for keepsSets in [false, true] {
                let writer = try KeyframeMovieWriter(self, keys, keepsSets: keepsSets, reader: &reader)
                if let report = try writer.write(into: try begin(), reader: &reader) { return report }
            }
            throw ScrubError(.badData, "the parameter sets can be neither kept nor removed")
        } catch {
            throw error.inFile(self.path)
        }
    }

    /// Returns the independent frames, with no two at the same time.
    private func keyFrames(every interval: Rational?) throws(ScrubError) -> [Int] {
        if let interval, interval <= .zero {
            throw ScrubError(.usage, "the interval is \(interval.secondsText) s", advice: "use a value above 0")
        }
        let planner = seekPlanner()
        var keys: [Int] = []
        var lastSlot: Int128?
        for number in index.restarts.compactMap({ index.frame(ofPicture: Int($0)) }).sorted() {
            try Cancellation.check()
            if let last = keys.last, index.offset(ofFrame: last) >= index.offset(ofFrame: number) { continue }
            var slot: Int128?
            if let interval {
                let places = time(ofFrame: number).divided(by: interval)
                slot = places.map { Rational.floor(Int128($0.numerator), Int128($0.denominator)) }
                if slot == lastSlot { continue }
            }
            guard planner.isKeyFrame(number) else { continue }
            keys.append(number)
            lastSlot = slot
        }
        guard !keys.isEmpty else { throw ScrubError(.unavailable, "no picture can be decoded without other pictures") }
        return keys
    }
}

/// A writer that copies key pictures to a movie.
private struct KeyframeMovieWriter {
    private let asset: VideoAsset
    private let keys: [Int]
    private let times: KeyframeTimes
    private let movie: KeyframeMovie
    private let geometry: KeyframeMovie.Geometry
    private let samples: KeyframeSamples

    init(_ asset: VideoAsset, _ keys: [Int], keepsSets: Bool, reader: inout PacketReader) throws(ScrubError) {
        (self.asset, self.keys) = (asset, keys)
        let index = asset.index
        let offsets = keys.map { index.offset(ofFrame: $0) }
        let (behind, overflow) = (offsets.last ?? 0).addingReportingOverflow(1)
        guard !overflow else {
            throw ScrubError(.badData, "has times that are too large to be valid", file: asset.path)
        }
        let end = max(index.duration, behind)
        times = try KeyframeTimes(offsets, end: end, unit: index.facts.timeBase)
        let used = Set(keys.map { index.pictures.description(of: Int(index.frames[$0])) })
        guard let first = used.min(), Set(used.map { index.facts.descriptions[$0].extradata }).count == 1 else {
            throw ScrubError(
                .unavailable, "key pictures with different decoder configurations cannot be copied",
                advice: "encode the film again in one run")
        }
        let description = index.facts.descriptions[first]
        let picture = try KeyframeSamples.bytes(of: Int(index.frames[keys[0]]), in: index, reader: &reader)
        samples = try KeyframeSamples(index.facts, description, first: picture, keepsSets: keepsSets)
        geometry = KeyframeMovie.Geometry(
            width: Int(description.width), height: Int(description.height),
            sampleAspectRatio: index.facts.sampleAspectRatio
                ?? Rational(checked: Int64(description.aspectNumerator), Int64(description.aspectDenominator)),
            displayMatrix: index.facts.displayMatrix)
        movie = try KeyframeMovie(
            coding: samples.coding, geometry: geometry, timescale: times.timescale, duration: times.end)
    }

    /// Writes the movie.
    ///
    /// - Returns: `nil`, without a file, if samples have parameter sets that change within the stream and they are not
    ///   kept.
    func write(
        into begun: consuming AtomicFileWriter, reader: inout PacketReader
    ) throws(ScrubError) -> ThumbnailSets.KeyframeMovie? {
        var file = begun
        let path = file.path
        try file.append(movie.header.span)
        var entries: [ThumbnailSets.KeyframeMovie.Entry] = []
        for (place, frame) in keys.enumerated() {
            try Cancellation.check()
            let picture = Int(asset.index.frames[frame])
            let bytes = try KeyframeSamples.bytes(of: picture, in: asset.index, reader: &reader)
            guard let sample = try samples.sample(bytes, picture: picture, place: place) else { return nil }
            let start = file.byteCount
            let duration = times.duration(place)
            let head = try movie.fragmentHead(
                number: place, time: times.times[place], duration: duration, byteCount: sample.count)
            try file.append(head.span)
            try file.append(sample.span)
            entries.append(
                .init(
                    frameNumber: frame, time: asset.time(ofFrame: frame),
                    duration: Rational(Int64(duration), Int64(times.timescale)), byteRange: start..<file.byteCount))
        }
        try file.commit()
        return ThumbnailSets.KeyframeMovie(
            path: path, initialization: 0..<movie.header.count, entries: entries,
            timescale: Int(times.timescale), codec: movie.coding.codecs,
            width: geometry.width, height: geometry.height)
    }
}

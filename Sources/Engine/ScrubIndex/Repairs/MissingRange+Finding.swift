internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubLibAV
internal import ScrubMatroska
internal import ScrubBase

extension MissingRange {
    /// Creates the part that a movie's boxes and a track's table list but the file does not contain, in the track's
    /// units. `nil` if the file is complete.
    ///
    /// The check covers the samples of the table, the file's last box, and the fragments that segment indexes and the
    /// movie header announce.
    ///
    /// - Parameter written: the first sample after which all bytes are zeros, which count as missing.
    init?(_ movie: Movie, _ track: Track, _ table: SampleTable, written: Int? = nil, file: MediaSource) {
        var (pictures, bytes, duration) = (0, movie.missingBytes, Int64(0))
        let written = written ?? table.count
        if !table.isInFile || written < table.count {
            for sample in 0..<table.count {
                let isWhole = table.isWhole(sample, byteCount: file.byteCount)
                if isWhole, sample < written || table.sizes[sample] == 0 { continue }
                pictures += 1
                if isWhole { bytes = MissingRange.sum(bytes, Int64(table.sizes[sample])) }
                let next = sample + 1 < table.count ? table.dts[sample + 1] - table.dts[sample] : table.lastDuration
                duration = MissingRange.sum(duration, max(0, next))
                let end = MissingRange.sum(table.offsets[sample], Int64(table.sizes[sample]))
                bytes = max(bytes, end - min(end, file.byteCount))
            }
        }
        let end = movie.unwrittenFrom ?? file.byteCount
        for index in movie.segmentIndexes where index.trackID == track.id && index.end > end {
            bytes = max(bytes, index.end - end)
            let absent = index.references.filter { $0.offset >= end && !$0.isIndex }
            let announced = absent.reduce(Int64(0)) { MissingRange.sum($0, $1.duration) }
            let rescaled = EditMapping.rescale(announced, from: index.timescale, to: track.mediaTimescale)
            duration = MissingRange.sum(duration, rescaled)
        }
        // The length in `mehd` counts only if the file is truncated, because writers leave old values in it.
        if bytes > 0, let announced = movie.announcedDuration, let last = table.dts.last {
            let whole = EditMapping.rescale(
                Int64(clamping: announced), from: movie.timescale, to: track.mediaTimescale)
            let held = MissingRange.sum(last - min(last, table.dts.first ?? 0), table.lastDuration)
            duration = max(duration, MissingRange.sum(duration, max(0, whole - min(whole, held))))
        }
        guard pictures > 0 || bytes > 0 else { return nil }
        self.init(
            pictureCount: pictures > 0 ? pictures : nil, byteCount: bytes > 0 ? bytes : nil,
            duration: duration > 0 ? duration : nil)
    }

    /// Creates the part that a segment declares but the file does not contain, in the segment's units; `nil` if nothing
    /// is missing.
    ///
    /// - Parameters:
    ///   - isTruncated: whether the file ends inside an element.
    ///   - end: the end of the last picture.
    init?(_ segment: MatroskaSegment, isTruncated: Bool, end: Int64, file: MediaSource) {
        let bytes = segment.end.map { $0 - min($0, file.byteCount) } ?? 0
        guard isTruncated || bytes > 0 else { return nil }
        let rest = segment.duration.map { Int64($0.rounded(.down)) - min(Int64($0.rounded(.down)), max(0, end)) } ?? 0
        self.init(byteCount: bytes > 0 ? bytes : nil, duration: rest > 0 ? rest : nil)
    }

    /// Creates the missing part of a file whose packets libavformat read; `nil` if nothing is missing.
    ///
    /// - Parameters:
    ///   - packets: the number of packets of the stream, including those without bytes.
    ///   - span: the time from the first picture to the end of the last one, in time base units.
    ///   - declared: the duration that the container specifies for the file, in microseconds.
    ///   - isCut: whether the last packet is incomplete.
    ///   - tables: a movie's tables.
    init?(
        _ stream: StreamDescription, container: String, packets: Int, span: Int64, declared: Int64?, isCut: Bool,
        tables: MovieTables?, file: MediaSource
    ) {
        if let tables {
            self.init(tables.movie, tables.track, tables.table, file: file)
            return
        }
        var bytes = DeclaredSize.missingBytes(of: file, container: container)
        if container.contains("matroska"), let segment = try? MatroskaSegment(reading: file), let end = segment.end {
            bytes = end > file.byteCount ? end - file.byteCount : nil
        }
        guard bytes != nil || isCut else { return nil }
        if container == "avi", let ticks = stream.frameCount {
            // The stream's length counts ticks of its clock (OpenDML AVI 2.0, strh). Each is a picture if no chunk has
            // been without one so far. libavformat itself shortens the duration if bytes are missing.
            let rest = Int64(ticks) - min(Int64(ticks), max(0, span))
            let isEven = span == Int64(packets)
            self.init(
                pictureCount: isEven && rest > 0 ? Int(rest) : nil, byteCount: bytes, duration: rest > 0 ? rest : nil)
            return
        }
        let whole = declared.flatMap { Rational(checked: $0, 1_000_000)?.divided(by: stream.timeBase) }
            .map { Int64(clamping: $0.scaledDown(1)) }
        let rest = whole.map { $0 - min($0, max(0, span)) } ?? 0
        self.init(byteCount: bytes, duration: rest > 0 ? rest : nil)
    }

    private static func sum(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }
}

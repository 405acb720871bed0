internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubMatroska
internal import ScrubBase

/// The end time of the last picture of a stream, from information outside the packets of libavformat.
struct StreamEnd: Sendable {
    /// The time on the clock of the packets, in time base units.
    var time: Int64
    /// The number of pictures by which the container's value may be too late, if its writer counted from decode times.
    var tolerance: Int64 = 0
    /// Whether the last picture may have the duration of one of its fields, as some writers of H.264 give it.
    var mayBeField = false

    /// Returns the end that a file specifies; `nil` if there is no reliable one, for example because part of the file
    /// is missing.
    ///
    /// - Parameters:
    ///   - streams: all streams of the file.
    ///   - declared: the duration that the container specifies for the file, in microseconds.
    ///   - tables: a movie's tables.
    static func find(
        _ stream: StreamDescription, among streams: [StreamDescription], declared: Int64?,
        scanned: ScanIndexer.Scanned, facts: StreamFacts, tables: MovieTables?, file: MediaSource
    ) -> StreamEnd? {
        guard facts.missing == nil, let first = scanned.firstTime else { return nil }
        let mayBeField = PictureParser(codec: facts.codec, extradata: stream.codec.extradata).mayHoldFields
        if let tables { return tables.end.map { StreamEnd(time: $0, mayBeField: mayBeField) } }
        switch facts.container {
        case "avi": return ofChunks(stream, scanned, file).map { StreamEnd(time: $0, mayBeField: mayBeField) }
        case "ogg":
            // The time of the last page. Pictures that repeat the previous one are packets without bytes (Theora I
            // Specification, 7.1).
            guard let whole = stream.duration, case (let end, false) = first.addingReportingOverflow(whole) else {
                return nil
            }
            return StreamEnd(time: end)
        case "asf" where streams.count == 1 && DeclaredSize.isWhole(file, container: "asf"): break
        case "matroska,webm" where (try? MatroskaSegment(reading: file)).map(isTold) ?? false: break
        default: return nil
        }
        // The duration is that of the whole file and therefore of its only stream. A file of unknown size is still
        // being written or was truncated. Matroska's duration counts from 0 (RFC 9559, 5.1.2.10), ASF's from the first
        // picture.
        let units = declared.flatMap { Rational(checked: $0, 1_000_000)?.divided(by: stream.timeBase) }
            .map { Int64(clamping: $0.scaledDown(1)) }
        let start = facts.container == "asf" ? first : 0
        guard let units, case (let end, false) = start.addingReportingOverflow(units) else { return nil }
        return ofOnlyStream(end, codec: facts.codec, delay: Int(stream.codec.videoDelay))
    }

    /// Returns the end that a header specifies for its only stream.
    ///
    /// - Parameter delay: the number of pictures that a decoder delays, for codecs for which it is not otherwise known.
    static func ofOnlyStream(_ time: Int64, codec: VideoCodec, delay: Int = 0) -> StreamEnd {
        // The maximum number of pictures that these decoders delay (ITU-T H.264 A.3.1, H.265 A.4.2).
        let most = codec == .h264 || codec == .hevc ? 16 : max(0, min(16, delay))
        return StreamEnd(time: time, tolerance: 1 + Int64(most))
    }

    /// Returns the end of the last chunk of an AVI stream.
    private static func ofChunks(
        _ stream: StreamDescription, _ scanned: ScanIndexer.Scanned, _ file: MediaSource
    ) -> Int64? {
        guard scanned.isDirect, let last = scanned.pictures.decodeTimes.last, last != CodedPictures.noTime,
            let place = scanned.pictures.offsets.last, let size = scanned.pictures.sizes.last
        else { return nil }
        // A chunk is padded to an even number of bytes.
        let start = place + Int64(size) + Int64(size % 2)
        return last &+ 1 &+ EmptyChunks.count(from: start, ofStream: stream.index, in: file)
    }

    /// Returns whether a segment's duration is that of its only track.
    static func isTold(by segment: MatroskaSegment) -> Bool {
        segment.tracks.count == 1 && segment.end != nil && segment.duration != nil
    }

    /// Returns the duration of a picture that begins at the given time and would otherwise last for one step.
    func stay(of shown: Int64, orElse step: Int64) -> Int64 {
        let (left, overflow) = time.subtractingReportingOverflow(shown)
        guard !overflow, left > 0, !mayBeField || !Timeline.isField(left, of: step) else { return step }
        let (least, isHuge) = step.multipliedReportingOverflow(by: 1 + tolerance)
        return tolerance == 0 || !isHuge && left > least ? left : step
    }
}

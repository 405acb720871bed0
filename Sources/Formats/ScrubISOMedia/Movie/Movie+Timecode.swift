package import ScrubBase

extension Movie {
    /// Returns the timecode of a track's first picture, according to the timecode track that belongs to it (QuickTime
    /// File Format, Timecode media). `nil` if there is no readable one.
    ///
    /// Reads four bytes of the media. A track's edits are not considered, so this is the label of the first sample.
    package func startTimecode(of track: Track, in source: any ByteSource) -> Timecode? {
        let own = track.timecodeTrackID.flatMap { self.track(id: $0) }
        guard let timecodes = own ?? tracks.first(where: { $0.handler == "tmcd" }),
            let entry = timecodes.sampleEntries.first, entry.format == "tmcd", entry.range.count >= 33
        else { return nil }
        // After the box's header, six reserved bytes and the data reference: reserved, flags, timescale, frame
        // duration, frames.
        let fields = entry.range.lowerBound + 16
        let flags = bigEndian32(moov.span, at: fields + 4)
        let (scale, duration) = (bigEndian32(moov.span, at: fields + 8), bigEndian32(moov.span, at: fields + 12))
        // Flag 8 means a counter of anything.
        guard flags & 8 == 0, duration > 0, let table = try? timecodes.sampleTable(), table.count > 0,
            table.sizes[0] >= 4, let bytes = try? source.read(at: table.offsets[0], count: 4), bytes.count == 4
        else { return nil }
        let number = Int(bigEndian32(bytes.span, at: 0))
        let nominal = Int(moov[fields + 16])
        guard
            let rate = Timecode.Rate.all.first(where: { rate in
                rate.nominal == nominal
                    && Int64(scale) * rate.framesPerSecond.denominator
                        == Int64(duration) * rate.framesPerSecond.numerator
            }) ?? Timecode.Rate.all.first(where: { $0.nominal == nominal && !$0.isNTSC })
        else { return nil }
        return Timecode(frameNumber: number, rate: rate, isDropFrame: flags & 1 != 0 && rate.supportsDropFrame)
    }
}

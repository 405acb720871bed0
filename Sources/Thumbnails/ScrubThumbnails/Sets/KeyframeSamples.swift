internal import ScrubBitstream
internal import ScrubISOMedia
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

/// Coded pictures in MP4's form.
struct KeyframeSamples: Sendable {
    /// The coding of the samples.
    let coding: KeyframeCoding
    private let framing: NALFraming?
    private let conversion: ByteStreamConversion?
    private let isHEVC: Bool
    private let refresh: H264InstantRefresh?
    /// The parameter sets that are removed from samples; `nil` if they are kept.
    private let sets: InBandSets?

    /// Finds or creates the decoder's configuration.
    ///
    /// - Parameters:
    ///   - first: the first key picture's bytes.
    ///   - keepsSets: whether parameter sets are kept in samples, because they change within the stream.
    /// - Throws: `unavailable` for a codec that cannot be copied, or without a configuration.
    init(_ facts: StreamFacts, _ description: CodecDescription, first: [UInt8], keepsSets: Bool) throws(ScrubError) {
        let extradata = description.extradata
        let colors = KeyframeCoding.Colors(
            primaries: UInt16(clamping: description.colorPrimaries),
            transfer: UInt16(clamping: description.colorTransfer),
            matrix: UInt16(clamping: description.colorMatrix),
            // AVCOL_RANGE_JPEG.
            isFullRange: description.colorRange == 2)
        var conversion: ByteStreamConversion?
        var framing: NALFraming?
        switch facts.codec {
        case .h264, .hevc:
            let found = NALFraming(codec: facts.codec, extradata: extradata.span)
            framing = found
            var record = extradata
            if found == .annexB {
                // The record's sets are removed from samples, which is valid only as long as they do not change.
                guard !facts.changesParameters else {
                    throw ScrubError(.unavailable, "the parameters change within the byte stream")
                }
                guard
                    let made = ByteStreamConversion(
                        codec: facts.codec, extradata: extradata.span, picture: first.span)
                else {
                    throw ScrubError(.unavailable, "the byte stream does not begin with a complete parameter set")
                }
                (record, conversion) = (made.record, made)
            }
            // Sets that change are kept in the samples, which only these two sample entries allow.
            let names: (FourCC, FourCC) = facts.codec == .h264 ? ("avc1", "avc3") : ("hvc1", "hev1")
            coding = try KeyframeCoding(
                format: keepsSets ? names.1 : names.0, configuration: record, colors: colors)
        case .av1:
            guard extradata.first == 0x81 else {
                throw ScrubError(.unavailable, "the AV1 stream has no decoder configuration (av1C)")
            }
            coding = try KeyframeCoding(format: "av01", configuration: extradata, colors: colors)
        case .vp9:
            guard let made = VP9Configuration(first.span) else {
                throw ScrubError(.unavailable, "the VP9 key picture's header cannot be described by a vpcC box")
            }
            var colors = colors
            if colors.matrix == 2 { colors.matrix = UInt16(made.matrix) }
            colors.isFullRange = made.isFullRange
            coding = try KeyframeCoding(
                format: "vp09",
                // Version 1 and no flags; no initialization data.
                configuration: [
                    1, 0, 0, 0, made.profile, made.level,
                    made.bitDepth << 4 | made.chroma << 1 | (made.isFullRange ? 1 : 0),
                    UInt8(clamping: colors.primaries), UInt8(clamping: colors.transfer), UInt8(clamping: colors.matrix),
                    0, 0,
                ], colors: colors)
        case .vp8, .mpeg1, .mpeg2, .mpeg4, .other:
            throw ScrubError(
                .unavailable, "\(description.codecName) key pictures cannot be copied into MP4",
                advice: "H.264, HEVC, AV1 and VP9 are supported")
        }
        (self.framing, self.conversion, isHEVC) = (framing, conversion, facts.codec == .hevc)
        let record = coding.configuration
        let hasSets = framing != nil && !keepsSets
        sets = hasSets ? InBandSets(codec: facts.codec, record: record.span) : nil
        refresh = facts.codec == .h264 ? H264InstantRefresh(record: record.span) : nil
    }

    /// Returns a coded picture's bytes in MP4's form.
    ///
    /// - Parameters:
    ///   - picture: its number in the stream, for errors.
    ///   - place: its index among the key pictures.
    /// - Returns: the bytes; `nil` if it has parameter sets that are missing from the configuration, and they are not
    ///   kept.
    /// - Throws: `unavailable` for start codes if the stream's own record declares lengths.
    func sample(_ bytes: [UInt8], picture: Int, place: Int) throws(ScrubError) -> [UInt8]? {
        var sample = try plainSample(bytes, picture: picture)
        if let sets {
            guard let stripped = sets.stripped(sample.span) else { return nil }
            sample = stripped
        }
        guard var refresh else { return sample }
        return refresh.sample(sample.span, number: place) ?? sample
    }

    private func plainSample(_ bytes: [UInt8], picture: Int) throws(ScrubError) -> [UInt8] {
        if let conversion {
            let sample = conversion.sample(bytes.span)
            return isHEVC ? KeyframeSamples.brokenLink(sample, lengthSize: 4) : sample
        }
        guard let framing, case .lengthPrefixed(let size) = framing else { return bytes }
        if ByteStreamConversion.isByteStream(bytes.span, framing: framing) {
            throw ScrubError(
                .unavailable, "has start codes, but the file declares length prefixes", place: .codedPicture(picture))
        }
        return isHEVC ? KeyframeSamples.brokenLink(bytes, lengthSize: size) : bytes
    }

    /// Changes the slices of a CRA picture to those of a BLA picture (H.265 7.4.2.2). The pictures between it and the
    /// previous key picture are missing, and only the order counts of a BLA picture start over (8.3.1). Slices of both
    /// have the same syntax, so only the type in the unit's header changes.
    private static func brokenLink(_ sample: [UInt8], lengthSize: Int) -> [UInt8] {
        var sample = sample
        var position = 0
        while sample.count - position > lengthSize {
            let length = sample[position..<position + lengthSize].reduce(0) { $0 << 8 | Int($1) }
            position += lengthSize
            let (cra, bla): (UInt8, UInt8) = (21, 18)
            if length > 0, sample[position] >> 1 & 63 == cra { sample[position] = sample[position] & 0x81 | bla << 1 }
            guard length <= sample.count - position else { break }
            position += length
        }
        return sample
    }

    /// Returns the bytes of a coded picture as in its container, including those of its second field.
    static func bytes(
        of picture: Int, in index: FrameIndex, reader: inout PacketReader
    ) throws(ScrubError) -> [UInt8] {
        var packet = try translatingErrors("a packet cannot be allocated") { () throws(AVError) in try Packet() }
        var bytes: [UInt8] = []
        for number in index.hasSecondField(picture) ? [picture, picture + 1] : [picture] {
            try reader.read(number, into: &packet)
            unsafe packet.bytes.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        }
        return bytes
    }
}

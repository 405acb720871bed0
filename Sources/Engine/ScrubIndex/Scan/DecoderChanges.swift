internal import ScrubBitstream
internal import ScrubLibAV

// The reactions of MPEG-1, -2 and -4 decoders, and those of HEVC, to a sequence that changes on the way. Such streams
// are joined recordings, and broadcasts that change between 4:3 and 16:9. An encoder that MPEG-4's user data names on
// the way counts as such a change too.
extension ScanIndexer.Scanned {
    /// Whether only a linear decode can tell which pictures come out.
    func mustBeDecoded(_ codec: VideoCodec) -> Bool {
        codec == .mpeg4 && (changesParameters || !packingBreaks.isEmpty) || isShownFromWithin(codec)
            || decoderChanges.contains { $0.change == .discards }
    }

    /// Whether a decoder shows pictures before the first restart: of MPEG-1 and -2 if it knows the sequence, of MPEG-4
    /// always. All others wait for a restart.
    private func isShownFromWithin(_ codec: VideoCodec) -> Bool {
        guard startsWithin else { return false }
        switch codec {
        case .mpeg4: return true
        case .mpeg1, .mpeg2:
            let restart = pictures.flags.firstIndex(where: StreamStart.isRestart) ?? pictures.count
            return parameterSetCarriers.contains { $0 < restart }
        case .h264, .hevc, .av1, .vp8, .vp9, .other: return false
        }
    }

    /// Whether the stream begins within a group.
    var startsWithin: Bool {
        pictures.flags.first { !$0.contains(.hidden) }.map { !StreamStart.isRestart($0) } ?? false
    }

    /// Whether a linear decode is to tell facts that the headers do not.
    func mustBeDecoded(_ codec: VideoCodec, _ description: CodecDescription) -> Bool {
        if isShownFromWithin(codec) { return Self.mayDecode(pictures.count, of: description) }
        if mustBeDecoded(codec) || jumpsFrameNumbers { return true }
        if firstEndWithin != nil || firstMisread != nil { return Self.mayDecode(pictures.count, of: description) }
        return lacksOrder(codec) && Self.mayDecode(pictures.count, of: description)
    }

    /// Whether a linear decode of so many pictures is not too long to wait for an index.
    static func mayDecode(_ count: Int, of description: CodecDescription) -> Bool {
        // The heads of H.264's slices are enough, and cost next to nothing. Of HEVC everything is decoded.
        if VideoCodec(named: description.codecName) == .h264 { return true }
        let (area, isLarge) = Int(description.width).multipliedReportingOverflow(by: Int(description.height))
        let (samples, isLarger) = max(1, area).multipliedReportingOverflow(by: count)
        return !isLarge && !isLarger && samples <= Self.mostDecodedSamples
    }

    /// About eleven minutes of 1080p25, which decode in a few. A longer stream gets no exact frames behind a header
    /// that can't be read.
    private static let mostDecodedSamples = 1 << 35
}

extension CodedPictures {
    /// Marks pictures that a linear decode does not hand out because its decoder is set up again. They are the one that
    /// waits to be shown, and the leading pictures of an open group.
    mutating func markLost(_ scanned: ScanIndexer.Scanned) {
        guard scanned.surveyedOrder == nil else { return }
        func isAnchor(_ number: Int) -> Bool {
            flags[number].isDisjoint(with: [.hidden, .secondField]) && !scanned.isBidirectional[number]
        }
        for (picture, loss) in scanned.losses where loss == .waiting {
            // The picture that is broken off in its second field began with the packet before.
            let own = flags[picture].contains(.secondField) ? max(0, picture - 1) : picture
            if let lost = flags.indices[..<own].last(where: isAnchor) { flags[lost].insert(.hidden) }
        }
        for (picture, change) in scanned.decoderChanges {
            let waiting = flags.indices[..<picture].last(where: isAnchor)
            if change == .delay {
                // One picture comes twice, or another never: counting the pictures that come out gives other numbers
                // from here on.
                for uncertain in (waiting ?? picture)..<flags.count { flags[uncertain].insert(.misplaced) }
            }
            guard case .anew(let losesWaiting, let losesLeading) = change else { continue }
            if losesWaiting, let waiting { flags[waiting].insert(.hidden) }
            guard losesLeading else { continue }
            for leading in flags.indices[(picture + 1)...] {
                if isAnchor(leading) { break }
                if scanned.isBidirectional[leading] { flags[leading].insert(.undecodable) }
            }
        }
    }

    /// Marks pictures that decoders begin in vain, or not at all: they push nothing out, and so are marked before the
    /// order is looked for.
    mutating func markBrokenOff(_ scanned: ScanIndexer.Scanned) {
        guard scanned.surveyedOrder == nil else { return }
        for (picture, loss) in scanned.losses where loss == .own { flags[picture].insert(.hidden) }
    }

    /// Marks the pictures of a packed MPEG-4 stream that are out of step. The marks go from a plane that is lost, or
    /// comes late, to the next restart.
    mutating func markOutOfStep(_ scanned: ScanIndexer.Scanned) {
        var end = 0
        for start in scanned.packingBreaks where start >= end {
            end = flags.indices[(start + 1)...].first { flags[$0].randomAccess != .none } ?? flags.count
            for picture in start..<end { flags[picture].insert(.misplaced) }
        }
    }

    /// Takes restarts away where decoders come to other pictures than those that were there before. Those lie behind a
    /// change that decoders do not follow, until they are set up again.
    mutating func dropRestarts(of scanned: ScanIndexer.Scanned) {
        for (number, (picture, change)) in scanned.decoderChanges.enumerated() where change == .ignored {
            let next = scanned.decoderChanges[(number + 1)...].first {
                if case .anew = $0.change { true } else { false }
            }
            for behind in picture..<(next?.picture ?? flags.count) where flags[behind].randomAccess != .none {
                flags[behind] = flags[behind].with(.inexact)
            }
        }
    }

    /// Marks the pictures after a change whose output is unknown. They are in a stream that is still being written, and
    /// behind the end of an HEVC sequence in a forbidden place.
    mutating func markUncertain(_ scanned: ScanIndexer.Scanned, _ codec: VideoCodec, order: [UInt32]) {
        let isSurveyed = scanned.surveyedOrder != nil
        if scanned.lacksOrder(codec) || !scanned.openJoints.isEmpty
            || codec.beginsAnywhere && scanned.firstRepeat != nil
        {
            markUnread(scanned, order: order)
        }
        // Of a stream that begins within a group the decoder may show the picture that it has made up, too.
        let isUnknown = isSurveyed ? scanned.showsMadeUpStart : scanned.mustBeDecoded(codec)
        if codec.beginsAnywhere && isUnknown || !scanned.openJoints.isEmpty && !isSurveyed { markUncounted(from: 0) }
        if !isSurveyed, let unknown = scanned.firstEndWithin ?? scanned.firstMisread { markUncounted(from: unknown) }
        // Of H.264 it depends on where a decoder began what it makes of pictures near a joint.
        if codec == .h264 {
            for joint in scanned.openJoints {
                let near = joint - OpenJoints.mostHeldBack..<joint + OpenJoints.mostHeldBack
                for picture in near.clamped(to: 0..<flags.count) { flags[picture].insert(.misplaced) }
            }
        }
        let first = scanned.decoderChanges.first { $0.change == .unproven || ($0.change == .discards && !isSurveyed) }
        guard let first else { return }
        // Those that wait there are of the sequence before, or of an earlier one where that is shorter than a decoder's
        // buffer.
        let start = scanned.sequenceStarts.last { $0 < first.picture - CodedPictures.longestBuffer } ?? 0
        for picture in flags.indices[start...] { flags[picture].insert(.misplaced) }
    }

    /// The decoded picture buffer holds at most 16 pictures (ITU-T H.265 A.4.2).
    private static let longestBuffer = 16
}

internal import ScrubBitstream
internal import ScrubLibAV

// The reactions of MPEG-1, -2, -4, and HEVC decoders to a sequence that changes within the stream. Such streams are
// joined recordings, and broadcasts that change between 4:3 and 16:9. If MPEG-4 user data names an encoder within the
// stream, that also counts as a change.
extension ScanIndexer.Scanned {
    /// Returns whether only a linear decode can determine which pictures are output.
    func mustBeDecoded(_ codec: VideoCodec) -> Bool {
        codec == .mpeg4 && (changesParameters || !packingBreaks.isEmpty) || isShownFromWithin(codec)
            || decoderChanges.contains { $0.change == .discards }
    }

    /// Returns whether a decoder shows pictures before the first restart: for MPEG-1 and -2 if it knows the sequence,
    /// and for MPEG-4 always. All other decoders wait for a restart.
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

    /// Returns whether a linear decode is needed for information that the headers do not contain.
    func mustBeDecoded(_ codec: VideoCodec, _ description: CodecDescription) -> Bool {
        if isShownFromWithin(codec) { return Self.mayDecode(pictures.count, of: description) }
        if mustBeDecoded(codec) || jumpsFrameNumbers { return true }
        if firstEndWithin != nil || firstMisread != nil { return Self.mayDecode(pictures.count, of: description) }
        return lacksOrder(codec) && Self.mayDecode(pictures.count, of: description)
    }

    /// Returns whether a linear decode of a number of pictures is short enough to wait for an index.
    static func mayDecode(_ count: Int, of description: CodecDescription) -> Bool {
        // For H.264, the slice headers are enough, and cost almost nothing. For HEVC, everything is decoded.
        if VideoCodec(named: description.codecName) == .h264 { return true }
        let (area, isLarge) = Int(description.width).multipliedReportingOverflow(by: Int(description.height))
        let (samples, isLarger) = max(1, area).multipliedReportingOverflow(by: count)
        return !isLarge && !isLarger && samples <= Self.mostDecodedSamples
    }

    /// About eleven minutes of 1080p25, which take a few minutes to decode. A longer stream gets no exact frames after
    /// a header that cannot be read.
    private static let mostDecodedSamples = 1 << 35
}

extension CodedPictures {
    /// Marks pictures that a linear decode does not output because its decoder is reconfigured. These are the picture
    /// that is waiting to be shown and the leading pictures of an open group.
    mutating func markLost(_ scanned: ScanIndexer.Scanned) {
        guard scanned.surveyedOrder == nil else { return }
        func isAnchor(_ number: Int) -> Bool {
            flags[number].isDisjoint(with: [.hidden, .secondField]) && !scanned.isBidirectional[number]
        }
        for (picture, loss) in scanned.losses where loss == .waiting {
            // The picture that is truncated in its second field began with the previous packet.
            let own = flags[picture].contains(.secondField) ? max(0, picture - 1) : picture
            if let lost = flags.indices[..<own].last(where: isAnchor) { flags[lost].insert(.hidden) }
        }
        for (picture, change) in scanned.decoderChanges {
            let waiting = flags.indices[..<picture].last(where: isAnchor)
            if change == .delay {
                // One picture is output twice, or another one never, so from here on, counting output pictures gives
                // different numbers.
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

    /// Marks pictures that decoders begin but do not complete, or do not begin. They do not push out any other picture,
    /// so they are marked before the order is determined.
    mutating func markBrokenOff(_ scanned: ScanIndexer.Scanned) {
        guard scanned.surveyedOrder == nil else { return }
        for (picture, loss) in scanned.losses where loss == .own { flags[picture].insert(.hidden) }
    }

    /// Marks the pictures of a packed MPEG-4 stream that are out of step, from a lost or late VOP up to the next
    /// restart.
    mutating func markOutOfStep(_ scanned: ScanIndexer.Scanned) {
        var end = 0
        for start in scanned.packingBreaks where start >= end {
            end = flags.indices[(start + 1)...].first { flags[$0].randomAccess != .none } ?? flags.count
            for picture in start..<end { flags[picture].insert(.misplaced) }
        }
    }

    /// Removes restarts from which decoders output pictures other than a linear decode does. These restarts follow a
    /// change that decoders ignore until they are reconfigured.
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

    /// Marks the pictures after a change whose output is unknown. These are in a stream that is still being written, or
    /// after an HEVC end of sequence in a forbidden position.
    mutating func markUncertain(_ scanned: ScanIndexer.Scanned, _ codec: VideoCodec, order: [UInt32]) {
        let isSurveyed = scanned.surveyedOrder != nil
        if scanned.lacksOrder(codec) || !scanned.openJoints.isEmpty
            || codec.beginsAnywhere && scanned.firstRepeat != nil
        {
            markUnread(scanned, order: order)
        }
        // In a stream that begins within a group, the decoder may also show the picture that it generated.
        let isUnknown = isSurveyed ? scanned.showsMadeUpStart : scanned.mustBeDecoded(codec)
        if codec.beginsAnywhere && isUnknown || !scanned.openJoints.isEmpty && !isSurveyed { markUncounted(from: 0) }
        if !isSurveyed, let unknown = scanned.firstEndWithin ?? scanned.firstMisread { markUncounted(from: unknown) }
        // In H.264, the handling of pictures near a joint depends on where the decoder began.
        if codec == .h264 {
            for joint in scanned.openJoints {
                let near = joint - OpenGroupEdits.mostHeldBack..<joint + OpenGroupEdits.mostHeldBack
                for picture in near.clamped(to: 0..<flags.count) { flags[picture].insert(.misplaced) }
            }
        }
        let first = scanned.decoderChanges.first { $0.change == .unproven || ($0.change == .discards && !isSurveyed) }
        guard let first else { return }
        // The pictures waiting there belong to the previous sequence, or to an earlier one if that is shorter than a
        // decoder's buffer.
        let start = scanned.sequenceStarts.last { $0 < first.picture - CodedPictures.longestBuffer } ?? 0
        for picture in flags.indices[start...] { flags[picture].insert(.misplaced) }
    }

    /// The decoded picture buffer holds at most 16 pictures (ITU-T H.265 A.4.2).
    private static let longestBuffer = 16
}

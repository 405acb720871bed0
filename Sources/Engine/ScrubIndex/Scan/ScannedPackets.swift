internal import ScrubBitstream
internal import ScrubLibAV

extension ScanIndexer {
    /// The facts about packets that are needed for ordering and restarts.
    struct Scanned {
        var pictures = CodedPictures()
        var durations: [Int64] = []
        /// Picture order counts of H.264 and HEVC. A picture whose headers do not contain one has that of the previous
        /// picture.
        var orderCounts: [Int64] = []
        /// The pictures, in decode order, whose headers do not show for certain when they are displayed (H.264, HEVC).
        var unread: [Int] = []
        var isBidirectional: [Bool] = []
        /// HEVC pictures whose order count equals that of another one that decoders may hold.
        var repeatedOrders: [Int] = []
        /// HEVC pictures that arrive after decoders have output a picture that follows them.
        var late: [Int] = []
        /// Pictures that begin a coded video sequence.
        var sequenceStarts: [Int] = []
        /// HEVC leading pictures that can be decoded after a restart (RADL).
        var decodableLeading: Set<Int> = []
        var changesParameters = false
        /// H.264: whether `frame_num` jumps where gaps are not allowed (7.4.3). libavcodec generates pictures that it
        /// considers lost, and then outputs fewer pictures than there are.
        var jumpsFrameNumbers = false
        var isDirect = true
        /// The number of pictures in packed packets whose separate packet has not arrived yet.
        var owedPictures = 0
        /// The demuxer's positions, which replace the offsets if one packet cannot be located.
        var demuxPositions: [Int64] = []
        /// The dependencies of the pictures, from one instantaneous restart to the next; `nil` for direct streams.
        var dependencies: [DependencyTable] = []
        /// Pictures whose packets contain parameter sets.
        var parameterSetCarriers: Set<Int> = []
        /// The packets in the order in which a decoder output their pictures; `nil` if the headers are enough.
        var surveyedOrder: [UInt32]?
        /// H.264: the pictures that a linear decode outputs; `nil` if there was no reason to determine them.
        var comingOut: Set<UInt32>?
        /// The number of pictures that were output before a linear decode output one that was not produced by a packet.
        var firstRepeat: Int?
        /// The positions at which edits join open groups.
        var openJoints: [Int] = []
        /// Whether a decoder began within a group and output a picture twice, so that one of them may be one that it
        /// generated.
        var showsMadeUpStart = false
        /// Whether the stream's B pictures are known. They are shown at once, while other pictures wait for the next
        /// one that is not B.
        var followsAnchorRule = false
        /// Whether packets that produce no picture are detected.
        var findsEmptyPackets = true
        /// The number of packets without bytes, or without any picture in them: the previous picture is repeated.
        var emptyPackets = 0
        /// The end of the last of them, in time base units.
        var emptyEnd: Int64?
        /// Whether the last packet is incomplete.
        var endsInPacket = false
        /// The pictures at which sequence headers change a decoder's configuration (MPEG-1, MPEG-2).
        var decoderChanges: [(picture: Int, change: CodedPicture.DecoderChange)] = []
        /// The pictures within which decoders give up, and what is lost (MPEG-1, MPEG-2).
        var losses: [(picture: Int, loss: CodedPicture.Loss)] = []
        /// AV1: the first packet whose headers could not be parsed. Decoders may output no picture for it.
        var firstMisread: Int?
        /// MPEG-4 Part 2: whether the decoding of fields depends on where the decoder began.
        var variesFieldDistance = false
        /// The last packet that is only the end of a sequence, and the first such packet that pictures follow (MPEG-1,
        /// MPEG-2).
        var lastEnd: Int?
        var firstEndWithin: Int?
        /// The packets of packed MPEG-4 for which decoders lose a VOP, or output it late.
        var packingBreaks: [Int] = []
        /// The first packet for which a decoder outputs several pictures (AV1, VP9): the others have no entry here.
        var firstShared: Int?
        /// Pictures that are interpreted wrongly by a decoder that begins there, because it lacks earlier information:
        /// the meaning of samples, or the stream's encoder.
        var heirs: [Int] = []
        /// Configurations within the stream (H.264, HEVC), besides the stream's own.
        var configurations: [[UInt8]] = []
        /// The first packet after the number of configurations exceeds what an index can number.
        var firstUnconfigured: Int?
        /// Restarts at which a new decoder has parameter sets other than those of a linear decode.
        var dependentRestarts: [Int] = []
        /// Whether some pictures have film grain, and whether it persists after the current picture.
        var (hasFilmGrain, keepsFilmGrain) = (false, false)
        /// Pictures of other codecs for which a new decoder lacks the state from earlier packets (``DecoderMemory``).
        var strangers: [Int] = []
        /// The kinds of tables that each picture defines, for codecs whose pictures may inherit tables.
        var tableKinds: [JPEGTables.Kinds] = []
        /// Whether packets carry palettes, which decoders keep.
        var carriesPalettes = false
        /// Whether packets of a codec in which each one normally produces a picture appear to produce none.
        var isSuspicious = false
    }
}

/// The properties of a stream's codec in libavcodec, which are read once and not for each packet.
struct CodecTraits: Sendable {
    let description: CodecDescription
    let mayInheritTables: Bool
    let isIntraOnly: Bool
    let hasSelfContainedKeyframes: Bool
    let showsDiscardedPackets: Bool

    init(_ description: CodecDescription) {
        self.description = description
        mayInheritTables = description.mayInheritTables
        isIntraOnly = description.isIntraOnly
        hasSelfContainedKeyframes = description.hasSelfContainedKeyframes
        showsDiscardedPackets = description.showsDiscardedPackets
    }
}

extension ScanIndexer.Scanned {
    /// Returns whether a packet produces no picture according to its format. A VP8 frame has at least three bytes (RFC
    /// 6386, 9.1), MPEG-1, 2, and 4 pictures begin with a start code, and H.264 and HEVC pictures are in slices.
    private static func isEmpty(_ packet: borrowing Packet, _ coded: CodedPicture, _ codec: VideoCodec) -> Bool {
        switch codec {
        case .vp8: packet.count < 3
        case .mpeg1, .mpeg2, .mpeg4, .h264, .hevc: coded.pictureCount == 0 && !coded.isNotCoded
        case .av1, .vp9, .other: false
        }
    }

    /// Returns whether a packet has no data for a decoder, which would only report an error, and therefore no number
    /// among the pictures.
    mutating func leavesOut(_ packet: borrowing Packet, _ coded: CodedPicture, _ codec: VideoCodec) -> Bool {
        guard findsEmptyPackets, Self.isEmpty(packet, coded, codec), !coded.carriesParameterSets,
            codec != .mpeg4 || owedPictures == 0
        else { return false }
        // For MPEG-1 and MPEG-2, packets without a picture still matter: group headers, user data, the end of a
        // sequence.
        if codec == .mpeg1 || codec == .mpeg2 { return false }
        noteEmpty(packet)
        return true
    }

    /// Counts a packet that shows the previous picture again.
    mutating func noteEmpty(_ packet: borrowing Packet) {
        emptyPackets += 1
        guard let time = packet.pts ?? packet.dts else { return }
        let (end, overflow) = time.addingReportingOverflow(max(0, packet.duration))
        if !overflow { emptyEnd = max(emptyEnd ?? end, end) }
    }

    /// Adds the facts of the headers of a codec without a parser to the last recorded packet.
    mutating func note(_ look: PictureTypes.Look) {
        let number = pictures.count - 1
        switch look {
        case .unknown: break
        case .suspicious: isSuspicious = true
        case .incomplete: pictures.flags[number].insert(.corrupt)
        case .anchor: followsAnchorRule = true
        case .bidirectional(let isDecodable):
            followsAnchorRule = true
            isBidirectional[number] = true
            if !isDecodable { pictures.flags[number].insert(.hidden) }
        case .empty:
            if findsEmptyPackets { pictures.flags[number] = pictures.flags[number].union(.hidden).with(.none) }
        }
    }

    /// Adds the decoder state to the last recorded packet.
    mutating func note(_ entry: DecoderMemory.Entry) {
        let number = pictures.count - 1
        if !entry.beginsAlike { strangers.append(number) }
        if entry.makesNoPicture, findsEmptyPackets {
            pictures.flags[number] = pictures.flags[number].union(.hidden).with(.none)
        }
    }

    /// The time at which the first packet is shown, in time base units.
    var firstTime: Int64? {
        let times =
            pictures.presentationTimes.contains { $0 != CodedPictures.noTime }
            ? pictures.presentationTimes : pictures.decodeTimes
        return times.lazy.filter { $0 != CodedPictures.noTime }.min()
    }

    /// The time from the first picture to the end of the last one, in time base units.
    var span: Int64 {
        var (first, last) = (Int64.max, Int64.min)
        for picture in 0..<pictures.count {
            var time = pictures.presentationTimes[picture]
            if time == CodedPictures.noTime, !pictures.decodeTimes.isEmpty { time = pictures.decodeTimes[picture] }
            guard time != CodedPictures.noTime else { continue }
            first = min(first, time)
            let (end, overflow) = time.addingReportingOverflow(max(0, durations[picture]))
            last = max(last, overflow ? .max : end)
        }
        let (span, overflow) = last.subtractingReportingOverflow(first)
        return first > last ? 0 : overflow ? .max : span
    }

    /// Applies a decoder's result to the packets: a packet without a picture is neither a frame nor a restart.
    ///
    /// - Parameters:
    ///   - order: the numbers of the packets, in the order in which their pictures were output.
    ///   - showsAgain: whether a picture was output twice.
    mutating func take(_ order: [UInt32], showsAgain: Bool) {
        showsMadeUpStart = startsWithin && showsAgain
        var isMade = [Bool](repeating: false, count: pictures.count)
        let order = order.filter { Int($0) < pictures.count }
        for picture in order {
            isMade[Int(picture)] = true
            // Only a decoder can tell which packet represents which VOP of a packed stream that is out of step.
            if !packingBreaks.isEmpty { pictures.flags[Int(picture)].remove(.hidden) }
        }
        for picture in isMade.indices where !isMade[picture] {
            pictures.flags[picture] = pictures.flags[picture].union(.hidden).with(.none)
        }
        surveyedOrder = order
    }

    /// Records a packet's film grain message.
    ///
    /// - Returns: whether a decoder that begins there lacks the grain of an earlier message.
    private mutating func inheritsFilmGrain(_ coded: CodedPicture) -> Bool {
        let inherits = keepsFilmGrain && coded.filmGrain == .untold
        switch coded.filmGrain {
        case .untold: break
        case .given: (hasFilmGrain, keepsFilmGrain) = (true, true)
        case .cancelled: keepsFilmGrain = false
        }
        return inherits
    }

    /// Records a packet.
    mutating func append(
        _ packet: borrowing Packet, coded: CodedPicture, codec: VideoCodec, _ traits: CodecTraits
    ) {
        let number = pictures.count - 1
        // Packed MPEG-4: a packet includes the next B picture, which a later empty packet represents. Decoders assign
        // that packet's timestamp to the B picture.
        let isEmpty = findsEmptyPackets && Self.isEmpty(packet, coded, codec)
        let carriesOwed = codec == .mpeg4 && (coded.isNotCoded || isEmpty) && owedPictures > 0
        var flags: PictureFlags = [.verified]
        if packet.isKey { flags.insert(.key) }
        if packet.isDiscarded, !traits.showsDiscardedPackets { flags.insert(.discarded) }
        if packet.isCorrupt { flags.insert(.corrupt) }
        var access = coded.randomAccess
        if packet.carriesPalette { carriesPalettes = true }
        let inheritsGrain = inheritsFilmGrain(coded)
        if coded.inheritsSignalType || coded.inheritsState || coded.inheritsLongTerm || inheritsGrain {
            heirs.append(number)
        }
        if firstShared == nil, coded.isShared(codec) { firstShared = number }
        if coded.decoderChange != .none { decoderChanges.append((number, coded.decoderChange)) }
        if coded.loss != .none { losses.append((number, coded.loss)) }
        if coded.breaksPacking { packingBreaks.append(number) }
        if codec == .av1, !coded.isUnderstood, firstMisread == nil { firstMisread = number }
        if coded.endsSequence { lastEnd = number }
        if firstEndWithin == nil, coded.pictureCount > 0 { firstEndWithin = lastEnd }
        if traits.mayInheritTables {
            let tables = traits.description.tables(of: packet.bytes)
            access = tables.isWhole ? .instantaneous : .none
            tableKinds.append(tables.defined)
        } else if traits.isIntraOnly {
            access = .instantaneous
        } else if codec == .other {
            // There is no parser for the headers of these codecs: only the container's flag is available, and it is
            // sufficient only if the format does not let a keyframe inherit anything.
            access = packet.isKey ? (traits.hasSelfContainedKeyframes ? .open : .inexact) : .none
        } else {
            if isEmpty {
                if !carriesOwed { flags.insert(.hidden) }
                access = .none
            } else if coded.isUnderstood {
                if !coded.isReference { flags.insert(.disposable) }
                if !coded.isShown, !carriesOwed { flags.insert(.hidden) }
                if coded.isSecondField { flags.insert(.secondField) }
            } else {
                access = .none
            }
        }
        if access == .gradual { pictures.recoveryCounts[UInt32(number)] = UInt32(clamping: coded.recoveryCount) }
        pictures.flags.append(flags.with(access))
        pictures.sizes.append(UInt32(clamping: packet.count))
        pictures.presentationTimes.append(packet.pts ?? CodedPictures.noTime)
        pictures.decodeTimes.append(packet.dts ?? CodedPictures.noTime)
        durations.append(packet.duration)
        isBidirectional.append(coded.pictureType == .b || carriesOwed)
        if codec == .mpeg4 { owedPictures += carriesOwed ? -1 : max(0, coded.pictureCount - 1) }
        if coded.repeatsOrder { repeatedOrders.append(number) }
        if coded.isLate { late.append(number) }
        if coded.startsSequence { sequenceStarts.append(number) }
        if coded.leading == .decodable { decodableLeading.insert(number) }
        if coded.carriesItsParameterSets { parameterSetCarriers.insert(number) }
        if !configurations.isEmpty { pictures.descriptions.append(UInt8(configurations.count)) }
        guard codec == .h264 || codec == .hevc else { return }
        let isShown = flags.isDisjoint(with: [.hidden, .secondField])
        if !isEmpty, !coded.isUnderstood || isShown && coded.orderCount == nil { unread.append(number) }
        // Hidden pictures are not part of the order.
        orderCounts.append(coded.orderCount.map { Int64($0) } ?? (isShown ? orderCounts.last ?? 0 : 0))
    }
}

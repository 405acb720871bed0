internal import ScrubBitstream
internal import ScrubLibAV

extension ScanIndexer {
    /// The facts of the packets, as far as ordering and restarts need them.
    struct Scanned {
        var pictures = CodedPictures()
        var durations: [Int64] = []
        /// Picture order counts of H.264 and HEVC. A picture whose headers don't tell its own has that of the one
        /// before.
        var orderCounts: [Int64] = []
        /// The pictures, in the order of decoding, whose headers don't tell for sure when they show (H.264, HEVC).
        var unread: [Int] = []
        var isBidirectional: [Bool] = []
        /// HEVC pictures whose order count is that of another one that decoders may hold.
        var repeatedOrders: [Int] = []
        /// HEVC pictures that come when decoders have output one that follows them.
        var late: [Int] = []
        /// Pictures that begin a coded video sequence.
        var sequenceStarts: [Int] = []
        /// HEVC leading pictures that can be decoded after a restart (RADL).
        var decodableLeading: Set<Int> = []
        var changesParameters = false
        /// H.264: whether `frame_num` jumps where gaps are not allowed (7.4.3). libavcodec makes up pictures that it
        /// takes for lost, and hands out fewer pictures behind it than there are.
        var jumpsFrameNumbers = false
        var isDirect = true
        /// Pictures of packed packets that no packet of their own has stood for yet.
        var owedPictures = 0
        /// The demuxer's positions, which take the place of the offsets when one packet cannot be located.
        var demuxPositions: [Int64] = []
        /// The dependencies of the pictures, from one instantaneous restart to the next; `nil` for direct streams.
        var dependencies: [DependencyTable] = []
        /// Pictures whose packet brings parameter sets along.
        var parameterSetCarriers: Set<Int> = []
        /// Packets in the order in which a decoder made pictures of them; nil where the headers say enough.
        var surveyedOrder: [UInt32]?
        /// Of H.264: the pictures that come out of a linear decode; `nil` if there was no reason to find out.
        var comingOut: Set<UInt32>?
        /// The number of pictures that had come out before a linear decode handed out one that no packet made.
        var firstRepeat: Int?
        /// The places at which edits join open groups.
        var openJoints: [Int] = []
        /// Whether a decoder began within a group and handed out a picture twice, so that one of them may be the one it
        /// made up.
        var showsMadeUpStart = false
        /// Whether the stream's B pictures are known, which show at once while all others wait for the next of them.
        var followsAnchorRule = false
        /// Whether packets that make no picture are looked for.
        var findsEmptyPackets = true
        /// Packets without bytes, or without any picture in them: the picture before is repeated.
        var emptyPackets = 0
        /// The end of the last of them, in time base units.
        var emptyEnd: Int64?
        /// Whether the last packet is not all there.
        var endsInPacket = false
        /// The places at which sequence headers change a decoder's set-up (MPEG-1, MPEG-2).
        var decoderChanges: [(picture: Int, change: CodedPicture.DecoderChange)] = []
        /// The places at which decoders give up within a picture, and their losses (MPEG-1, MPEG-2).
        var losses: [(picture: Int, loss: CodedPicture.Loss)] = []
        /// AV1: the first packet whose headers could not be parsed. Decoders may output no picture for it.
        var firstMisread: Int?
        /// MPEG-4 Part 2: whether the decoding of fields depends on where the decoder began.
        var variesFieldDistance = false
        /// The last packet that is only the end of a sequence, and the first such packet that pictures follow (MPEG-1,
        /// MPEG-2).
        var lastEnd: Int?
        var firstEndWithin: Int?
        /// Packets of packed MPEG-4 of which a plane is lost in decoders, or comes out late.
        var packingBreaks: [Int] = []
        /// The first packet of which a decoder shows several pictures (AV1, VP9): the others have no entry here.
        var firstShared: Int?
        /// Pictures that a decoder which begins there takes for something else, because of earlier facts: the meaning
        /// of samples, or the stream's encoder.
        var heirs: [Int] = []
        /// Configurations that the container has within the stream (H.264, HEVC), besides the stream's own.
        var configurations: [[UInt8]] = []
        /// The first packet after the number of configurations exceeds what an index can number.
        var firstUnconfigured: Int?
        /// Restarts where a new decoder has different parameter sets than a linear decode.
        var dependentRestarts: [Int] = []
        /// Whether some pictures have film grain, and whether it persists after the current picture.
        var (hasFilmGrain, keepsFilmGrain) = (false, false)
        /// Pictures of other codecs where a new decoder lacks the state from earlier packets (``DecoderMemory``).
        var strangers: [Int] = []
        /// Of codecs whose pictures may inherit tables: which kinds each defines.
        var tableKinds: [JPEGTables.Kinds] = []
        /// Whether packets carry palettes, which decoders keep.
        var carriesPalettes = false
        /// Whether packets of a codec that otherwise makes a picture of each look as if they made none.
        var isSuspicious = false
    }
}

/// What libavcodec says of a stream's codec, asked once and not for each packet.
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
    /// Whether a packet makes no picture, by its format. A VP8 frame has three bytes at least (RFC 6386, 9.1), MPEG-1,
    /// 2 and 4 pictures begin with a start code, and H.264 and HEVC pictures are in slices.
    private static func isEmpty(_ packet: borrowing Packet, _ coded: CodedPicture, _ codec: VideoCodec) -> Bool {
        switch codec {
        case .vp8: packet.count < 3
        case .mpeg1, .mpeg2, .mpeg4, .h264, .hevc: coded.pictureCount == 0 && !coded.isNotCoded
        case .av1, .vp9, .other: false
        }
    }

    /// Whether a packet has nothing for a decoder, and so no place among the pictures: it would only complain.
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

    /// Adds the facts of the headers of a codec without a parser of its own to the packet that was recorded last.
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

    /// The time at which the first packet shows, in time base units.
    var firstTime: Int64? {
        let times =
            pictures.presentationTimes.contains { $0 != CodedPictures.noTime }
            ? pictures.presentationTimes : pictures.decodeTimes
        return times.lazy.filter { $0 != CodedPictures.noTime }.min()
    }

    /// From the first picture to the end of the last one, in time base units.
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

    /// Takes over a decoder's result for the packets: a packet without a picture is neither a frame nor a restart.
    ///
    /// - Parameters:
    ///   - order: the packets' numbers, in the order in which their pictures came out.
    ///   - showsAgain: whether a picture came out twice.
    mutating func take(_ order: [UInt32], showsAgain: Bool) {
        showsMadeUpStart = startsWithin && showsAgain
        var isMade = [Bool](repeating: false, count: pictures.count)
        let order = order.filter { Int($0) < pictures.count }
        for picture in order {
            isMade[Int(picture)] = true
            // Which packet stands for which plane of a packed stream that is out of step only a decoder knows.
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

    /// Writes down one packet.
    mutating func append(
        _ packet: borrowing Packet, coded: CodedPicture, codec: VideoCodec, _ traits: CodecTraits
    ) {
        let number = pictures.count - 1
        // Packed MPEG-4: a packet brings the next B picture along, and an empty one later stands for it: that is the
        // packet whose stamp decoders put on the B picture.
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
            // Nothing here reads these codecs' headers: the container's word is all there is, and good enough only
            // where the format leaves a keyframe nothing to inherit.
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
        // Hidden pictures take no part in the order.
        orderCounts.append(coded.orderCount.map { Int64($0) } ?? (isShown ? orderCounts.last ?? 0 : 0))
    }
}

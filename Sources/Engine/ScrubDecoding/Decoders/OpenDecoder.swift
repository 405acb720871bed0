internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

/// A decoder that stays open between requests and knows its position. It makes no decisions: the caller chooses the
/// packets, and pictures are identified by their packets' numbers. After every packet, the caller pulls ready pictures
/// with ``next()`` until there are none. Errors are stored with the number of the packet that was being fed. Use from
/// one thread at a time.
final class OpenDecoder {
    /// The findings since the restart.
    struct Findings: Sendable {
        /// The first complaint about each packet.
        var complaints: [Int: String] = [:]
        /// The number of coded pictures given to the decoder.
        var fed = 0
        /// Whether there was no memory for a picture. If so, later findings do not describe the file.
        var isStarved = false

        /// Records the first complaint about a packet; later ones are usually its consequences.
        mutating func complain(of number: Int, _ words: String) {
            if complaints[number] == nil { complaints[number] = words }
        }
    }

    private let index: FrameIndex
    private var decoder: Decoder
    private var packet: Packet
    private var frame: Frame
    /// The description that the decoder was last given.
    private var description: Int
    /// A number that distinguishes this run's pictures from stale ones that the decoder still holds after a flush.
    private var epoch: Int64 = 0
    /// Whether the decoder was full and gets the packet after its pictures have been pulled.
    private var isPacketWaiting = false
    /// The packet to which errors refer.
    private var current = 0
    /// Whether a picture was full range. H.264 decoders keep it across sequences that do not specify a range
    /// (``CodedPicture/inheritsSignalType``).
    private var hasSeenFullRange = false
    /// `AVCOL_RANGE_JPEG`.
    private static let fullRange: UInt32 = 2
    /// The options with which the decoder was opened.
    private let options: Decoder.Options
    private let allocator: FrameAllocator?
    /// The problems of packets that are known before decoding.
    private var watch: PacketValidator
    /// The picture at which the current or last run began.
    private var runStart = 0
    /// Whether the run began at an open restart.
    private var beginsOpen = false
    /// Whether pictures shown before the restart are dropped, because they need earlier pictures.
    private var skipsLeading = false
    /// Whether the decoder was told that no more packets follow.
    private var hasEnded = false

    /// The packets fed since the restart; `nil` if the decoder has no position.
    private(set) var fed: FedPacketLog?
    private(set) var findings = Findings()
    private var missing = MissingReferences(isExpected: false)
    /// The padding for which the decoder was opened; `nil` if it detects the padding itself.
    var padding: PaddingEvidence?
    /// The cost of the decoder's last task, counted from the restart.
    var coldCost = 0

    /// Opens a decoder.
    ///
    /// - Throws: `unavailable` if libavcodec cannot open it.
    init(
        index: FrameIndex, options: Decoder.Options, description: Int, allocator: FrameAllocator?
    ) throws(ScrubError) {
        let codec = index.facts.descriptions[description]
        packet = try translatingErrors("a packet cannot be allocated") { () throws(AVError) in try Packet() }
        frame = try translatingErrors("a frame cannot be allocated") { () throws(AVError) in try Frame() }
        decoder = try codec.opened(options, allocator: allocator)
        self.index = index
        self.description = description
        (self.options, self.allocator) = (options, allocator)
        watch = PacketValidator(index, description: description)
    }

    /// Opens a decoder whose pictures do not depend on previous memory contents, at a restart.
    ///
    /// - Parameter reorderDelay: the delay that the file specifies, or that was detected.
    /// - Throws: `unavailable` if libavcodec cannot open it.
    convenience init(
        repeatableFrom restart: Int, start: DecodePlan.Start, index: FrameIndex, reorderDelay: Int? = nil,
        reader: inout PacketReader, allocator: FrameAllocator?
    ) throws(ScrubError) {
        var options = Decoder.Options()
        options.isRepeatable = true
        options.reorderDelay = reorderDelay ?? index.reorderDelay
        options.x264Build = reader.encoderBuild()
        try self.init(
            index: index, options: options, description: index.pictures.description(of: restart), allocator: allocator)
        // A decoder that has seen damage cannot continue: damaged pictures are found one at a time.
        var witnesses = index.facts.codec == .mpeg4 ? Array(0..<min(OpenDecoder.paddingCount, restart)) : []
        for attempt in 1...OpenDecoder.paddingAttempts where !witnesses.isEmpty {
            guard let unsound = try learnPadding(from: witnesses, reader: &reader) else { break }
            witnesses.removeAll { $0 == unsound }
            // If the stream is known to pad correctly, stray bits after a picture are damage.
            options.needsNoWorkarounds = reader.padding() != nil
            if options.needsNoWorkarounds || attempt == OpenDecoder.paddingAttempts { witnesses = [] }
            decoder = try index.facts.descriptions[description].opened(options, allocator: allocator)
            findings = Findings()
        }
        begin(at: restart, start: start)
    }

    /// The number of pictures that an MPEG-4 decoder should have decoded: one that ends without any padding outweighs
    /// sixteen. Each is fed once, as in a linear decode, so that a fault in any of them has the same weight.
    private static let paddingCount = 24
    private static let paddingAttempts = 6

    /// Feeds an MPEG-4 decoder the first pictures, so that it interprets trailing bits as a linear decode does: as a
    /// faulty encoder's padding, or as damage (`padding_bug_score` of h263dec.c). Returns the first damaged picture.
    private func learnPadding(from witnesses: [Int], reader: inout PacketReader) throws(ScrubError) -> Int? {
        for number in witnesses {
            do throws(ScrubError) {
                try reader.read(number, into: &packet)
            } catch {
                if error.code == .inputOutput { throw error }
                return number
            }
            packet.identify(as: OpenDecoder.noPicture, isKey: index.pictures.flags[number].contains(.key))
            isPacketWaiting = true
            send()
            while next() != nil {}
            guard isClean else { return number }
        }
        decoder.flush()
        return nil
    }

    /// Whether nothing since the restart contradicts the pictures.
    var isClean: Bool { findings.complaints.isEmpty && !findings.isStarved }
    /// The number of pictures that the decoder holds back because it decodes others at the same time.
    var threadDelay: Int { decoder.threadDelay }
    /// Whether the decoder's pictures use the allocator's memory.
    var usesAllocator: Bool { decoder.usesAllocator }
    /// The picture at which the run began; `nil` if the decoder has no position.
    var restart: Int? { fed?.restart }
    /// The last packet that was fed, in decode order.
    var position: Int { fed?.position ?? -1 }

    /// Restarts at a plan's restart. Everything before it is discarded.
    func begin(_ plan: FeedPlan) {
        begin(
            FedPacketLog(restart: plan.plan.restart, table: plan.table), isSparse: plan.isProven, start: plan.plan.start
        )
    }

    /// Restarts at a restart from which every packet will be fed.
    private func begin(at restart: Int, start: DecodePlan.Start) {
        begin(FedPacketLog(restart: restart), isSparse: false, start: start)
    }

    /// Makes the decoder forget the pictures that it has seen. If a flush is not enough, opens another decoder.
    ///
    /// - Returns: the reason if this failed.
    private func forget() -> String? {
        decoder.flush()
        guard index.decodersKeepState || index.facts.codec == .h264 && hasSeenFullRange else { return nil }
        do throws(AVError) {
            decoder = try Decoder(index.facts.descriptions[description], options, allocator: allocator)
            hasSeenFullRange = false
            return nil
        } catch {
            return "a new decoder cannot be opened: \(error.reason)"
        }
    }

    /// Begins a run.
    ///
    /// - Parameters:
    ///   - isSparse: whether only the packets that the targets need will be fed.
    ///   - start: the start of the run; pictures after an open restart may refer to earlier ones.
    private func begin(_ packets: FedPacketLog, isSparse: Bool, start: DecodePlan.Start) {
        let isOpen = start == .restart(.open)
        beginsOpen = isOpen
        // A shown AV1 key frame refreshes every slot (7.20), so nothing before it can matter, and dav1d's flush is
        // expensive. Pictures of the previous run are recognized by their number.
        let restartsCleanly = index.facts.codec == .av1 && isSparse && !hasEnded && isClean
        let failure = epoch > 0 && !restartsCleanly ? forget() : nil
        (hasEnded, isPacketWaiting) = (false, false)
        epoch += 1
        (fed, runStart) = (packets, packets.restart)
        watch.begin(at: packets.restart, start: start)
        findings = Findings()
        _ = decoder.takeRefusals()
        if let failure { findings.complain(of: packets.restart, failure) }
        skipsLeading = isSparse && isOpen && index.facts.codec == .h264
        decoder.showUnrecovered(skipsLeading)
        // Complaints with these prefixes do not count: a decoder that is given only the packets of a picture misses the
        // rest.
        let expected: String?
        switch index.facts.codec {
        // h264_refs.c, if a picture to be forgotten was before the restart and therefore does not exist.
        case .h264 where isOpen: expected = "mmco: unref short failure"
        // mpegvideo_dec.c, for streams that begin with a P picture over gray, as all H.261 streams do; a linear decode
        // does the same.
        case .other where packets.restart == 0 && index.facts.descriptions[description].codecName == "h261":
            expected = "warning: first frame is no keyframe"
        default: expected = nil
        }
        decoder.forgetErrors(expected: expected)
        missing = MissingReferences(isExpected: isSparse && index.facts.codec == .hevc)
    }

    /// Continues through a restart from which every packet will be fed. Earlier packets no longer matter.
    ///
    /// - Parameter isSelfContained: whether all of the decoder's messages count from then on.
    func pass(restart: Int, isSelfContained: Bool) {
        fed = FedPacketLog(restart: restart)
        guard isSelfContained else { return }
        decoder.expectErrors(nil)
        missing = MissingReferences(isExpected: false)
        watch.pass()
    }

    /// Records a packet that is not given to the decoder because its picture is shown before the restart.
    ///
    /// - Throws: an error if reading fails because of the system.
    func skip(_ number: Int, reader: inout PacketReader) throws(ScrubError) {
        guard watch.isOfSkippedPackets else { return }
        do throws(ScrubError) {
            try reader.read(number, into: &packet)
        } catch {
            if error.code == .inputOutput { throw error }
            return
        }
        watch.skip(number, packet)
    }

    /// Requests that only these pictures of the current run are output, so that others may be skipped; `nil` for all.
    func handOutOnly(_ numbers: [Int]?) {
        let epoch = epoch
        decoder.handOutOnly(numbers?.map { epoch << 32 | Int64($0) })
    }

    /// Adopts a table that describes the next packets.
    func learn(_ table: DependencyTable?) { fed?.learn(table) }

    /// Gives the decoder one packet, or the needed part of it. The caller then pulls ready pictures with ``next()``.
    ///
    /// - Precondition: all previously ready pictures were pulled.
    /// - Throws: an error if reading fails because of the system; damage in the file is a complaint.
    func feed(_ feed: Feed, reader: inout PacketReader) throws(ScrubError) {
        let number = feed.picture
        if beginsOpen, index.leads(number, into: runStart) {
            fed?.take(feed)
            fed?.release(number)
            current = number
            return
        }
        do throws(ScrubError) {
            try reader.read(number, into: &packet)
            fed?.take(feed)
            current = number
        } catch {
            // The decoder's position is unchanged: the same packet may be read later.
            if error.code == .inputOutput { throw error }
            fed?.take(feed)
            current = number
            findings.complain(of: number, error.cause)
            return
        }
        if let words = watch.complaint(about: number, packet) { findings.complain(of: number, words) }
        do throws(AVError) {
            try packet.omit(feed.omitted)
        } catch {
            throw error.scrubError("out of memory")
        }
        if let padding, padding.isContradicted(by: packet) {
            findings.complain(of: number, "its encoder differs from the one at the start of the stream")
        }
        if missing.isExpected, let isIgnored = missing.change(before: number, in: fed) {
            decoder.expectErrors(isIgnored ? MissingReferences.words : nil)
        }
        try announceDescription(of: number)
        packet.identify(as: epoch << 32 | Int64(number), isKey: index.pictures.flags[number].contains(.key))
        findings.fed += feed.unitCount
        isPacketWaiting = true
        send()
    }

    /// Advances the decoder with a packet without a picture.
    ///
    /// - Returns: false if the format has no such packet.
    func push() throws(ScrubError) -> Bool {
        guard let bytes = fed?.repetition else { return false }
        current = position
        try unsafe packet.fill(count: bytes.count) { unsafe $0.copyBytes(from: bytes) }
        packet.identify(as: epoch << 32 | OpenDecoder.noPicture, isKey: false)
        isPacketWaiting = true
        send()
        return true
    }

    /// The number given to packets that are not a picture of the index.
    private static let noPicture: Int64 = 0xffff_ffff

    /// Ends the input, so that all remaining pictures can be pulled. The decoder then has no position.
    func drain() {
        current = position
        fed = nil
        hasEnded = true
        do throws(AVError) { try decoder.sendEnd() } catch { findings.complain(of: current, error.reason) }
    }

    /// Abandons the run. The decoder then has no position, and must begin again.
    func stop() { fed = nil }

    /// Sends the waiting packet. A full decoder accepts it after its pictures have been pulled.
    private func send() {
        do throws(AVError) {
            if try decoder.send(packet) != .again { isPacketWaiting = false }
        } catch {
            isPacketWaiting = false
            // The decoder's own message is more informative than its status.
            listen()
            findings.complain(of: current, error.reason)
        }
    }

    private func announceDescription(of number: Int) throws(ScrubError) {
        let wanted = index.pictures.description(of: number)
        guard wanted != description else { return }
        do throws(AVError) {
            try packet.attachExtradata(index.facts.descriptions[wanted].extradata)
            description = wanted
        } catch {
            throw error.scrubError("out of memory")
        }
    }

    /// Returns the next ready picture, or `nil` if packets must be fed first. Pictures of other runs are released.
    ///
    /// By then, everything up to the picture's own packet has been fed, so all complaints that can concern it are in
    /// the findings.
    func next() -> DecodedPicture? {
        while true {
            do throws(AVError) {
                let step = try decoder.receive(into: &frame)
                listen()
                if step == .done {
                    if let picture = try identify() { return picture }
                    continue
                }
                guard isPacketWaiting, step == .again else { return nil }
                send()
                // A second refusal would be a fault of the decoder, and ends the attempt instead of the process.
                if isPacketWaiting {
                    isPacketWaiting = false
                    findings.complain(of: current, "the decoder does not accept the rest of the picture")
                }
            } catch {
                listen()
                findings.complain(of: current, error.reason)
                return nil
            }
        }
    }

    /// Records the decoder's messages since the last call. Worker threads write at any time, even while no packet is
    /// fed.
    private func listen() {
        let errors = decoder.takeErrors()
        if errors.count > 0 { findings.complain(of: current, errors.first ?? "unknown damage") }
        for stamp in decoder.takeUndecoded() where stamp >> 32 == epoch {
            let known = stamp & 0xffff_ffff
            findings.complain(
                of: known == OpenDecoder.noPicture ? current : Int(known), "some of its blocks were never decoded")
        }
        if decoder.takeRefusals() > 0 { findings.isStarved = true }
    }

    /// Whether only the decoder can confirm the container's keyframes, because no other code reads these headers.
    private var mustConfirmKey: Bool {
        index.facts.codec == .other && !index.facts.descriptions[description].isIntraOnly && runStart > 0
    }

    /// Identifies an output picture; `nil` if it does not belong to this run or to the index.
    private func identify() throws(AVError) -> DecodedPicture? {
        guard let stamp = frame.number, stamp >> 32 == epoch, stamp & 0xffff_ffff != OpenDecoder.noPicture else {
            return nil
        }
        let picture = Int(stamp & 0xffff_ffff)
        fed?.release(picture)
        if skipsLeading, index.ranks[picture] < index.ranks[runStart] { return nil }
        if picture == runStart, mustConfirmKey, !frame.isKey {
            findings.complain(of: picture, "the container marks it as a keyframe, but it is not one")
        }
        if frame.colorRange == OpenDecoder.fullRange { hasSeenFullRange = true }
        if frame.isDamaged { findings.complain(of: picture, "the decoder reports the picture as damaged") }
        guard frame.hasSamples else { return nil }
        return DecodedPicture(number: picture, frame: SharedFrame(try frame.take()))
    }
}

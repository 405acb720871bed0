internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

/// A decoder that stays open between requests, and knows where it is.
///
/// It decides nothing: its caller chooses the packets, and pictures are known by the numbers of their packets. After
/// every packet the pictures that are ready are pulled with ``next()`` until none is left. Errors are kept with the
/// number of the packet that was fed when they came. Use from one thread at a time.
final class OpenDecoder {
    /// The findings since the restart.
    struct Findings: Sendable {
        /// The first complaint about each packet that made one.
        var complaints: [Int: String] = [:]
        /// Coded pictures given to the decoder.
        var fed = 0
        /// Whether there was no memory for a picture. Later findings say nothing about the file then.
        var isStarved = false

        /// Keeps the first complaint about a packet: later ones are usually its consequences.
        mutating func complain(of number: Int, _ words: String) {
            if complaints[number] == nil { complaints[number] = words }
        }
    }

    private let index: FrameIndex
    private var decoder: Decoder
    private var packet: Packet
    private var frame: Frame
    /// The description that the decoder was last told.
    private var description: Int
    /// Distinguishes the pictures of this run from stale ones that a decoder may still hold after a flush.
    private var epoch: Int64 = 0
    /// Whether the decoder was full, and gets the packet after its pictures were pulled.
    private var isPacketWaiting = false
    /// The packet that errors are about.
    private var current = 0
    /// Whether a picture had the full range. H.264 decoders use that even where a later sequence does not say
    /// (``CodedPicture/inheritsSignalType``), and movie tables do not tell where sequences change.
    private var hasSeenFullRange = false
    /// `AVCOL_RANGE_JPEG`.
    private static let fullRange: UInt32 = 2
    /// The options with which the decoder was opened.
    private let options: Decoder.Options
    private let allocator: FrameAllocator?
    /// The known problems of packets before they are decoded.
    private var watch: PacketWatch
    /// The picture that the present or last run began with.
    private var runStart = 0
    /// Whether that was an open restart.
    private var beginsOpen = false
    /// Whether pictures that show before the restart are dropped: they need pictures before it.
    private var skipsLeading = false
    /// Whether the decoder was told that nothing more comes.
    private var hasEnded = false

    /// The packets that were fed since the restart; `nil` if the decoder has no position.
    private(set) var fed: FedPackets?
    private(set) var findings = Findings()
    private var missing = MissingReferences(isExpected: false)
    /// The padding that the decoder was opened for; `nil` if it finds out by itself.
    var padding: PaddingWitness?
    /// The cost of its last task from the restart on.
    var coldCost = 0

    /// Opens a decoder.
    ///
    /// - Throws: `unavailable` when libavcodec cannot open it.
    init(
        index: FrameIndex, options: Decoder.Options, description: Int, allocator: FrameAllocator?
    ) throws(ScrubError) {
        let codec = index.facts.descriptions[description]
        packet = try translatingErrors("a packet cannot be made") { () throws(AVError) in try Packet() }
        frame = try translatingErrors("a frame cannot be made") { () throws(AVError) in try Frame() }
        decoder = try codec.opened(options, allocator: allocator)
        self.index = index
        self.description = description
        (self.options, self.allocator) = (options, allocator)
        watch = PacketWatch(index, description: description)
    }

    /// Opens a decoder that makes the same pictures of the same packets whatever memory held before. It begins at a
    /// restart from which every packet will be fed.
    ///
    /// - Parameter reorderDelay: the delay that the file gives, or that was found out.
    /// - Throws: `unavailable` when libavcodec cannot open it.
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
        // A decoder that has seen damage cannot go on: pictures that are not sound are found one by one.
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

    /// The number of pictures that an MPEG-4 decoder is to have seen: one that ends without any padding outweighs
    /// sixteen. Each is fed once, as in a linear decode: a fault in one of them must not weigh more than there.
    private static let paddingCount = 24
    private static let paddingAttempts = 6

    /// Gives an MPEG-4 decoder the stream's first pictures, so that it interprets bits behind a later one as a linear
    /// decode does. They are the padding of a faulty encoder, or damage (`padding_bug_score` of
    /// h263dec.c).
    ///
    /// - Returns: the first one that is not sound; `nil` when all are.
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

    /// Whether nothing that happened since the restart speaks against the pictures.
    var isClean: Bool { findings.complaints.isEmpty && !findings.isStarved }
    /// Pictures that the decoder keeps back because it decodes others at the same time.
    var threadDelay: Int { decoder.threadDelay }
    /// Whether its pictures are in the allocator's memory.
    var usesAllocator: Bool { decoder.usesAllocator }
    /// The picture that the run began with; `nil` when the decoder has no position.
    var restart: Int? { fed?.restart }
    /// The last packet, in decode order, that was fed.
    var position: Int { fed?.position ?? -1 }

    /// Begins again at a plan's restart: everything before is forgotten.
    func begin(_ plan: FeedPlan) {
        begin(
            FedPackets(restart: plan.plan.restart, table: plan.table), isSparse: plan.isProven, start: plan.plan.start)
    }

    /// Begins again at a restart from which every packet will be fed.
    private func begin(at restart: Int, start: DecodePlan.Start) {
        begin(FedPackets(restart: restart), isSparse: false, start: start)
    }

    /// Lets the decoder forget the pictures that it has seen; if a flush leaves something, by opening another one.
    ///
    /// - Returns: why that could not be.
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

    /// - Parameters:
    ///   - isSparse: whether only the packets that the targets need will be fed.
    ///   - start: the beginning of the run; pictures after an open restart know of others before it.
    private func begin(_ packets: FedPackets, isSparse: Bool, start: DecodePlan.Start) {
        let isOpen = start == .restart(.open)
        beginsOpen = isOpen
        // An AV1 key frame that is shown takes every slot (7.20): nothing before it can matter, and dav1d's flush is
        // dear. Pictures of the run before are known by their number.
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
        // Complaints that begin so do not count: a decoder that is given only the packets of a picture misses the rest.
        let expected: String?
        switch index.facts.codec {
        // h264_refs.c, when a picture is to be forgotten that stood before the restart and so is not there.
        case .h264 where isOpen: expected = "mmco: unref short failure"
        // mpegvideo_dec.c, of streams that begin with a P picture before gray, as all of H.261 do: so does a linear
        // decode.
        case .other where packets.restart == 0 && index.facts.descriptions[description].codecName == "h261":
            expected = "warning: first frame is no keyframe"
        default: expected = nil
        }
        decoder.forgetErrors(expected: expected)
        missing = MissingReferences(isExpected: isSparse && index.facts.codec == .hevc)
    }

    /// Goes on through a restart, from which every packet will be fed: earlier packets no longer matter.
    ///
    /// - Parameter isSelfContained: whether all of the decoder's messages from then on count.
    func pass(restart: Int, isSelfContained: Bool) {
        fed = FedPackets(restart: restart)
        guard isSelfContained else { return }
        decoder.expectErrors(nil)
        missing = MissingReferences(isExpected: false)
        watch.pass()
    }

    /// Takes note of a packet that the decoder is not given because its picture shows before the restart.
    ///
    /// - Throws: if reading fails because of the system.
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

    /// Says that of the present run other pictures are not looked at; they may be left out. `nil` for all.
    func handOutOnly(_ numbers: [Int]?) {
        let epoch = epoch
        decoder.handOutOnly(numbers?.map { epoch << 32 | Int64($0) })
    }

    /// Takes a table that describes the next packets.
    func learn(_ table: DependencyTable?) { fed?.learn(table) }

    /// Gives the decoder one packet, or the wanted part of it; ready pictures are then pulled with ``next()``.
    ///
    /// - Precondition: all pictures were pulled that were ready before.
    /// - Throws: if reading fails because of the system; damage in the file is a complaint.
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
            findings.complain(of: number, "it names another encoder than the stream's beginning")
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

    /// Moves the decoder on by a packet without a picture.
    ///
    /// - Returns: false where the format has no such packet.
    func push() throws(ScrubError) -> Bool {
        guard let bytes = fed?.repetition else { return false }
        current = position
        try unsafe packet.fill(count: bytes.count) { unsafe $0.copyBytes(from: bytes) }
        packet.identify(as: epoch << 32 | OpenDecoder.noPicture, isKey: false)
        isPacketWaiting = true
        send()
        return true
    }

    /// The number of packets that are not a picture of the index.
    private static let noPicture: Int64 = 0xffff_ffff

    /// Says that nothing more comes, so that everything that is left can be pulled. The decoder has no position then.
    func drain() {
        current = position
        fed = nil
        hasEnded = true
        do throws(AVError) { try decoder.sendEnd() } catch { findings.complain(of: current, error.reason) }
    }

    /// Leaves the run; it has no position then, and has to begin again.
    func stop() { fed = nil }

    /// Sends the packet that waits. A decoder that is full takes it after its pictures were pulled.
    private func send() {
        do throws(AVError) {
            if try decoder.send(packet) != .again { isPacketWaiting = false }
        } catch {
            isPacketWaiting = false
            // The decoder's own words say more than its status.
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

    /// Returns the next picture that is ready, `nil` when packets must be fed first. Pictures of other runs are let go.
    ///
    /// Everything up to the picture's own packet has been fed by then, so all complaints that can concern it are in the
    /// findings.
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
                    findings.complain(of: current, "the decoder takes no more of it")
                }
            } catch {
                listen()
                findings.complain(of: current, error.reason)
                return nil
            }
        }
    }

    /// Records the decoder's messages since the last time. Workers write at any time, also while nothing is fed.
    private func listen() {
        let errors = decoder.takeErrors()
        if errors.count > 0 { findings.complain(of: current, errors.first ?? "unknown damage") }
        for stamp in decoder.takeUndecoded() where stamp >> 32 == epoch {
            let known = stamp & 0xffff_ffff
            findings.complain(
                of: known == OpenDecoder.noPicture ? current : Int(known), "blocks of it were never decoded")
        }
        if decoder.takeRefusals() > 0 { findings.isStarved = true }
    }

    /// Whether only the decoder can tell if the container's keyframes are some: nothing else reads these headers.
    private var mustConfirmKey: Bool {
        index.facts.codec == .other && !index.facts.descriptions[description].isIntraOnly && runStart > 0
    }

    /// Identifies the picture that came out; `nil` for one that is not of this run, or not of the index.
    private func identify() throws(AVError) -> DecodedPicture? {
        guard let stamp = frame.number, stamp >> 32 == epoch, stamp & 0xffff_ffff != OpenDecoder.noPicture else {
            return nil
        }
        let picture = Int(stamp & 0xffff_ffff)
        fed?.release(picture)
        if skipsLeading, index.ranks[picture] < index.ranks[runStart] { return nil }
        if picture == runStart, mustConfirmKey, !frame.isKey {
            findings.complain(of: picture, "the container's keyframe is not a keyframe")
        }
        if frame.colorRange == OpenDecoder.fullRange { hasSeenFullRange = true }
        if frame.isDamaged { findings.complain(of: picture, "the decoder calls the picture damaged") }
        guard frame.hasSamples else { return nil }
        return DecodedPicture(number: picture, frame: SharedFrame(try frame.take()))
    }
}

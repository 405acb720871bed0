internal import Bitstream
internal import FileIO
internal import LibAV
internal import ScrubBase
internal import ScrubIndex

/// One pass through a decoder: a restart, the packets after it that somebody chose, perhaps a drain.
///
/// It decides nothing: what to feed is its caller's, and what comes out is known by its number. Errors are kept with
/// the number of the packet that was fed when they came.
struct DecodeRun: ~Copyable {
    /// What a run found out so far.
    struct Findings: Sendable {
        /// The first complaint about each packet that made one.
        var complaints: [Int: String] = [:]
        /// Coded pictures given to the decoder.
        var fed = 0

        /// Keeps the first complaint about a packet: later ones are usually its consequences.
        mutating func complain(of number: Int, _ words: String) {
            if complaints[number] == nil { complaints[number] = words }
        }
    }

    /// Takes every picture of the present run as it comes out. Everything up to its own packet has been fed by then,
    /// so all complaints that can concern it are in the findings.
    typealias Delivery = (Int, SharedFrame, Findings) throws(ScrubError) -> Void

    private let index: FrameIndex
    private var decoder: Decoder
    /// The description that the decoder was last told.
    private var description: Int
    /// Distinguishes the pictures of this run from stale ones that a decoder may still hold after a flush.
    private var epoch: Int64 = 0
    /// The picture that the present run began with.
    private var restart = 0
    private var packet: Packet
    private var frame: Frame
    /// Whether pictures that show before the restart are let go: they need what was before it.
    private var skipsLeading = false
    /// Whether the decoder was told that nothing more comes.
    private var hasEnded = false

    /// What was found since the run began.
    private(set) var findings = Findings()

    /// Opens a decoder.
    init(
        index: FrameIndex, options: Decoder.Options, description: Int, allocator: FrameAllocator? = nil
    ) throws(ScrubError) {
        let codec = index.facts.descriptions[description]
        // All that can fail comes first: a noncopyable value cannot be left half made.
        let packet = try translatingErrors("no packet") { () throws(AVError) in try Packet() }
        let frame = try translatingErrors("no frame") { () throws(AVError) in try Frame() }
        let decoder = try translatingErrors("the decoder for \(codec.codecName) cannot be opened") {
            () throws(AVError) in try Decoder(codec, options, allocator: allocator)
        }
        self.index = index
        self.description = description
        self.packet = packet
        self.frame = frame
        self.decoder = decoder
    }

    /// Pictures that the decoder keeps back because it decodes others at the same time.
    var threadDelay: Int { decoder.threadDelay }
    /// Whether its pictures are in the allocator's memory.
    var usesAllocator: Bool { decoder.usesAllocator }

    /// Begins anew at a restart: everything before is forgotten.
    ///
    /// - Parameters:
    ///   - isSparse: whether only what the targets need will be fed.
    ///   - isOpen: whether pictures after the restart know of others before it.
    mutating func begin(at restart: Int, isSparse: Bool, isOpen: Bool) {
        // An AV1 key frame that is shown takes every slot (7.20): nothing before it can matter, and dav1d's flush is
        // dear. Pictures of the run before are known by their number.
        let startsAnew = index.facts.codec == .av1 && isSparse && !hasEnded && findings.complaints.isEmpty
        if epoch > 0, !startsAnew { decoder.flush() }
        hasEnded = false
        epoch += 1
        self.restart = restart
        findings = Findings()
        skipsLeading = isSparse && isOpen && index.facts.codec == .h264
        decoder.showUnrecovered(skipsLeading)
        // Complaints that begin so are none: a decoder that is given only what a picture needs misses the rest.
        let expected: String?
        switch index.facts.codec {
        // hevc_refs.c says so of every picture of a reference picture set that it was not given, those included
        // that the present picture doesn't use. The closure has all that are used.
        case .hevc where isSparse: expected = "Could not find ref with POC"
        // h264_refs.c, when a picture is to be forgotten that stood before the restart and so is not there.
        case .h264 where isOpen: expected = "mmco: unref short failure"
        default: expected = nil
        }
        decoder.forgetErrors(expected: expected)
    }

    /// Gives the decoder one packet, or what is wanted of it, and hands out what is ready.
    ///
    /// - Throws: when reading fails because of the system, or what `deliver` throws; damage in the file is a
    ///   complaint.
    mutating func feed(
        _ feed: Feed, reader: inout PacketReader, deliver: Delivery
    ) throws(ScrubError) {
        let number = feed.picture
        do throws(ScrubError) {
            try reader.read(number, into: &packet)
        } catch {
            if error.code == .inputOutput { throw error }
            findings.complain(of: number, error.cause)
            return
        }
        do throws(AVError) {
            try packet.omit(feed.omitted)
        } catch {
            throw error.scrubError("out of memory")
        }
        if index.pictures.flags[number].contains(.corrupt) {
            findings.complain(of: number, "the container says that bytes of it are lost or wrong")
        }
        if index.pictures.flags[number].contains(.misplaced) {
            findings.complain(of: number, "its place among the frames is not certain: pictures before it are lost")
        }
        try announceDescription(of: number)
        packet.identify(as: epoch << 32 | Int64(number), isKey: index.pictures.flags[number].contains(.key))
        findings.fed += feed.unitCount
        // A decoder that is full takes the packet after its pictures were taken out; a second refusal would be a
        // fault of the decoder, and ends the attempt instead of the process.
        for _ in 0..<2 {
            var step = Decoder.Step.done
            do throws(AVError) {
                step = try decoder.send(packet)
            } catch {
                findings.complain(of: number, error.reason)
            }
            try collect(number, deliver)
            if step != .again { return }
        }
    }

    /// Gives the decoder a packet that has no picture of its own, and hands out what is ready.
    mutating func push(_ bytes: [UInt8], after last: Int, deliver: Delivery) throws(ScrubError) {
        try packet.fill(count: bytes.count) { $0.copyBytes(from: bytes) }
        packet.identify(as: epoch << 32 | DecodeRun.noPicture, isKey: false)
        do throws(AVError) { _ = try decoder.send(packet) } catch { findings.complain(of: last, error.reason) }
        try collect(last, deliver)
    }

    /// The number of packets that are no picture of the index.
    private static let noPicture: Int64 = 0xffff_ffff

    /// Says that nothing more comes, and hands out what the decoder still has. The run is over then.
    ///
    /// - Parameter last: the last packet that was fed.
    mutating func drain(after last: Int, deliver: Delivery) throws(ScrubError) {
        hasEnded = true
        do throws(AVError) { try decoder.sendEnd() } catch { findings.complain(of: last, error.reason) }
        try collect(last, deliver)
    }

    /// Whether only the decoder can tell if the container's keyframes are some: nothing else reads these headers.
    private var mustProveKey: Bool {
        index.facts.codec == .other && !index.facts.descriptions[description].isIntraOnly && restart > 0
    }

    private mutating func announceDescription(of number: Int) throws(ScrubError) {
        let wanted = index.pictures.description(of: number)
        guard wanted != description else { return }
        do throws(AVError) {
            try packet.attachExtradata(index.facts.descriptions[wanted].extradata)
            description = wanted
        } catch {
            throw error.scrubError("out of memory")
        }
    }

    /// Takes out what is ready. Pictures of other runs are let go.
    private mutating func collect(_ number: Int, _ deliver: Delivery) throws(ScrubError) {
        while true {
            var ready: (picture: Int, frame: SharedFrame)?
            do throws(AVError) {
                let step = try decoder.receive(into: &frame)
                // Workers write at any time, also while nothing is fed.
                let errors = decoder.takeErrors()
                if errors.count > 0 { findings.complain(of: number, errors.first ?? "unknown damage") }
                for stamp in decoder.takeUndecoded() where stamp >> 32 == epoch {
                    let known = stamp & 0xffff_ffff
                    findings.complain(
                        of: known == DecodeRun.noPicture ? number : Int(known), "blocks of it were never decoded")
                }
                guard step == .done else { return }
                guard let stamp = frame.number, stamp >> 32 == epoch else { continue }
                guard stamp & 0xffff_ffff != DecodeRun.noPicture else { continue }
                let picture = Int(stamp & 0xffff_ffff)
                if skipsLeading, index.ranks[picture] < index.ranks[restart] { continue }
                if picture == restart, mustProveKey, !frame.isKey {
                    findings.complain(of: picture, "the container's keyframe is none")
                }
                if frame.isDamaged { findings.complain(of: picture, "the decoder calls the picture damaged") }
                ready = (picture, SharedFrame(try frame.take()))
            } catch {
                findings.complain(of: number, error.reason)
                return
            }
            if let ready { try deliver(ready.picture, ready.frame, findings) }
        }
    }
}

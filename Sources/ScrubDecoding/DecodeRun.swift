internal import Bitstream
internal import FileIO
internal import LibAV
internal import ScrubBase
internal import ScrubIndex

/// One pass through a decoder: from a restart to the last target, then drained.
///
/// It decides nothing: the plan says what to feed, and what comes out is known by its number. Errors are kept with
/// the number of the packet that caused them.
struct DecodeRun: ~Copyable {
    /// What a run found out so far.
    struct Outcome {
        /// Targets that did not come out yet.
        var missing: Set<Int>
        /// The first complaint about each packet that made one.
        var complaints: [Int: String] = [:]
        /// Packets given to the decoder.
        var fed = 0
    }

    /// Takes a target as soon as it comes out. Everything up to its own packet has been fed by then, so all
    /// complaints that can concern it are in the outcome.
    typealias Delivery = (Int, SharedFrame, Outcome) throws(ScrubError) -> Void

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

    /// Opens a decoder.
    init(index: FrameIndex, options: Decoder.Options, description: Int) throws(ScrubError) {
        let codec = index.facts.descriptions[description]
        // All that can fail comes first: a noncopyable value cannot be left half made.
        let packet = try translatingErrors("no packet") { () throws(AVError) in try Packet() }
        let frame = try translatingErrors("no frame") { () throws(AVError) in try Frame() }
        let decoder = try translatingErrors("the decoder for \(codec.codecName) cannot be opened") {
            () throws(AVError) in try Decoder(codec, options)
        }
        self.index = index
        self.description = description
        self.packet = packet
        self.frame = frame
        self.decoder = decoder
    }

    /// Decodes `restart...last` and hands out the targets.
    ///
    /// - Returns: what was complained of, and which targets never came.
    /// - Throws: when reading fails because of the system, or what `deliver` throws; damage in the file is part of
    ///   the outcome.
    mutating func decode(
        from restart: Int, through last: Int, targets: Set<Int>, reader: inout PacketReader, deliver: Delivery
    ) throws(ScrubError) -> Outcome {
        var outcome = Outcome(missing: targets)
        epoch += 1
        self.restart = restart
        defer { decoder.flush() }
        for number in restart...last {
            let mark = Log.position
            do throws(ScrubError) {
                try reader.read(number, into: &packet)
            } catch {
                if error.code == .inputOutput { throw error }
                outcome.complaints[number] = error.cause
                continue
            }
            try announceDescription(of: number)
            packet.identify(
                as: epoch << 32 | Int64(number), isKey: index.pictures.flags[number].contains(.key))
            outcome.fed += 1
            try feed(number, since: mark, into: &outcome, deliver)
            if outcome.missing.isEmpty { return outcome }
        }
        let mark = Log.position
        do throws(AVError) { try decoder.sendEnd() } catch { outcome.complain(of: last, error.reason) }
        try collect(last, since: mark, into: &outcome, deliver)
        return outcome
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

    private mutating func feed(
        _ number: Int, since mark: UInt64, into outcome: inout Outcome, _ deliver: Delivery
    ) throws(ScrubError) {
        // A decoder that is full takes the packet after its pictures were taken out; a second refusal would be a
        // fault of the decoder, and ends the attempt instead of the process.
        for _ in 0..<2 {
            var step = Decoder.Step.done
            do throws(AVError) {
                step = try decoder.send(packet)
            } catch {
                outcome.complain(of: number, error.reason)
            }
            try collect(number, since: mark, into: &outcome, deliver)
            if step != .again { return }
        }
    }

    /// Takes out what is ready. Pictures of other runs and pictures that nobody asked for are let go.
    private mutating func collect(
        _ number: Int, since mark: UInt64, into outcome: inout Outcome, _ deliver: Delivery
    ) throws(ScrubError) {
        while true {
            var ready: (picture: Int, frame: SharedFrame)?
            do throws(AVError) {
                let step = try decoder.receive(into: &frame)
                let errors = decoder.errors(since: mark)
                if errors.count > 0 { outcome.complain(of: number, errors.first ?? "unknown damage") }
                guard step == .done else { return }
                guard let stamp = frame.number, stamp >> 32 == epoch else { continue }
                let picture = Int(stamp & 0xffff_ffff)
                if picture == restart, mustProveKey, !frame.isKey {
                    outcome.complain(of: picture, "the container's keyframe is none")
                }
                if frame.isDamaged { outcome.complain(of: picture, "the decoder calls the picture damaged") }
                guard outcome.missing.remove(picture) != nil else { continue }
                ready = (picture, SharedFrame(try frame.take()))
            } catch {
                outcome.complain(of: number, error.reason)
                return
            }
            if let ready { try deliver(ready.picture, ready.frame, outcome) }
        }
    }
}

extension DecodeRun.Outcome {
    /// Keeps the first complaint about a packet: later ones are usually its consequences.
    mutating func complain(of number: Int, _ words: String) {
        if complaints[number] == nil { complaints[number] = words }
    }
}

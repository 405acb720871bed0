internal import Bitstream
internal import FileIO
internal import Hashing
internal import LibAV
internal import ScrubBase

/// Makes an index by reading every packet of a stream once through libavformat, without decoding.
///
/// This is the way for every container whose tables don't say everything: each packet's header is parsed for what
/// kind of picture it is, and its bytes are located in the file or else fingerprinted.
struct ScanIndexer {
    /// What one packet was, as far as ordering and restarts need it.
    struct Scanned {
        var pictures = CodedPictures()
        var durations: [Int64] = []
        /// Picture order counts; nothing when one of the shown pictures has none.
        var orderCounts: [Int64]? = []
        var isBidirectional: [Bool] = []
        /// Pictures that begin a coded video sequence.
        var sequenceStarts: [Int] = []
        /// HEVC leading pictures that can be decoded after a restart (RADL).
        var decodableLeading: Set<Int> = []
        var changesParameters = false
        var isUnderstood = true
        var isDirect = true
        /// Pictures of packed packets that no packet of their own has stood for yet.
        var owedPictures = 0
        /// The demuxer's positions, which take the place of the offsets when one packet cannot be located.
        var demuxPositions: [Int64] = []
        /// What the pictures depend on, from one instantaneous restart to the next; nothing for direct streams.
        var dependencies: [DependencyTable] = []
        /// Pictures whose packet brings parameter sets along.
        var parameterSetCarriers: Set<Int> = []
    }

    private let file: FileSource
    private let pictureByteLimit: Int
    private let progress: ((Double) -> Void)?

    init(
        _ file: FileSource, pictureByteLimit: Int = FrameIndex.standardPictureByteLimit, progress: ((Double) -> Void)?
    ) {
        self.file = file
        self.pictureByteLimit = pictureByteLimit
        self.progress = progress
    }

    func makeIndex(requestedStream: Int?) throws(ScrubError) -> FrameIndex {
        let result: Result<FrameIndex, ScrubError>
        do throws(AVError) {
            var input = try Input(path: file.path)
            // Where this fails the parameters stay as the container told them; the decoder will say if that is not enough.
            try? input.findStreamInfo(pictureByteLimit: pictureByteLimit)
            result = try makeIndex(from: &input, requestedStream: requestedStream)
        } catch {
            throw error.scrubError("is not a video that libavformat can read").inFile(file.path)
        }
        return try result.get()
    }

    /// Two kinds of error leave the body; typed throws carry one, so the other one is a result.
    private func makeIndex(
        from input: inout Input, requestedStream: Int?
    ) throws(AVError) -> Result<FrameIndex, ScrubError> {
        let stream: StreamDescription
        do throws(ScrubError) {
            stream = try StreamChoice.choose(among: input.streams, requested: requestedStream)
            guard stream.codec.hasDecoder else {
                throw ScrubError(
                    .unavailable, "is \(stream.codec.codecName), which this libavcodec has no decoder for")
            }
        } catch {
            return .failure(error.inFile(file.path))
        }
        input.select(stream: stream.index)
        var facts = StreamFacts()
        facts.container = input.formatName
        facts.streamIndex = stream.index
        facts.descriptions = [stream.codec]
        facts.codec = VideoCodec(named: stream.codec.codecName)
        facts.timeBase = stream.timeBase
        facts.sampleAspectRatio = stream.sampleAspectRatio
        facts.displayMatrix = stream.codec.displayMatrix
        facts.findCleanAperture(of: stream, in: file)

        var scanned = try scan(&input, stream: stream, facts: &facts)
        if scanned.pictures.count == 0 {
            return .failure(ScrubError(.badData, "holds no video packets", file: file.path))
        }
        let decodeTimes = scanned.pictures.decodeTimes
        if scanned.isDirect {
            facts.route = .direct
            scanned.pictures.fingerprints = []
            scanned.pictures.decodeTimes = []
        } else if input.timestampsMayJump || input.hasNoTimestamps || input.formatName == "mpeg" {
            facts.route = .demuxByByte
        } else {
            facts.route = .demuxByTime
        }
        let ordering = ScanOrdering(
            stream: stream, hasNoTimestamps: input.hasNoTimestamps, decodeTimes: decodeTimes)
        return .success(ordering.makeIndex(facts: facts, scanned: scanned))
    }

    private func scan(
        _ input: inout Input, stream: StreamDescription, facts: inout StreamFacts
    ) throws(AVError) -> Scanned {
        var scanned = Scanned()
        var parser = PictureParser(codec: facts.codec, extradata: stream.codec.extradata)
        var locator = PayloadLocator(file)
        var recorder = DependencyRecorder(codec: facts.codec, extradata: stream.codec.extradata)
        /// What the packets are as restarts, while all of them are direct.
        var accesses: [RandomAccess] = []
        var packet = try Packet()
        var generation: Int?
        let total = Double(max(1, file.byteCount))
        while true {
            _ = input.takeErrors()
            do throws(AVError) {
                guard try input.read(into: &packet) else { break }
            } catch {
                // A damaged tail ends the stream as the end of the file would; what came before stays good.
                let words = input.takeErrors().first.map { ": \($0)" } ?? ""
                facts.warnings.append(
                    "reading stopped after \(scanned.pictures.count) packets, \(error.reason)\(words)")
                break
            }
            guard packet.streamIndex == stream.index, packet.count > 0 else { continue }
            let coded = parser.parse(packet.bytes)
            if facts.x264Build == nil { facts.x264Build = coded.x264Build }
            if let generation, generation != coded.parameterSetGeneration { scanned.changesParameters = true }
            generation = coded.parameterSetGeneration
            let offset = scanned.isDirect && !packet.carriesDecoderState ? locator.locate(packet) : nil
            if offset == nil, scanned.isDirect {
                scanned.isDirect = false
                recorder.record(accesses, of: scanned.pictures, from: file)
            }
            scanned.pictures.offsets.append(offset ?? packet.filePosition)
            scanned.demuxPositions.append(packet.filePosition)
            scanned.append(packet, coded: coded, codec: facts.codec, stream.codec)
            if scanned.isDirect {
                // Headers that can be read again are read when somebody asks.
                accesses.append(coded.randomAccess)
            } else {
                recorder.record(packet.bytes, access: coded.randomAccess)
            }
            if let progress, scanned.pictures.count % 256 == 0 {
                progress(min(1, Double(max(0, packet.filePosition)) / total))
            }
        }
        if !scanned.isDirect { scanned.pictures.offsets = scanned.demuxPositions }
        scanned.dependencies = recorder.finish()
        // A failing disk must not make a short video that is then remembered.
        if input.readFailed { throw AVError(systemFailure: "av_read_frame") }
        progress?(1)
        return scanned
    }
}

extension ScanIndexer.Scanned {
    /// Writes down one packet.
    mutating func append(
        _ packet: borrowing Packet, coded: CodedPicture, codec: VideoCodec, _ description: CodecDescription
    ) {
        let number = pictures.count - 1
        // Packed MPEG-4: a packet brings the next B picture along, and an empty one later stands for it: that is the
        // packet whose stamp decoders put on the B picture.
        let carriesOwed = codec == .mpeg4 && coded.isNotCoded && owedPictures > 0
        var flags: PictureFlags = [.verified]
        if packet.isKey { flags.insert(.key) }
        if packet.isDiscarded { flags.insert(.discarded) }
        if packet.isCorrupt { flags.insert(.corrupt) }
        var access = coded.randomAccess
        if description.isIntraOnly {
            access = .instantaneous
        } else if codec == .other {
            // Nothing here reads these codecs' headers: the container's word is all there is, and good enough only
            // where the format leaves a keyframe nothing to inherit.
            access = packet.isKey ? (description.hasSelfContainedKeyframes ? .open : .inexact) : .none
        } else {
            if coded.isUnderstood {
                if !coded.isReference { flags.insert(.disposable) }
                if !coded.isShown, !carriesOwed { flags.insert(.hidden) }
                if coded.isSecondField { flags.insert(.secondField) }
            } else {
                isUnderstood = false
                access = .none
            }
        }
        if access == .gradual { pictures.recoveryCounts[UInt32(number)] = UInt32(clamping: coded.recoveryCount) }
        pictures.flags.append(flags.with(access))
        pictures.sizes.append(UInt32(clamping: packet.count))
        pictures.presentationTimes.append(packet.pts ?? CodedPictures.noTime)
        pictures.decodeTimes.append(packet.dts ?? CodedPictures.noTime)
        pictures.fingerprints.append(UInt32(truncatingIfNeeded: xxh3(packet.bytes)))
        durations.append(packet.duration)
        isBidirectional.append(coded.pictureType == .b || carriesOwed)
        if codec == .mpeg4 { owedPictures += carriesOwed ? -1 : max(0, coded.pictureCount - 1) }
        if coded.startsSequence { sequenceStarts.append(number) }
        if coded.leading == .decodable { decodableLeading.insert(number) }
        if coded.carriesParameterSets { parameterSetCarriers.insert(number) }
        let isShown = flags.isDisjoint(with: [.hidden, .secondField])
        if let count = coded.orderCount {
            orderCounts?.append(Int64(count))
        } else if isShown {
            orderCounts = nil
        } else {
            orderCounts?.append(0)
        }
    }
}

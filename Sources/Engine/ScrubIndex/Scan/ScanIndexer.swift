internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase

/// Makes an index by reading every packet of a stream once through libavformat, without decoding.
///
/// Used for every container whose tables are not enough. Each packet's header is parsed for its kind of picture, and
/// its bytes are located in the file, or otherwise fingerprinted.
struct ScanIndexer {
    private let file: MediaSource
    private let rules: IndexRules
    private let pictureByteLimit: Int
    private let progress: ((WorkProgress) -> Void)?
    /// The positions at which edits join open groups: a linear decode determines which pictures are output, and in
    /// which order.
    var openJoints: [Int] = []
    /// Warnings about content of the container that libavformat skips.
    var omissions: [String] = []

    init(
        _ file: MediaSource, rules: IndexRules = .init(),
        pictureByteLimit: Int = FrameIndex.standardPictureByteLimit, progress: ((WorkProgress) -> Void)?
    ) {
        self.file = file
        self.rules = rules
        self.pictureByteLimit = pictureByteLimit
        self.progress = progress
    }

    func makeIndex(requestedStream: Int?) throws(ScrubError) -> FrameIndex {
        let result: Result<FrameIndex, ScrubError>
        var (wanted, mustDecode) = (requestedStream, !openJoints.isEmpty)
        do throws(AVError) {
            while true {
                var input = try Input(file, name: file.path, readsAll: file.file != nil)
                // If this fails, the container's parameters are used; the decoder reports if they are insufficient.
                try? input.findStreamInfo(of: wanted, pictureByteLimit: pictureByteLimit)
                switch try makeIndex(
                    from: &input, requestedStream: requestedStream, lookedAt: wanted, mustDecode: mustDecode)
                {
                case .made(let index): result = .success(index)
                case .failed(let error): result = .failure(error)
                case .mustLook(let stream):
                    wanted = stream
                    continue
                case .mustDecode:
                    precondition(!mustDecode, "a stream is only decoded once")
                    mustDecode = true
                    continue
                }
                break
            }
        } catch {
            if let refusal = file.opening.refusal { throw refusal }
            if error.isReadFailure, let failure = file.lastFailure { throw failure }
            throw (WebPage.refusal(of: file) ?? error.scrubError("is not a video that libavformat can read"))
                .inFile(file.path)
        }
        return try result.get()
    }

    /// The outcome of a pass over the packets.
    private enum Pass {
        case made(FrameIndex)
        case failed(ScrubError)
        /// The headers contradict each other, or do not show which packets produce pictures or in which order. Another
        /// pass must decode the packets.
        case mustDecode
        /// More streams precede this one than libavformat inspects.
        case mustLook(at: Int)
    }

    private func makeIndex(
        from input: inout Input, requestedStream: Int?, lookedAt: Int?, mustDecode: Bool
    ) throws(AVError) -> Pass {
        let stream: StreamDescription
        do throws(ScrubError) {
            stream = try StreamChoice.choose(among: input.streams, requested: requestedStream) {
                PictureCounts.of($0, in: file)
            }
            try file.check(stream.codec)
            guard stream.codec.hasDecoder else {
                throw stream.codec.noDecoder(named: MatroskaIndexer.codecName(ofStream: stream.index, in: file))
            }
        } catch {
            return .failed(error.inFile(file.path))
        }
        if stream.index >= Input.mostExamined, stream.index != lookedAt { return .mustLook(at: stream.index) }
        input.select(stream: stream.index)
        var facts = StreamFacts(stream, container: input.formatName, file: file)
        facts.warnings += omissions
        let isUnread = facts.codec == .other && rules.findsEmptyPackets
        let isKnown = stream.codec.makesOnePictureOfEachPacket || VC1PictureReader(stream.codec) != nil
        let scanned = try scan(
            &input, stream: stream, facts: &facts,
            decodes: isUnread ? mustDecode || !isKnown : mustDecode)
        if scanned.pictures.count == 0 {
            return .failed(
                ScrubError(
                    .badData, "contains no video packets", file: file.path, advice: "choose a file that contains video",
                    fact: .noVideo))
        }
        if scanned.surveyedOrder == nil,
            isUnread && scanned.isSuspicious || !mustDecode && scanned.mustBeDecoded(facts.codec, stream.codec)
        {
            return .mustDecode
        }
        let traits = ContainerTraits(input)
        let span = scanned.span
        let tables = MovieTables(of: stream, container: facts.container, in: file)
        facts.lacks(
            MissingRange(
                stream, container: facts.container, packets: scanned.pictures.count + scanned.emptyPackets,
                span: span, declared: input.declaredDuration,
                isCut: scanned.endsInPacket && !traits.timestampsMayJump, tables: tables, file: file))
        let end = StreamEnd.find(
            stream, among: input.streams, declared: input.declaredDuration, scanned: scanned, facts: facts,
            tables: tables, file: file)
        let index = ScanIndexer.makeIndex(scanned, stream, traits, facts, end: end, rules: rules)
        return index.mayLosePictures && !mustDecode ? .mustDecode : .made(index)
    }

    /// The properties of a container's timestamps.
    struct ContainerTraits: Sendable {
        let timestampsMayJump: Bool
        let hasNoTimestamps: Bool
        let formatName: String

        init(_ input: borrowing Input) {
            (timestampsMayJump, hasNoTimestamps) = (input.timestampsMayJump, input.hasNoTimestamps)
            formatName = input.formatName
        }
    }

    /// Puts scanned packets into an index.
    ///
    /// - Parameter end: the end time of the last picture, if the file gives it.
    static func makeIndex(
        _ scanned: consuming Scanned, _ stream: StreamDescription, _ traits: ContainerTraits, _ facts: StreamFacts,
        end: StreamEnd? = nil, rules: IndexRules
    ) -> FrameIndex {
        var (scanned, facts) = (scanned, facts)
        let decodeTimes = scanned.pictures.decodeTimes
        if scanned.carriesPalettes {
            // libavformat outputs a palette once, where it occurs.
            facts.route = .demuxFromStart
        } else if scanned.isDirect {
            facts.route = .direct
            scanned.pictures.fingerprints = []
            scanned.pictures.decodeTimes = []
        } else if traits.timestampsMayJump || traits.hasNoTimestamps || traits.formatName == "mpeg" {
            facts.route = .demuxByByte
        } else {
            facts.route = .demuxByTime
        }
        let ordering = ScanOrdering(
            stream: stream, hasNoTimestamps: traits.hasNoTimestamps, timestampsMayJump: traits.timestampsMayJump,
            decodeTimes: decodeTimes, end: end, rules: rules)
        return ordering.makeIndex(facts: facts, scanned: scanned)
    }

    private func scan(
        _ input: inout Input, stream: StreamDescription, facts: inout StreamFacts, decodes: Bool
    ) throws(AVError) -> Scanned {
        var pass = PacketPass(stream, facts, rules: rules, file: file)
        var survey: OutputOrderProbe?
        // If no decoder opens, none produces a picture later either, and the reason is reported.
        let isOfHeads = facts.codec == .h264
        if decodes {
            do throws(AVError) { survey = try OutputOrderProbe(stream.codec, isOfHeads: isOfHeads) } catch {
                survey = nil
            }
        }
        var cause: String?
        if survey == nil, file.file != nil, Processors.count > 1, let line = try? PacketPipeline(pass, of: file) {
            cause = try readBeside(&input, stream, line)
            pass = line.finish() ?? pass
        } else {
            cause = try read(&input, stream, &pass, &survey)
        }
        if let cause {
            facts.warnings.append(
                "reading stopped after \(PlainText.amount(pass.scanned.pictures.count, "packet")): \(cause)")
        }
        survey?.finish()
        var scanned = pass.finished()
        scanned.openJoints = openJoints
        if input.formatName == "mpegts" { scanned.forgiveMisfits(file) }
        facts.x264Build = pass.x264Build
        facts.displayMatrix = facts.displayMatrix ?? pass.displayMatrix
        if let survey = survey.take() {
            scanned.firstRepeat = survey.firstRepeat
            // For H.264, the order counts are the better evidence of the order, as long as all of them can be read.
            if isOfHeads, openJoints.isEmpty, !scanned.lacksOrder(facts.codec) {
                scanned.comingOut = Set(survey.order)
            } else {
                scanned.take(survey.order, showsAgain: survey.showsAgain)
            }
            // For H.264 and HEVC, a decoder rejects units but still shows the rest of the packet.
            if facts.codec != .h264, facts.codec != .hevc, survey.refused > 0 {
                facts.warnings.append(
                    "\(PlainText.amount(survey.refused, "packet")) can't be decoded; "
                        + (survey.refused == 1 ? "it has no frame" : "they have no frames"))
            }
        }
        // A failing disk must not lead to a short index that is then saved.
        if input.readFailed || file.opening.refusal != nil { throw AVError(systemFailure: "av_read_frame") }
        progress?(WorkProgress(file.byteCount, of: file.byteCount, .bytes))
        return scanned
    }

    /// The outcome of reading a packet.
    private enum Step {
        case packet
        case end
        /// The rest of the stream cannot be read, for the given reason.
        case stop(String)
    }

    private func next(_ input: inout Input, into packet: inout Packet) throws(AVError) -> Step {
        _ = input.takeErrors()
        do throws(AVError) {
            return try input.read(into: &packet) ? .packet : .end
        } catch {
            // Otherwise, half an index would be saved, and hide the rest of the file from then on.
            if error.isWorkerFailure { throw error }
            let remark = input.takeErrors().first
            // Some formats announce streams later. One beyond the limit is not the end of the file either.
            if remark?.contains("max_streams") == true {
                file.refuse(file.limits.refusal(.streams, nil, "the number of streams"))
                throw error
            }
            // A damaged tail ends the stream like the end of the file; earlier packets stay valid.
            return .stop(error.reason + (remark.map { ": \($0)" } ?? ""))
        }
    }

    /// Reads all packets.
    ///
    /// - Returns: the reason why reading stopped before the end; `nil` if it did not.
    private func read(
        _ input: inout Input, _ stream: StreamDescription, _ pass: inout PacketPass, _ survey: inout OutputOrderProbe?
    ) throws(AVError) -> String? {
        var packet = try Packet()
        while true {
            switch try next(&input, into: &packet) {
            case .packet: break
            case .end: return nil
            case .stop(let cause): return cause
            }
            guard pass.take(packet) else {
                // The decoder must still be informed, because an empty packet would end the stream.
                if survey != nil, packet.streamIndex == stream.index, packet.count > 0,
                    [.h264, .hevc].contains(VideoCodec(named: stream.codec.codecName))
                {
                    survey?.feed(&packet, number: nil, isKey: packet.isKey)
                }
                continue
            }
            // The source keeps the refusal for the next caller.
            do throws(ScrubError) { try file.check(pictureCount: pass.scanned.pictures.count) } catch { return nil }
            tell(pass.scanned.pictures.count, packet.filePosition)
            survey?.feed(&packet, number: pass.scanned.pictures.count - 1, isKey: packet.isKey)
        }
    }

    /// Reads all packets, which are parsed on another thread.
    private func readBeside(
        _ input: inout Input, _ stream: StreamDescription, _ line: PacketPipeline
    ) throws(AVError) -> String? {
        var (step, place) = (Step.packet, Int64(0))
        while case .packet = step {
            let goesOn = try line.bring { (packet) throws(AVError) in
                step = try next(&input, into: &packet)
                guard case .packet = step else { return false }
                place = packet.filePosition
                return packet.streamIndex == stream.index
            }
            guard goesOn else { return nil }
            tell(line.count, place)
        }
        if case .stop(let cause) = step { return cause }
        return nil
    }

    /// Reports the progress from time to time.
    private func tell(_ count: Int, _ place: Int64) {
        guard let progress, count % 256 == 0 else { return }
        progress(WorkProgress(min(place, file.byteCount), of: file.byteCount, .bytes))
    }
}

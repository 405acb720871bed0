#if CommandLine
internal import Scrub
internal import ScrubReports
internal import ScrubBase
internal import ScrubStreams

/// Answers positions of an HLS presentation, one after another.
struct PlaylistSeek: ~Copyable {
    private let playlist: HLSVideo
    private let command: SeekCommand
    private let output: OutputPath?
    private var reader: HLSVideo.Reader
    private var (count, failures) = (0, 0)
    private var spent = NetworkCost()

    init(_ playlist: HLSVideo, _ command: SeekCommand, output: OutputPath?) {
        (self.playlist, self.command, self.output) = (playlist, command, output)
        reader = HLSVideo.Reader(playlist)
    }

    /// Answers all positions.
    ///
    /// - Parameter keepsFaults: whether positions without a frame get their own objects while the others are answered.
    /// - Throws: otherwise, the first error; `usage` for ranges.
    mutating func answer(_ items: [SeekItem], keepsFaults: Bool) throws(ScrubError) -> SeekFailures {
        var outcome = SeekFailures()
        for item in items {
            do throws(ScrubError) {
                try answer(try item.target.get())
            } catch {
                guard keepsFaults, !Terminal.isBroken else { throw error }
                outcome.refuse(item.text, error, in: command.input.medium)
            }
        }
        if failures > 0 {
            outcome.told = ScrubError(
                .badData, "\(failures) of \(Amount.of(count, "frame")) cannot be decoded",
                advice: "see the verdict of each frame; a segment may be damaged")
        }
        return outcome
    }

    private mutating func answer(_ target: SeekTarget) throws(ScrubError) {
        guard case .position(let text, let position) = target else {
            throw ScrubError.wrongRequest(
                "ranges in playlists are not supported", advice: "use single positions, by time or number")
        }
        let (clamps, advice) = (command.range.clamp, TypedPosition.clampAdvice)
        try tell(text, try reader.frame(at: position, named: text, clamps: clamps, advice: advice))
    }

    private mutating func tell(_ text: String, _ answer: HLSVideo.Frame) throws(ScrubError) {
        count += 1
        if case .undecodable = answer.verdict { failures += 1 }
        let hash =
            command.hash
            ? try answer.picture.map { (picture) throws(ScrubError) in "md5:" + (try picture.streamMD5()) } : nil
        // A frame whose number is not known is identified by its position in the request.
        let written = try answer.picture.flatMap { (picture) throws(ScrubError) in
            try output?.write(picture, answer.number ?? count - 1)
        }
        if answer.isClamped { Terminal.say("\(text) is outside the video; the nearest frame is used") }
        if output?.isStandardOutput != true {
            Terminal.print(command.json ? json(text, answer, hash, written) : self.text(text, answer, hash, written))
            try Terminal.flush()
        }
        if let reason = answer.verdict.wording, command.json || output?.isStandardOutput == true {
            let said: Wording = "\(command.input.said): \(text) is \(answer.verdict.name): \(reason)"
            if case .undecodable = answer.verdict { Terminal.complain(said) } else { Terminal.say(said) }
        }
    }

    private mutating func json(
        _ text: String, _ answer: HLSVideo.Frame, _ hash: String?, _ written: OutputPath.Written?
    ) -> String {
        var line = JSONText()
        line.add("requested", text)
        line.add("frame", answer.number)
        line.add("frameCount", answer.frameCount)
        line.add("pts", answer.presentationTime)
        line.add("timeBase", answer.timeBase.slashed)
        line.add("seconds", decimal: answer.secondsText)
        line.add("segment", answer.segment)
        line.add("keyframe", answer.isKeyframe)
        if answer.isClamped { line.add("clamped", true) }
        line.add("verdict", answer.verdict.name)
        if let reason = answer.verdict.wording { line.add("why", reason.text(for: .command)) }
        line.add("decoded", answer.decodedPictureCount)
        if let hash { line.add("hash", hash) }
        if let written {
            line.add("output", written.name)
            line.add("width", written.width)
            line.add("height", written.height)
        }
        if let rendition = answer.rendition {
            var object = JSONText()
            object.add("bandwidth", rendition.bandwidth)
            object.add("width", rendition.width)
            object.add("height", rendition.height)
            line.add("rendition", .object(object))
        }
        if let cost = playlist.networkCost {
            line.add(network: cost.since(spent))
            spent = cost
        }
        return line.text
    }

    private func text(
        _ text: String, _ answer: HLSVideo.Frame, _ hash: String?, _ written: OutputPath.Written?
    ) -> String {
        var line = "\(text): \(PresentedFrame.text(ofNumber: answer.number))"
        if let count = answer.frameCount { line += "\(answer.number == count - 1 ? ", the last" : "") of \(count)" }
        line += " at \(answer.timeText), segment \(answer.segment), "
        if answer.isKeyframe { line += "a keyframe, " }
        line += answer.verdict.name + (answer.verdict.wording.map { " (\($0.text(for: .command)))" } ?? "")
        line += ", \(Amount.of(answer.decodedPictureCount, "picture")) decoded"
        if let hash { line += ", \(hash)" }
        if let written { line += " -> \(written.name)" }
        return line
    }
}
#endif

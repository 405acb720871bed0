#if CommandLine
internal import ScrubBase
internal import Scrub
internal import ScrubReports

/// The facts of one frame's answer, without its picture.
struct SeekRow {
    let frame: PresentedFrame
    let verdict: Verdict
    private let decoded: Int
    private let hash: String?
    private let output: OutputPath.Written?

    /// Stores the requested facts of an answer, and writes its picture.
    init(_ answer: FrameAnswer, hash: Bool, target: OutputPath?) throws(ScrubError) {
        frame = answer.frame
        verdict = answer.verdict
        decoded = answer.decodedPictureCount
        self.hash =
            hash ? try answer.picture.map { (picture) throws(ScrubError) in "md5:" + (try picture.streamMD5()) } : nil
        output = try answer.picture.flatMap { (picture) throws(ScrubError) in
            try target?.write(picture, answer.frame.number)
        }
    }

    /// The facts that all rows share.
    struct Context {
        /// The number of frames; `nil` if only parts of the film were read.
        let frameCount: Int?
        let timecodes: VideoAsset.Timecodes?

        init(_ asset: VideoAsset) {
            frameCount = asset.knownFrameCount
            timecodes = frameCount == nil ? nil : asset.timecodes()
        }
    }

    /// - Parameter network: the network cost of the row; `nil` for local files.
    func json(_ place: SeekPosition, _ context: Context, network: NetworkCost?) -> String {
        var line = JSONText()
        line.add("requested", place.text)
        line.add("frame", frame.knownNumber)
        line.add("frameCount", context.frameCount)
        line.add("pts", frame.presentationTime)
        line.add("timeBase", frame.timeBase.slashed)
        line.add("seconds", decimal: frame.secondsText)
        if let timecodes = context.timecodes {
            line.add("timecode", timecodes.timecode(ofFrame: frame.number).description)
        }
        line.add("keyframe", frame.isKeyframe)
        if place.isClamped(frame.number) { line.add("clamped", true) }
        line.add("verdict", verdict.name)
        if let reason = verdict.wording { line.add("why", reason.text(for: .command)) }
        line.add("decoded", decoded)
        if let hash { line.add("hash", hash) }
        if let output {
            line.add("output", output.name)
            line.add("width", output.width)
            line.add("height", output.height)
        }
        line.add(network: network)
        return line.text
    }

    func text(_ place: SeekPosition, _ context: Context) -> String {
        var text = "\(place.text): \(frame.numberText)"
        // Numbers start at 0, so the last one is not the count.
        if let count = context.frameCount { text += "\(frame.number == count - 1 ? ", the last" : "") of \(count)" }
        text += " at \(frame.timeText)"
        if let timecodes = context.timecodes { text += ", timecode \(timecodes.timecode(ofFrame: frame.number))" }
        text += frame.isKeyframe ? ", a keyframe, " : ", "
        text += verdict.name + (verdict.wording.map { " (\($0.text(for: .command)))" } ?? "")
        text += ", \(Amount.of(decoded, "picture")) decoded"
        if let hash { text += ", \(hash)" }
        if let output { text += " -> \(output.name)" }
        return text
    }
}
#endif

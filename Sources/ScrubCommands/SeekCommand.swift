internal import ArgumentParser
internal import Scrub

/// `scrub seek`: the exact frames at positions.
struct SeekCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek", abstract: "Find the exact frame at each position, and write it as a picture.")

    @OptionGroup var input: FileArguments

    @Argument(help: "Positions: 0.42, 42%, 12.5s, 1:02.5, f1234, first, last.")
    var positions: [String]

    @Option(
        name: [.short, .long],
        help:
            "Write the picture here; PNG. '-' is standard output. With several positions the frame's number is put before the suffix, or into a folder, made if need be, when the path ends with '/'."
    )
    var output: String?

    @Flag(help: "Print the MD5 of the picture in the stream's own pixel format, as ffmpeg -f framemd5 does.")
    var hash = false

    @Flag(help: "One JSON object per position.")
    var json = false

    @Flag(help: "Leave out the stream's rotation and sample aspect ratio.")
    var rawGeometry = false

    func run() throws {
        var (parsed, target): ([Position], OutputPath?) = ([], nil)
        try reportingErrors(nil) { () throws(ScrubError) in
            parsed = try positions.map { (text) throws(ScrubError) in try Position(text) }
            target = try output.map { (path) throws(ScrubError) in
                try OutputPath(path, isShared: positions.count > 1)
            }
        }
        try reportingErrors(input.file) { () throws(ScrubError) in try seek(parsed, target) }
    }

    private func seek(_ positions: [Position], _ target: OutputPath?) throws(ScrubError) {
        let asset = try input.open()
        var places: [(frame: PresentedFrame, isClamped: Bool)] = []
        for position in positions { places.append(try asset.frame(at: position)) }
        for (text, place) in zip(self.positions, places) where place.isClamped {
            Terminal.say(clampingNote(text, place.frame))
        }
        var rows: [Int: SeekRow] = [:]
        var reader = FrameReader(asset)
        try reader.eachFrame(numbered: places.map(\.frame.number)) { (answer) throws(ScrubError) in
            rows[answer.frame.number] = try SeekRow(
                answer, hash: hash, target: target, rawGeometry: rawGeometry)
        }
        var failures = 0
        for (text, place) in zip(self.positions, places) {
            guard let row = rows[place.frame.number] else { continue }
            if case .undecodable = row.verdict { failures += 1 }
            // With the picture on standard output there is no room for words there.
            let hasRoom = target?.isStandardOutput != true
            if hasRoom { Terminal.print(json ? row.json(requested: text, asset) : row.text(requested: text, asset)) }
            if let reason = row.verdict.reason, json || !hasRoom {
                Terminal.say("\(input.file): frame \(place.frame.number) is \(row.verdict.name): \(reason)")
            }
        }
        if failures > 0 {
            throw ScrubError(.badData, "\(failures) of \(positions.count) positions cannot be decoded")
        }
    }

    /// What was perhaps meant by a position outside the video.
    private func clampingNote(_ text: String, _ frame: PresentedFrame) -> String {
        var note = "\(text) is outside the video; frame \(frame.number) is taken"
        guard case .fraction(let fraction)? = try? Position(text) else { return note }
        let (isPercent, isRatio) = (text.hasSuffix("%"), text.contains("/"))
        let number = isPercent ? String(text.dropLast()) : text
        if fraction < .zero {
            // f-1 is the last frame, f-2 the one before.
            if !isPercent, Int(number) != nil { note += " (perhaps f\(number), counted from the end, was meant)" }
            return note
        }
        guard !isRatio else { return note + " (a fraction is at most 1)" }
        var guesses = ["\(number)s"]
        if !isPercent, fraction <= Rational(100) { guesses.append("\(number)%") }
        if Int(number) != nil { guesses.append("f\(number)") }
        let last = guesses.removeLast()
        let list = guesses.isEmpty ? last : guesses.joined(separator: ", ") + " or " + last
        return note + " (a fraction is at most \(isPercent ? "100%" : "1"); perhaps \(list) was meant)"
    }
}

/// What one frame's answer says, without its picture.
struct SeekRow {
    let frame: PresentedFrame
    let verdict: Verdict
    let decoded: Int
    let hash: String?
    let output: String?

    /// Takes what is wanted of an answer, and writes its picture.
    init(_ answer: FrameAnswer, hash: Bool, target: OutputPath?, rawGeometry: Bool) throws(ScrubError) {
        frame = answer.frame
        verdict = answer.verdict
        decoded = answer.decodedPictures
        self.hash =
            hash ? try answer.picture.map { (picture) throws(ScrubError) in "md5:" + (try picture.streamMD5()) } : nil
        output = try answer.picture.flatMap { (picture) throws(ScrubError) in
            try target?.write(picture, answer.frame.number, PictureOptions(rawGeometry: rawGeometry))
        }
    }

    func json(requested: String, _ asset: VideoAsset) -> String {
        var line = JSONText()
        line.add("requested", requested)
        line.add("frame", frame.number)
        line.add("frameCount", asset.frames.count)
        line.add("pts", frame.presentationTime)
        line.add("timeBase", frame.timeBase.slashed)
        line.add("seconds", frame.seconds)
        line.add("keyframe", frame.isKeyframe)
        line.add("verdict", verdict.name)
        if let reason = verdict.reason { line.add("why", reason) }
        line.add("decoded", decoded)
        if let hash { line.add("hash", hash) }
        if let output { line.add("output", output) }
        return line.text
    }

    func text(requested: String, _ asset: VideoAsset) -> String {
        var text = "\(requested): frame \(frame.number) of \(asset.frames.count) at \(Clock.text(frame.seconds))"
        text += frame.isKeyframe ? ", a keyframe, " : ", "
        text += verdict.name + (verdict.reason.map { " (\($0))" } ?? "")
        text += decoded == 1 ? ", 1 picture decoded" : ", \(decoded) pictures decoded"
        if let hash { text += ", \(hash)" }
        if let output { text += " -> \(output)" }
        return text
    }
}

internal import ArgumentParser
internal import Scrub

/// `scrub frames`: every presented frame.
struct FramesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "frames", abstract: "List the presented frames in display order.")

    @OptionGroup var input: FileArguments

    @Flag(help: "One JSON object per frame.")
    var json = false

    func run() throws {
        try reportingErrors(input.file) { () throws(ScrubError) in
            let asset = try input.open()
            var reader = FrameReader(asset)
            if !json { Terminal.print("frame\tpts\tseconds\tduration\tkeyframe\tneeds") }
            for frame in asset.frames {
                let needs = reader.decodeCost(ofFrame: frame.number)
                Terminal.print(json ? jsonText(frame, needs) : text(frame, needs))
            }
        }
    }

    private func jsonText(_ frame: PresentedFrame, _ needs: Int) -> String {
        var line = JSONText()
        line.add("frame", frame.number)
        line.add("pts", frame.presentationTime)
        line.add("seconds", frame.seconds)
        line.add("duration", frame.durationSeconds)
        line.add("keyframe", frame.isKeyframe)
        line.add("needs", needs)
        return line.text
    }

    private func text(_ frame: PresentedFrame, _ needs: Int) -> String {
        let key = frame.isKeyframe ? "key" : "-"
        return
            "\(frame.number)\t\(frame.presentationTime)\t\(frame.seconds)\t\(frame.durationSeconds)\t\(key)\t\(needs)"
    }
}

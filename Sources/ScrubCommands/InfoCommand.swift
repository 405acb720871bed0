internal import ArgumentParser
internal import Scrub

/// `scrub info`: what a video is.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Tell what a video is and what exact frames cost in it.")

    @OptionGroup var input: FileArguments

    @Flag(help: "One JSON object.")
    var json = false

    func run() throws {
        try reportingErrors(input.file) { () throws(ScrubError) in
            let asset = try input.open()
            let info = try asset.info()
            let cost = asset.seekCost()
            let covers = try CoverArt.all(in: input.file)
            Terminal.print(json ? jsonText(asset, info, cost, covers) : text(asset, info, cost, covers))
        }
    }

    private func jsonText(
        _ asset: VideoAsset, _ info: VideoInfo, _ cost: SeekCost, _ covers: [CoverArt]
    ) -> String {
        let base = info.timeBase.approximation
        var line = JSONText()
        line.add("file", asset.path)
        line.add("container", info.container)
        line.add("stream", info.streamIndex)
        line.add("codec", info.codec)
        line.add("width", info.width)
        line.add("height", info.height)
        line.add("pixelFormat", info.pixelFormat)
        line.add("sampleAspectRatio", info.sampleAspectRatio.map { "\($0.numerator):\($0.denominator)" })
        if let area = info.cleanAperture {
            var part = JSONText()
            part.add("left", area.left)
            part.add("top", area.top)
            part.add("width", area.width)
            part.add("height", area.height)
            line.add("cleanAperture", .object(part))
        }
        line.add("rotation", info.rotation)
        line.add("mirrored", info.isMirrored)
        line.add("timeBase", info.timeBase.slashed)
        line.add("frameCount", info.frameCount)
        line.add("duration", Double(info.duration) * base)
        line.add("startTime", Double(info.startTime) * base)
        line.add("keyframeCount", info.keyframeCount)
        var seek = JSONText()
        seek.add("mean", cost.mean)
        seek.add("max", cost.max)
        seek.add("worstFrame", cost.worstFrame)
        seek.add("meanSpared", cost.meanSpared)
        seek.add("restarts", cost.restartCount)
        if let advice = cost.advice { seek.add("advice", advice) }
        line.add("seekCost", .object(seek))
        var restarts = JSONText()
        restarts.add("byHeader", info.restarts.byHeader)
        restarts.add("byComparison", info.restarts.byComparison)
        restarts.add("refuted", info.restarts.refuted)
        restarts.add("unproven", info.restarts.unproven)
        line.add("restarts", .object(restarts))
        line.add("coverArt", .array(covers.map { .object($0.json) }))
        line.add(missing: asset.missing)
        line.add("warnings", .array(info.warnings.map { .string($0) }))
        return line.text
    }

    private static func text(_ restarts: RestartProofSummary) -> String {
        let parts = [
            (restarts.byHeader, "proven by their header"), (restarts.byComparison, "proven by comparison"),
            (restarts.refuted, "claimed and none"), (restarts.unproven, "not compared yet"),
        ]
        return parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }

    private func text(
        _ asset: VideoAsset, _ info: VideoInfo, _ cost: SeekCost, _ covers: [CoverArt]
    ) -> String {
        let base = info.timeBase.approximation
        let seconds = Double(info.duration) * base
        let rate = seconds > 0 ? " (\(Clock.rounded(Double(info.frameCount) / seconds, 3)) a second on average)" : ""
        var picture = "\(info.width) x \(info.height), \(info.pixelFormat)"
        if let aspect = info.sampleAspectRatio, aspect != .one {
            picture += ", pixels \(aspect.numerator):\(aspect.denominator)"
        }
        if let area = info.cleanAperture {
            picture += ", seen \(area.width) x \(area.height) at (\(area.left), \(area.top))"
        }
        if info.rotation != 0 { picture += ", to be turned \(info.rotation) degrees clockwise" }
        if info.isMirrored { picture += ", mirrored" }
        var rows = [
            ("file", asset.path),
            ("container", "\(info.container), stream \(info.streamIndex)"),
            ("video", "\(info.codec), \(picture)"),
            ("frames", "\(info.frameCount)\(rate), \(info.keyframeCount) keyframes"),
            ("duration", Clock.text(seconds)),
            ("start", "\(Clock.rounded(Double(info.startTime) * base, 6)) s, in units of \(info.timeBase.slashed) s"),
            (
                "exact seek",
                "\(Clock.rounded(cost.mean, 1)) pictures to decode on average, \(cost.max) at most (frame \(cost.worstFrame)); "
                    + "\(Clock.rounded(cost.meanSpared, 1)) left out"
            ),
        ]
        rows.append(("restarts", InfoCommand.text(info.restarts)))
        if let advice = cost.advice { rows.append(("cheaper", advice)) }
        rows += covers.map { ("cover art", $0.facts) }
        rows += info.warnings.map { ("warning", $0) }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { $0.0 + String(repeating: " ", count: width - $0.0.count + 2) + $0.1 }
            .joined(separator: "\n")
    }
}

#if CommandLine
internal import Scrub
internal import ScrubReports
internal import ScrubBase

/// The facts about a video, as a table for people.
struct InfoText {
    private let asset: VideoAsset
    private let info: VideoInfo

    init(_ asset: VideoAsset, _ info: VideoInfo) { (self.asset, self.info) = (asset, info) }

    var text: String {
        let base = info.timeBase.doubleValue
        var rows = [
            ("file", asset.path.shown),
            ("container", [info.container, Amount.bytes(info.byteCount), info.bitRate.map(Amount.bitRate)].list),
            ("video", "stream \(info.streamIndex), \(info.codec), \(picture)"),
        ]
        if let color { rows.append(("color", color)) }
        if let hdr { rows.append(("HDR", hdr)) }
        let average =
            info.averageFrameRate.map { " (\(Clock.rounded($0.doubleValue, 3)) per second on average)" } ?? ""
        let constant = info.frameRate.map { " (\(Clock.rounded($0.doubleValue, 3)) per second)" } ?? average
        // A single picture that stays for a while has a duration, but no meaningful rate.
        let rate = info.frameCount == 1 ? "" : constant
        rows += [
            ("frames", "\(info.frameCount)\(rate), \(Amount.of(info.keyframeCount, "keyframe"))"),
            ("duration", TimeText(asset.duration).clock),
            (
                "start",
                "\(Clock.rounded(Double(info.startTimeUnits) * base, 6)) s, in units of \(info.timeBase.slashed) s"
            ),
        ]
        if let timecode = info.startTimecodeText { rows.append(("timecode", timecode)) }
        rows += info.streams.filter { $0.index != info.streamIndex && !$0.isCover }.map { ($0.kind.rawValue, text($0)) }
        rows += info.covers.map { ("cover art", cover($0)) }
        rows += info.chapters.enumerated().map { ($0 == 0 ? "chapters" : "", text($1)) }
        rows += VideoInfo.soughtTags.compactMap { key in
            guard let tag = info.tags.first(where: { $0.key.lowercased() == key }) else { return nil }
            let name = key.split(separator: ".").last.map(String.init) ?? key
            return (name.replacing("_", with: " "), tag.value.shown)
        }
        rows += [("exact seek", text(info.seekCost)), ("restarts", restarts)]
        if let advice = info.seekCost.advice { rows.append(("cheaper", advice)) }
        rows += info.warnings.map { ("warning", $0.text(for: .command).shown) }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { $0.0 + String(repeating: " ", count: width - $0.0.count + 2) + $0.1 }
            .joined(separator: "\n")
    }

    private var picture: String {
        var text = "\(info.width) x \(info.height), \(info.pixelFormat)"
        if info.hasAlpha { text += ", with alpha" }
        if let profile = info.streams.first(where: { $0.index == info.streamIndex })?.profile {
            text = "\(profile), " + text
        }
        if let aspect = info.sampleAspectRatio, aspect != .one {
            text += ", pixels \(aspect.numerator):\(aspect.denominator)"
        }
        if let area = info.cleanAperture {
            text += ", visible area \(area.width) x \(area.height) at (\(area.left), \(area.top))"
        }
        if info.rotation != 0 { text += ", rotated \(info.rotation) degrees clockwise for display" }
        if info.isMirrored { text += ", mirrored" }
        if info.isInterlaced == true { text += ", interlaced" }
        if let program = info.streams.first(where: { $0.index == info.streamIndex })?.program {
            text += ", program \(program)"
        }
        if let rate = info.videoBitRate { text += ", \(Amount.bitRate(rate))" }
        return text
    }

    private var color: String? {
        let color = info.color
        let range = color.isFullRange.map { $0 ? "full range" : "limited range" }
        let parts = [
            color.primaries.map { "primaries \($0)" }, color.transfer.map { "transfer \($0)" },
            color.matrix.map { "matrix \($0)" }, range, color.chromaLocation.map { "chroma \($0)" },
        ]
        return parts.contains { $0 != nil } ? parts.list : nil
    }

    private var hdr: String? {
        guard let hdr = info.hdr else { return nil }
        var parts = [hdr.transfer]
        if let display = hdr.masteringDisplay {
            let range = [display.minimumLuminance, display.maximumLuminance].compactMap { $0 }
                .map { Clock.rounded($0, 4) }.joined(separator: " to ")
            parts.append(range.isEmpty ? "mastering display" : "mastering display \(range) nit")
        }
        parts.append(hdr.maximumContentLight.map { "MaxCLL \($0) nit" })
        parts.append(hdr.maximumFrameAverageLight.map { "MaxFALL \($0) nit" })
        parts.append(
            hdr.dolbyVision.map { "Dolby Vision profile \($0.profile).\($0.compatibility), level \($0.level)" })
        return parts.list
    }

    private func text(_ stream: VideoInfo.Stream) -> String {
        var parts: [String?] = ["stream \(stream.index)", stream.codec]
        parts.append(stream.profile)
        if let width = stream.width, let height = stream.height { parts.append("\(width) x \(height)") }
        parts.append(stream.frameRate.map { "\(Clock.rounded($0.doubleValue, 3)) per second" })
        parts.append(stream.sampleRate.map { "\($0) Hz" })
        parts.append(stream.channelLayout ?? stream.channelCount.map { Amount.of($0, "channel") })
        parts.append(stream.bitRate.map(Amount.bitRate))
        parts += [stream.language, stream.title.map { "\"\($0)\"" }, stream.fileName, stream.mediaType]
        parts.append(stream.program.map { "program \($0)" })
        if stream.isDefault { parts.append("default") }
        if stream.isForced { parts.append("forced") }
        return (parts + stream.roles).list.shown
    }

    private func text(_ chapter: VideoInfo.Chapter) -> String {
        let times = [chapter.start, chapter.end].map { TimeText($0).clock }.joined(separator: " to ")
        return times + (chapter.title.map { "  \($0)" } ?? "").shown
    }

    private func cover(_ cover: VideoInfo.Stream) -> String {
        let size = cover.width.map { "\($0) x \(cover.height ?? 0)" } ?? "cannot be decoded"
        return "stream \(cover.index), \(cover.codec), \(size), \(Amount.of(cover.pictureByteCount ?? 0, "byte")) "
            + "(scrub poster --cover writes it)"
    }

    private func text(_ cost: VideoAsset.SeekCost) -> String {
        let rounded = Clock.rounded(cost.mean, 1)
        let mean = rounded == "1" ? "1 picture" : "\(rounded) pictures"
        let most = "at most \(cost.max) (frame \(cost.worstFrame))"
        let spared = "\(Clock.rounded(cost.meanSkippedCount, 1)) skipped"
        switch cost.basis {
        case .all: return "\(mean) to decode on average, \(most); \(spared)"
        case .sample:
            return "about \(mean) to decode on average, \(most) "
                + "in \(cost.frameCount) sampled frames; \(spared) (use --cost to count all frames)"
        case .distance:
            return "no more than \(mean) to decode on average, \(most), "
                + "estimated from the distances to keyframes (use --cost to count the pictures that can be skipped)"
        }
    }

    private var restarts: String {
        let restarts = info.restarts
        let parts = [
            (restarts.provenByHeaderCount, "proven by their header"),
            (restarts.provenByComparisonCount, "proven by comparison"),
            (restarts.refutedCount, "claimed but refuted"), (restarts.unprovenCount, "not compared yet"),
            (restarts.unreadCount, "not examined yet"),
        ]
        return parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
}

extension [String?] {
    /// The facts that are known, with commas.
    fileprivate var list: String { compactMap { $0 }.joined(separator: ", ") }
}
#endif

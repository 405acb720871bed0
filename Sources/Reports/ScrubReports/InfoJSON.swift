internal import Scrub
package import ScrubBase
package import ScrubMedia

/// The facts of a video, as a JSON object.
package struct InfoJSON {
    private let asset: VideoAsset
    private let info: VideoInfo

    private let file: String
    private let isFinished: Bool?
    private let face: Face

    /// Creates the object.
    ///
    /// - Parameters:
    ///   - file: the name as it was given.
    ///   - isFinished: whether a followed recording is finished; `nil` for a video that is not followed.
    ///   - face: the interface whose option names are used in the warnings.
    package init(
        _ asset: VideoAsset, _ info: VideoInfo, file: String, isFinished: Bool? = nil, for face: Face = .command
    ) {
        (self.asset, self.info, self.file, self.isFinished, self.face) = (asset, info, file, isFinished, face)
    }

    /// The object on one line.
    package var text: String { object.text }

    /// The object, for callers that add members.
    package var object: JSONText {
        let base = info.timeBase.doubleValue
        var line = JSONText()
        line.add(path: file)
        line.add("size", info.byteCount)
        line.add("container", info.container)
        line.add("stream", info.streamIndex)
        line.add("codec", info.codec)
        line.add("width", info.width)
        line.add("height", info.height)
        line.add("pixelFormat", info.pixelFormat)
        line.add("alpha", info.hasAlpha)
        line.add("sampleAspectRatio", info.sampleAspectRatio.map { "\($0.numerator):\($0.denominator)" })
        if let area = info.cleanAperture { line.add("cleanAperture", .object(json(area))) }
        line.add("rotation", info.rotation)
        line.add("mirrored", info.isMirrored)
        line.add("interlaced", info.isInterlaced.map { .boolean($0) } ?? .null)
        line.add("timeBase", info.timeBase.slashed)
        line.add("frameCount", info.frameCount)
        let rate = info.frameRate ?? info.averageFrameRate
        line.add("frameRate", rate?.doubleValue)
        line.add("frameRateRatio", rate?.description)
        line.add("averageFrameRate", info.averageFrameRate?.description)
        line.add("duration", Double(info.durationUnits) * base)
        line.add("startTime", Double(info.startTimeUnits) * base)
        if let timecode = info.startTimecodeText { line.add("startTimecode", timecode) }
        line.add("keyframeCount", info.keyframeCount)
        line.add("bitRate", info.bitRate.map { .integer($0) } ?? .null)
        line.add("videoBitRate", info.videoBitRate.map { .integer($0) } ?? .null)
        line.add("color", .object(json(info.color)))
        line.add("hdr", info.hdr.map { .object(json($0)) } ?? .null)
        line.add("seekCost", .object(json(info.seekCost)))
        line.add("restarts", .object(json(info.restarts)))
        line.add("streams", .array(info.streams.map { .object(json($0)) }))
        line.add("chapters", .array(info.chapters.map { .object(json($0)) }))
        var tags = JSONText()
        for (key, value) in info.tags.sorted(by: { $0.key < $1.key }) { tags.add(key, value) }
        line.add("tags", .object(tags))
        line.add("coverArt", .array(info.streams.filter(\.isCover).map { .object(coverJSON($0)) }))
        line.add(missing: asset.missingMedia)
        if let isFinished { line.add("finished", isFinished) }
        line.add("warnings", .array(info.warnings.map { .string($0.text(for: face)) }))
        line.add(network: asset.networkCost)
        return line
    }

    private func json(_ area: VideoInfo.Area) -> JSONText {
        var part = JSONText()
        part.add("left", area.left)
        part.add("top", area.top)
        part.add("width", area.width)
        part.add("height", area.height)
        return part
    }

    private func json(_ color: VideoInfo.Color) -> JSONText {
        var part = JSONText()
        part.add("primaries", color.primaries)
        part.add("transfer", color.transfer)
        part.add("matrix", color.matrix)
        part.add("range", color.isFullRange.map { $0 ? "full" : "limited" })
        part.add("chromaLocation", color.chromaLocation)
        return part
    }

    private func json(_ hdr: VideoInfo.HDR) -> JSONText {
        var part = JSONText()
        part.add("transfer", hdr.transfer)
        if let display = hdr.masteringDisplay {
            var object = JSONText()
            for (place, name) in ["red", "green", "blue", "white"].enumerated()
            where display.chromaticities.count == 8 {
                let point = display.chromaticities[2 * place...2 * place + 1]
                object.add(name, .array(point.map { .number($0) }))
            }
            object.add("minimumLuminance", display.minimumLuminance)
            object.add("maximumLuminance", display.maximumLuminance)
            part.add("masteringDisplay", .object(object))
        }
        if hdr.maximumContentLight != nil || hdr.maximumFrameAverageLight != nil {
            var object = JSONText()
            object.add("maxCLL", hdr.maximumContentLight)
            object.add("maxFALL", hdr.maximumFrameAverageLight)
            part.add("contentLight", .object(object))
        }
        if let vision = hdr.dolbyVision {
            var object = JSONText()
            object.add("profile", vision.profile)
            object.add("level", vision.level)
            object.add("compatibility", vision.compatibility)
            object.add("enhancementLayer", vision.hasEnhancementLayer)
            part.add("dolbyVision", .object(object))
        }
        return part
    }

    private func json(_ cost: VideoAsset.SeekCost) -> JSONText {
        var part = JSONText()
        part.add("basis", cost.basis.rawValue)
        part.add("frames", cost.frameCount)
        part.add("mean", cost.mean)
        part.add("max", cost.max)
        part.add("worstFrame", cost.worstFrame)
        part.add("meanSpared", cost.meanSkippedCount)
        part.add("restarts", cost.restartCount)
        if let advice = cost.advice { part.add("advice", advice) }
        return part
    }

    private func json(_ restarts: VideoAsset.RestartProofSummary) -> JSONText {
        var part = JSONText()
        part.add("byHeader", restarts.provenByHeaderCount)
        part.add("byComparison", restarts.provenByComparisonCount)
        part.add("refuted", restarts.refutedCount)
        part.add("unproven", restarts.unprovenCount)
        part.add("unread", restarts.unreadCount)
        return part
    }

    private func json(_ stream: VideoInfo.Stream) -> JSONText {
        var part = JSONText()
        part.add("index", stream.index)
        part.add("kind", stream.kind.rawValue)
        part.add("codec", stream.codec)
        part.add("chosen", stream.index == info.streamIndex)
        if let profile = stream.profile { part.add("profile", profile) }
        part.add("language", stream.language)
        part.add("title", stream.title)
        part.add("default", stream.isDefault)
        part.add("forced", stream.isForced)
        if let program = stream.program { part.add("program", program) }
        if !stream.roles.isEmpty { part.add("roles", .array(stream.roles.map { .string($0) })) }
        let bitRate = stream.index == info.streamIndex ? info.videoBitRate ?? stream.bitRate : stream.bitRate
        part.add("bitRate", bitRate.map { .integer($0) } ?? .null)
        if let width = stream.width { part.add("width", width) }
        if let height = stream.height { part.add("height", height) }
        let isChosen = stream.index == info.streamIndex
        if let rate = isChosen ? info.frameRate ?? info.averageFrameRate : stream.frameRate {
            part.add("frameRate", rate.doubleValue)
        }
        if let rate = stream.sampleRate { part.add("sampleRate", rate) }
        if let count = stream.channelCount { part.add("channels", count) }
        if let layout = stream.channelLayout { part.add("channelLayout", layout) }
        if let duration = stream.duration { part.add("duration", duration.doubleValue) }
        if let name = stream.fileName { part.add("fileName", name) }
        if let type = stream.mediaType { part.add("mediaType", type) }
        return part
    }

    private func json(_ chapter: VideoInfo.Chapter) -> JSONText {
        var part = JSONText()
        part.add("start", decimal: TimeText(chapter.start).seconds)
        part.add("end", decimal: TimeText(chapter.end).seconds)
        part.add("title", chapter.title)
        return part
    }

    private func coverJSON(_ cover: VideoInfo.Stream) -> JSONText {
        var part = JSONText()
        part.add("stream", cover.index)
        part.add("codec", cover.codec)
        part.add("width", cover.width ?? 0)
        part.add("height", cover.height ?? 0)
        part.add("bytes", cover.pictureByteCount ?? 0)
        return part
    }
}

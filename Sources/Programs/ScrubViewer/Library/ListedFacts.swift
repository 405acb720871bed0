#if Viewer
internal import ScrubBase
internal import ScrubMedia
internal import ScrubPictures

/// The list's facts about a medium.
struct ListedFacts: Sendable {
    let frameCount: Int
    let duration: Double
    /// Of the picture as displayed: upright, with square pixels.
    let width: Int
    let height: Int
    /// Of the picture as stored.
    let codedWidth: Int
    let codedHeight: Int
    let codec: String
    let fingerprint: String
    let start: Double

    /// Blocks the first time.
    init(_ medium: ViewedMedium) throws(ScrubError) {
        let info = try medium.info()
        (frameCount, duration) = (info.frameCount, medium.asset.duration.doubleValue)
        (codedWidth, codedHeight, codec) = (info.width, info.height, info.codec)
        (width, height) = ListedFacts.shownSize(info)
        fingerprint = medium.fingerprint
        start = Double(info.startTimeUnits) * info.timeBase.doubleValue
    }

    /// Returns the columns and rows of the picture as displayed.
    static func shownSize(_ info: VideoInfo) -> (width: Int, height: Int) {
        var (width, height) = (info.width, info.height)
        if let area = info.cleanAperture,
            area.left >= 0, area.top >= 0, area.left + area.width <= width, area.top + area.height <= height
        {
            (width, height) = (area.width, area.height)
        }
        let ratio = info.sampleAspectRatio.flatMap { $0 > .zero ? $0 : nil } ?? .one
        let size = PictureGeometry(sampleAspectRatio: ratio).outputSize(width: width, height: height)
        return info.rotation % 180 == 0 ? size : (size.height, size.width)
    }

    func add(to line: inout JSONText) {
        line.add("state", "ready")
        line.add("frameCount", frameCount)
        line.add("duration", duration)
        line.add("width", width)
        line.add("height", height)
        line.add("codedWidth", codedWidth)
        line.add("codedHeight", codedHeight)
        line.add("codec", codec)
        line.add("fingerprint", fingerprint)
        line.add("start", start)
    }
}
#endif

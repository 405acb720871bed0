internal import ScrubBase
internal import ScrubMedia

/// What the list says of a medium.
struct ListedFacts: Sendable {
    let frameCount: Int
    let duration: Double
    let width: Int
    let height: Int
    let codec: String
    let fingerprint: String
    let start: Double

    /// Blocks when nobody has asked before.
    init(_ medium: ViewedMedium) throws(ScrubError) {
        let info = try medium.info()
        (frameCount, duration) = (info.frameCount, medium.asset.duration.approximation)
        (width, height, codec) = (info.width, info.height, info.codec)
        fingerprint = medium.fingerprint
        start = Double(info.startTime) * info.timeBase.approximation
    }

    func add(to line: inout JSONText) {
        line.add("state", "ready")
        line.add("frameCount", frameCount)
        line.add("duration", duration)
        line.add("width", width)
        line.add("height", height)
        line.add("codec", codec)
        line.add("fingerprint", fingerprint)
        line.add("start", start)
    }
}

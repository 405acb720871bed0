internal import LibAV
internal import ScrubDecoding
internal import ScrubIndex
internal import ScrubPictures

/// What a video is, for people and programs.
public struct VideoInfo: Sendable {
    /// The container's short name, as libavformat calls it.
    public let container: String
    /// The stream's place in the file.
    public let streamIndex: Int
    /// The codec's short name.
    public let codec: String
    /// Visible columns and rows of the coded picture, before rotation and aspect correction.
    public let width: Int
    /// Visible rows of the coded picture.
    public let height: Int
    /// libav's name of the pixel format.
    public let pixelFormat: String
    /// How wide a sample is for its height, nothing when the file doesn't say.
    public let sampleAspectRatio: Rational?
    /// Seconds in a time unit.
    public let timeBase: Rational
    /// The number of presented frames.
    public let frameCount: Int
    /// From the first frame's start to the last frame's end, in time units.
    public let duration: Int64
    /// The container's presentation time of the first frame, in time units.
    public let startTime: Int64
    /// Presented frames that the container calls keyframes.
    public let keyframeCount: Int
    /// Degrees by which the stored picture is turned clockwise to be upright: 0, 90, 180 or 270.
    public let rotation: Int
    /// Whether the stored picture is mirrored left to right, before it is turned.
    public let isMirrored: Bool
    /// What people should know.
    public let warnings: [String]
}

/// What exact answers cost in a video.
public struct SeekCost: Sendable, Hashable {
    /// Coded pictures to decode for a frame, on average over all frames.
    public let mean: Double
    /// The most for any frame.
    public let max: Int
    /// The frame that needs the most.
    public let worstFrame: Int
}

extension VideoAsset {
    /// What the video is. Decodes the first frame where the container does not say how its pixels are stored.
    public func info() throws(ScrubError) -> VideoInfo {
        let facts = index.facts
        let description = facts.descriptions[0]
        var (width, height) = (Int(description.width), Int(description.height))
        var format = PixelFormat(rawValue: description.pixelFormat)
        var aspect = facts.sampleAspectRatio
        var warnings = facts.warnings
        var matrix = facts.displayMatrix
        if format.name.isEmpty {
            var reader = FrameReader(self)
            let first = try reader.frame(at: .first)
            if let shared = first.picture?.shared {
                (width, height, format) = (shared.frame.width, shared.frame.height, shared.frame.pixelFormat)
                aspect = aspect ?? shared.frame.sampleAspectRatio
                matrix = matrix ?? shared.frame.displayMatrix
            } else {
                warnings.append("the first frame cannot be decoded: \(first.verdict.reason ?? "")")
            }
        }
        let orientation = matrix.map { Orientation(displayMatrix: $0) } ?? .upright
        return VideoInfo(
            container: facts.container, streamIndex: facts.streamIndex, codec: description.codecName, width: width,
            height: height, pixelFormat: format.name, sampleAspectRatio: aspect, timeBase: facts.timeBase,
            frameCount: index.frameCount, duration: index.duration,
            startTime: index.presentationTime(ofFrame: 0),
            keyframeCount: frames.count { $0.isKeyframe }, rotation: orientation.degreesClockwise,
            isMirrored: orientation.isMirrored, warnings: warnings)
    }

    /// What exact answers cost. Reads the header of every keyframe, once.
    public func seekCost() -> SeekCost {
        var reader = FrameReader(self)
        var (sum, most, worst) = (0, 0, 0)
        for number in frames.indices {
            let cost = reader.decodeCost(ofFrame: number)
            sum += cost
            if cost > most { (most, worst) = (cost, number) }
        }
        return SeekCost(mean: Double(sum) / Double(Swift.max(1, frames.count)), max: most, worstFrame: worst)
    }
}

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
    /// The part of the picture that the container wants to be seen, before rotation and aspect correction; `nil` for all
    /// of it. Pictures for people are cropped to it, hashes and raw geometry are not.
    public let cleanAperture: PictureArea?
    /// How wide a sample is for its height, `nil` when the file doesn't say.
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
    /// How the places from which decoding may begin are proven.
    public let restarts: RestartProofSummary
    /// What people should know.
    public let warnings: [String]
}

/// How the places from which decoding may begin are proven.
public struct RestartProofSummary: Sendable, Hashable {
    /// By their own picture header, or because each picture of the codec stands alone.
    public let byHeader: Int
    /// By comparing what comes after them with what comes from the restart before.
    public let byComparison: Int
    /// The container's or the encoder's word, and found to be wrong: nothing is decoded from there.
    public let refuted: Int
    /// The container's or the encoder's word, not compared yet: done when a frame after it is asked for.
    public let unproven: Int

    init(_ summary: RestartSummary) {
        (byHeader, byComparison) = (summary.byHeader, summary.byComparison)
        (refuted, unproven) = (summary.refuted, summary.unproven)
    }
}

/// A part of a picture, in pixels.
public struct PictureArea: Sendable, Hashable {
    /// Columns to the left of it.
    public let left: Int
    /// Rows above it.
    public let top: Int
    /// Columns of it.
    public let width: Int
    /// Rows of it.
    public let height: Int
}

/// What exact answers cost in a video.
public struct SeekCost: Sendable, Hashable {
    /// Coded pictures to decode for a frame, on average over all frames.
    public let mean: Double
    /// The most for any frame.
    public let max: Int
    /// The frame that needs the most.
    public let worstFrame: Int
    /// Coded pictures between the restart and the frame that are left out, on average.
    public let meanSpared: Double
    /// Restarts that any frame is decoded from.
    public let restartCount: Int
    /// Frames in the video.
    let frameCount: Int

    /// What would make exact frames cheaper, for people; `nil` when they are cheap.
    public var advice: String? {
        guard mean > 16, frameCount > 0 else { return nil }
        let distance = Double(frameCount) / Double(Swift.max(1, restartCount))
        if meanSpared < 0.05 * mean {
            return "nothing can be left out between restarts, which are \(Int(distance.rounded())) frames apart: "
                + "more of them, or an encoding with hierarchical B pictures, would make frames cheaper"
        }
        if distance > 60 {
            return "restarts are \(Int(distance.rounded())) frames apart: encoded with one every 30 frames, an exact "
                + "frame would take about \(Int((mean * 30 / distance).rounded(.up))) pictures"
        }
        return nil
    }
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
        if let warning = description.dolbyVisionWarning { warnings.append(warning) }
        let orientation = matrix.map { Orientation(displayMatrix: $0) } ?? .upright
        let area = facts.cleanAperture.map {
            PictureArea(left: $0.left, top: $0.top, width: $0.width, height: $0.height)
        }
        return VideoInfo(
            container: facts.container, streamIndex: facts.streamIndex, codec: description.codecName, width: width,
            height: height, pixelFormat: format.name, cleanAperture: area, sampleAspectRatio: aspect,
            timeBase: facts.timeBase,
            frameCount: index.frameCount, duration: index.duration,
            startTime: index.presentationTime(ofFrame: 0),
            keyframeCount: frames.count { $0.isKeyframe }, rotation: orientation.degreesClockwise,
            isMirrored: orientation.isMirrored, restarts: RestartProofSummary(seekPlanner().restartSummary),
            warnings: warnings)
    }

    /// What exact answers cost. Reads the headers of all pictures, once; what they say is saved with the index.
    public func seekCost() -> SeekCost {
        recallDependencies()
        var reader = FrameReader(self)
        var (sum, most, worst, spared) = (0, 0, 0, 0)
        var restarts = Set<Int>()
        for number in frames.indices {
            let cost = reader.cost(ofFrame: number)
            sum += cost.fed
            spared += cost.skipped
            restarts.insert(cost.restart)
            if cost.fed > most { (most, worst) = (cost.fed, number) }
        }
        let count = Double(Swift.max(1, frames.count))
        return SeekCost(
            mean: Double(sum) / count, max: most, worstFrame: worst, meanSpared: Double(spared) / count,
            restartCount: restarts.count, frameCount: frames.count)
    }
}

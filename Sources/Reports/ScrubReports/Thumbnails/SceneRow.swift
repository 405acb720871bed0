package import ScrubBase
package import ScrubMedia
package import ScrubThumbnails

/// A scene in a list, for programs and people.
package struct SceneRow: Sendable {
    /// Counted from 0.
    package let number: Int
    package let start: Rational
    package let end: Rational
    package let frames: ClosedRange<Int>
    /// The frame that represents it.
    package let frame: Int
    package let scene: VideoScene

    /// Creates the rows of a film's scenes.
    package static func rows(_ scenes: [VideoScene], of asset: VideoAsset) -> [SceneRow] {
        scenes.enumerated().map { SceneRow(number: $0, scene: $1, asset: asset) }
    }

    private init(number: Int, scene: VideoScene, asset: VideoAsset) {
        (self.number, start, end, frame, self.scene) = (number, scene.start, scene.end, scene.frameNumber, scene)
        let first = asset.frame(onScreenAt: scene.start)
        // The next scene's first frame appears at this scene's end. The last scene ends with the last frame.
        let next = scene.end < asset.duration ? asset.frame(onScreenAt: scene.end) : asset.frames.count
        frames = first...max(first, next - 1)
    }

    private var strength: String { "\((scene.strength * 1000).rounded() / 1000)" }
    private var length: Rational { end.subtracting(start) ?? .zero }

    /// The line before the rows of a table.
    package static let csvHead = "scene,start,end,seconds,firstFrame,lastFrame,frame,strength"

    package var csv: String {
        let times = [start, end, length].map { TimeText($0).seconds }.joined(separator: ",")
        return "\(number),\(times),\(frames.lowerBound),\(frames.upperBound),\(frame),\(strength)"
    }

    package var json: JSONText {
        var line = JSONText()
        line.add("scene", number)
        line.add("start", decimal: TimeText(start).seconds)
        line.add("end", decimal: TimeText(end).seconds)
        line.add("seconds", decimal: TimeText(length).seconds)
        line.add("firstFrame", frames.lowerBound)
        line.add("lastFrame", frames.upperBound)
        line.add("frame", frame)
        line.add("strength", decimal: strength)
        return line
    }

    package var text: String {
        "\(number)\t\(TimeText(start).clock)\t\(TimeText(end).clock)\tf\(frames.lowerBound)-f\(frames.upperBound)\t\(strength)"
    }
}

package import ScrubBase

/// The text of a frame map, in pieces: a header, a piece for each frame, an end. Pure.
///
/// Memory: none for the frames, so videos of any length can be written.
package struct FrameMapText: Sendable {
    private let format: FrameMapFormat
    private let film: Film
    private var isFirst = true

    /// The facts in the header.
    package struct Film: Sendable, Hashable {
        /// The file's name without its folder.
        package var name: String
        /// The coded picture's size, before rotation.
        package var width: Int
        package var height: Int
        package var frameCount: Int
        /// The stream's index in its file.
        package var stream: Int
        package var timeBase: Rational

        package init(name: String, width: Int, height: Int, frameCount: Int, stream: Int, timeBase: Rational) {
            (self.name, self.width, self.height) = (name, width, height)
            (self.frameCount, self.stream, self.timeBase) = (frameCount, stream, timeBase)
        }
    }

    package init(_ format: FrameMapFormat, of film: Film) { (self.format, self.film) = (format, film) }

    /// The text before the first frame.
    package var head: String {
        switch format {
        case .torchcodec: return "{\"frames\":["
        case .csv: return "frame,pts,time,seconds,duration,keyframe\n"
        case .timecodes: return "# timestamp format v2\n"
        case .json:
            var object = JSONText()
            object.add("file", film.name)
            object.add("stream", film.stream)
            object.add("timeBase", film.timeBase.slashed)
            object.add("frameCount", film.frameCount)
            return object.text.dropLast() + ",\"frames\":["
        case .cvat:
            var (version, type, properties, facts) = (JSONText(), JSONText(), JSONText(), JSONText())
            version.add("version", "1.1")
            type.add("type", "video")
            facts.add("name", film.name)
            facts.add("resolution", .array([.integer(Int64(film.width)), .integer(Int64(film.height))]))
            facts.add("length", film.frameCount)
            properties.add("properties", .object(facts))
            return [version, type, properties].map { $0.text + "\n" }.joined()
        }
    }

    /// Returns the piece for the next frame, which may be empty.
    package mutating func piece(_ frame: MappedFrame) -> String {
        let separator = isFirst ? "\n" : ",\n"
        isFirst = false
        switch format {
        case .torchcodec:
            var object = JSONText()
            object.add("pts", frame.presentationTime)
            object.add("duration", frame.duration)
            object.add("key_frame", frame.isKey ? 1 : 0)
            return separator + object.text
        case .cvat:
            guard frame.isKey else { return "" }
            var object = JSONText()
            object.add("number", frame.number)
            object.add("pts", frame.presentationTime)
            return object.text + "\n"
        case .csv:
            let fields = [
                "\(frame.number)", "\(frame.presentationTime)", seconds(frame.offset), frame.seconds,
                seconds(frame.duration), frame.isKey ? "1" : "0",
            ]
            return fields.joined(separator: ",") + "\n"
        case .json:
            var object = JSONText()
            object.add("frame", frame.number)
            object.add("pts", frame.presentationTime)
            object.add("time", seconds(frame.offset))
            object.add("seconds", decimal: frame.seconds)
            object.add("duration", seconds(frame.duration))
            object.add("keyframe", frame.isKey)
            return separator + object.text
        case .timecodes: return milliseconds(frame.offset) + "\n"
        }
    }

    /// The text after the last frame.
    package var end: String {
        switch format {
        case .torchcodec, .json: "\n]}\n"
        case .cvat, .csv, .timecodes: ""
        }
    }

    /// Returns a time in seconds as an exact ratio.
    private func seconds(_ units: Int64) -> String {
        (Rational(checked: units, 1)?.multiplied(by: film.timeBase) ?? .zero).slashed
    }

    /// Returns a time in milliseconds, truncated to nine decimals.
    private func milliseconds(_ units: Int64) -> String {
        let thousandths = Rational(checked: units, 1)?.multiplied(by: film.timeBase)?.multiplied(by: Rational(1000))
        return TimeText(thousandths ?? .zero).seconds
    }
}

package import ScrubBase

/// The part that a file promises and doesn't hold, because it was cut short or never written to its end.
package struct MissingPart: Sendable, Equatable {
    /// Pictures that the container lists and whose bytes are not in the file; nil when it doesn't list them.
    package var pictureCount: Int?
    /// Bytes that the container says to have and hasn't; nil when it doesn't say.
    package var byteCount: Int64?
    /// The duration of the missing part, in time base units; nil if the container doesn't give it.
    package var duration: Int64?

    package init(pictureCount: Int? = nil, byteCount: Int64? = nil, duration: Int64? = nil) {
        self.pictureCount = pictureCount
        self.byteCount = byteCount
        self.duration = duration
    }

    /// Returns a sentence for people.
    package func sentence(timeBase: Rational) -> String {
        var parts: [String] = []
        if let pictureCount, pictureCount > 0 {
            parts.append(PlainText.amount(pictureCount, "picture"))
        }
        if let duration, duration > 0 {
            let milliseconds = (Double(duration) * timeBase.approximation * 1000).rounded()
            if milliseconds < 1e15 { parts.append("\(milliseconds / 1000) s") }
        }
        if let byteCount, byteCount > 0 { parts.append(PlainText.amount(byteCount, "byte")) }
        let text = "the file is cut short"
        return parts.isEmpty
            ? text + " inside a picture" : text + ": \(parts.joined(separator: ", ")) of it are missing"
    }
}

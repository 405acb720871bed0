package import ScrubBase

/// The part that a file declares but does not contain, because it was cut off or never completely written.
package struct MissingRange: Sendable, Equatable {
    /// The number of pictures that the container lists but whose bytes are not in the file; `nil` if the container does
    /// not list pictures.
    package var pictureCount: Int?
    /// The number of bytes that the container declares but the file does not have; `nil` if the container does not
    /// declare a size.
    package var byteCount: Int64?
    /// The duration of the missing part, in time base units; `nil` if the container does not specify it.
    package var duration: Int64?

    package init(pictureCount: Int? = nil, byteCount: Int64? = nil, duration: Int64? = nil) {
        self.pictureCount = pictureCount
        self.byteCount = byteCount
        self.duration = duration
    }

    /// Returns a sentence for display.
    package func sentence(timeBase: Rational) -> String {
        var parts: [String] = []
        if let pictureCount, pictureCount > 0 {
            parts.append(PlainText.amount(pictureCount, "picture"))
        }
        if let duration, duration > 0 {
            let milliseconds = (Double(duration) * timeBase.doubleValue * 1000).rounded()
            if milliseconds < 1e15 { parts.append("\(milliseconds / 1000) s") }
        }
        if let byteCount, byteCount > 0 { parts.append(PlainText.amount(byteCount, "byte")) }
        let text = "the file is truncated"
        return parts.isEmpty
            ? text + " inside a picture" : text + ": \(parts.joined(separator: ", ")) are missing"
    }
}

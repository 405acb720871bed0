internal import ScrubBase
package import ScrubMedia

/// A frame as written in frame maps.
package struct MappedFrame: Sendable, Hashable {
    /// The frame's number in display order, from 0.
    package var number: Int
    /// The container's presentation time, in units of the time base.
    package var presentationTime: Int64
    /// The time after the first frame, in units of the time base.
    package var offset: Int64
    /// The duration, in units of the time base.
    package var duration: Int64
    /// The time after the first frame in seconds, as a decimal number.
    package var seconds: String
    /// Whether it is a keyframe in the sense of the map.
    package var isKey: Bool

    package init(
        number: Int, presentationTime: Int64, offset: Int64, duration: Int64, seconds: String, isKey: Bool
    ) {
        (self.number, self.presentationTime, self.offset) = (number, presentationTime, offset)
        (self.duration, self.seconds, self.isKey) = (duration, seconds, isKey)
    }

    /// Creates a frame.
    ///
    /// - Parameter isKey: whether it is a keyframe; `nil` for the container's claim.
    package init(_ frame: PresentedFrame, isKey: Bool? = nil) {
        self.init(
            number: frame.number, presentationTime: frame.presentationTime, offset: frame.offset,
            duration: frame.durationUnits, seconds: frame.secondsText, isKey: isKey ?? frame.isKeyframe)
    }
}

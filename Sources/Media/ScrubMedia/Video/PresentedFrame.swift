internal import ScrubFileIO
internal import ScrubIndex

/// A frame of the presentation, as described by the container's tables. This information is available without decoding.
///
/// Thread safety: a value type.
public struct PresentedFrame: Hashable, Sendable {
    /// The frame's number in display order, from 0.
    public let number: Int
    /// The frame's number in the film; `nil` if the video is only partly known and frames before this one may be
    /// missing. In that case, ``number`` counts the known frames.
    package let knownNumber: Int?
    /// The container's presentation time, in units of ``timeBase``.
    package let presentationTime: Int64
    /// The time at which the frame appears on screen after the first frame, in units of ``timeBase``. It is never less
    /// than the previous frame's offset.
    package let offset: Int64
    /// The duration, in units of ``timeBase``.
    package let durationUnits: Int64
    /// The duration of a time unit in seconds.
    package let timeBase: Rational
    /// Whether the container marks the frame as a keyframe.
    public let isKeyframe: Bool
    /// The time from the start of the previous frame to this one's, in units of ``timeBase``; `nil` for the first
    /// frame.
    let lead: Int64?

    /// A placeholder for the first frame of a video whose frames are not known yet.
    package static var placeholder: PresentedFrame {
        PresentedFrame(
            number: 0, knownNumber: 0, presentationTime: 0, offset: 0, durationUnits: 0, timeBase: .one,
            isKeyframe: false, lead: nil)
    }

    /// The time at which the frame appears on screen, in seconds after the first frame.
    public var time: Rational { Rational(units: offset, of: timeBase) }
    /// How long the frame stays on screen, in seconds.
    public var duration: Rational { Rational(units: durationUnits, of: timeBase) }
    /// The frame's presentation time in the container, in seconds: ffmpeg's `pts_time`. The first frame's time is not
    /// always 0.
    public var containerTime: Rational { Rational(units: presentationTime, of: timeBase) }
    /// Seconds after the first frame, for display: the `Double` nearest to ``time``.
    ///
    /// `FramePosition.seconds(frame.seconds)` names this frame. To write the time as text, use ``formatted(_:)``.
    public var seconds: Double { Double(offset) * Double(timeBase.numerator) / Double(timeBase.denominator) }

    /// Returns the frame's time as text: `0:02.933`.
    ///
    /// The time is truncated, not rounded. The text names this frame when it is parsed as a ``FramePosition`` (for
    /// ``Rational/TimeFormat/seconds``, with an `s` appended). It has more than three decimals if neighboring frames
    /// are too close together for three. If several frames share a time because they have no duration, the text names
    /// the last of them.
    public func formatted(_ format: Rational.TimeFormat = .clock) -> String {
        format.text(TimeText(time, after: lead.map { Rational(units: $0, of: timeBase) }))
    }

    /// The frame's number in a sentence.
    package var numberText: String { PresentedFrame.text(ofNumber: knownNumber) }

    /// Returns a frame's number in a sentence.
    package static func text(ofNumber number: Int?) -> String {
        number.map { "frame \($0)" } ?? "a frame whose number is not known yet"
    }

    /// The time as players show it, truncated to milliseconds.
    package var timeText: String { formatted(.clock) }
    /// Seconds after the first frame as a decimal number, truncated to at most nine decimals.
    package var secondsText: String { formatted(.seconds) }
    /// The duration in seconds, for display.
    package var durationSeconds: Double { Double(durationUnits) * timeBase.doubleValue }
}

/// The frames of a video in display order.
public struct PresentedFrames: RandomAccessCollection, Sendable {
    let index: FrameIndex

    /// The first frame number, 0.
    public var startIndex: Int { 0 }
    /// The number of frames.
    public var endIndex: Int { index.frameCount }

    /// Traps if a caller violates the precondition that the frame exists.
    func require(_ number: Int) {
        precondition(
            indices.contains(number), "there is no frame \(number): use a number in frames.indices, 0..<\(count)")
    }

    /// The frame with the given number.
    ///
    /// - Precondition: the frame exists.
    public subscript(number: Int) -> PresentedFrame {
        require(number)
        let picture = Int(index.frames[number])
        return PresentedFrame(
            number: number, knownNumber: index.number(ofFrame: number),
            presentationTime: index.presentationTime(ofFrame: number),
            offset: index.offset(ofFrame: number), durationUnits: index.duration(ofFrame: number),
            timeBase: index.facts.timeBase,
            isKeyframe: index.pictures.flags[picture].contains(.key), lead: index.lead(ofFrame: number))
    }
}

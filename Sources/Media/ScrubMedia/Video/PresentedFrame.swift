internal import ScrubFileIO
internal import ScrubIndex

/// One frame of the presentation, according to the container's tables. The information is available without decoding.
public struct PresentedFrame: Hashable, Sendable {
    /// The frame's number in display order, from 0.
    public let number: Int
    /// The container's presentation time, in units of ``timeBase``.
    public let presentationTime: Int64
    /// The time at which the frame appears on screen after the first frame, in units of ``timeBase``. It is never less
    /// than the previous frame's offset.
    public let offset: Int64
    /// The duration, in units of ``timeBase``.
    public let duration: Int64
    /// The duration of a time unit in seconds.
    public let timeBase: Rational
    /// Whether the container marks the frame as a keyframe.
    public let isKeyframe: Bool
    /// The time from the start of the previous frame to this one's, in units of ``timeBase``; `nil` for the first
    /// frame.
    let lead: Int64?

    /// A placeholder for the first frame of a video whose frames are not known yet.
    package static var placeholder: PresentedFrame {
        PresentedFrame(
            number: 0, presentationTime: 0, offset: 0, duration: 0, timeBase: .one, isKeyframe: false, lead: nil)
    }

    /// The time at which the frame appears on screen, in seconds after the first frame.
    public var time: Rational { Rational(units: offset, of: timeBase) }
    /// Seconds after the first frame, for display: the `Double` nearest to ``time``. To write the time as text, use
    /// ``secondsText``.
    public var seconds: Double { Double(offset) * Double(timeBase.numerator) / Double(timeBase.denominator) }
    /// The duration in seconds, for display.
    public var durationSeconds: Double { Double(duration) * timeBase.approximation }

    /// The time as players show it, truncated to milliseconds: `0:02.933`. Parsed as a ``FramePosition``, it names this
    /// frame. It has more decimals if frames are so close together that three decimals are not enough.
    ///
    /// If several frames share a time because they have no duration, the text names the last of them.
    public var timeText: String { text.clock }
    /// Seconds after the first frame as a decimal number, truncated to at most nine decimals: `2.933333333`. With a
    /// trailing `s` and parsed as a ``FramePosition``, it names this frame, as ``timeText`` does.
    public var secondsText: String { text.seconds }

    private var text: TimeText { TimeText(time, after: lead.map { Rational(units: $0, of: timeBase) }) }
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
        precondition(indices.contains(number), "there is no frame \(number): use one of frames.indices, 0..<\(count)")
    }

    /// The frame with the given number.
    ///
    /// - Precondition: the frame exists.
    public subscript(number: Int) -> PresentedFrame {
        require(number)
        let picture = Int(index.frames[number])
        return PresentedFrame(
            number: number, presentationTime: index.presentationTime(ofFrame: number),
            offset: index.offset(ofFrame: number),
            duration: index.duration(ofFrame: number), timeBase: index.facts.timeBase,
            isKeyframe: index.pictures.flags[picture].contains(.key), lead: index.lead(ofFrame: number))
    }
}

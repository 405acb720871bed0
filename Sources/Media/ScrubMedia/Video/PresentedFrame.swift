internal import ScrubFileIO
internal import ScrubIndex

/// One frame of the presentation, as the container's tables tell it; nothing is decoded for it.
public struct PresentedFrame: Hashable, Sendable {
    /// Its number in display order, from 0.
    public let number: Int
    /// The container's presentation time, in units of ``timeBase``.
    public let presentationTime: Int64
    /// The time at which it comes on screen after the first frame, in units of ``timeBase``; never before its
    /// predecessor.
    public let offset: Int64
    /// The duration, in units of ``timeBase``.
    public let duration: Int64
    /// Seconds that one time unit is.
    public let timeBase: Rational
    /// Whether the container calls it a keyframe.
    public let isKeyframe: Bool
    /// The time from the beginning of the frame before to its own, in units of ``timeBase``; `nil` for the first frame.
    let lead: Int64?

    /// Stands for the first frame of a video whose frames are not known yet.
    package static var placeholder: PresentedFrame {
        PresentedFrame(
            number: 0, presentationTime: 0, offset: 0, duration: 0, timeBase: .one, isKeyframe: false, lead: nil)
    }

    /// The time at which it comes on screen, in seconds after the first frame.
    public var time: Rational { Rational(units: offset, of: timeBase) }
    /// Seconds after the first frame, for display: the `Double` nearest to ``time``. Write ``secondsText`` instead.
    public var seconds: Double { Double(offset) * Double(timeBase.numerator) / Double(timeBase.denominator) }
    /// The duration in seconds, for display.
    public var durationSeconds: Double { Double(duration) * timeBase.approximation }

    /// The time as players show it, cut off after milliseconds: `0:02.933`. Read as a ``FramePosition`` it names this
    /// frame; where frames lie so close together that three decimals are not enough, it has more.
    ///
    /// Of frames that share a time, which have no duration, it names the last.
    public var timeText: String { text.clock }
    /// Seconds after the first frame as a decimal number, cut off after nine decimals at most: `2.933333333`. With an
    /// `s` behind it and read as a ``FramePosition``, it names this frame, as ``timeText`` does.
    public var secondsText: String { text.seconds }

    private var text: TimeText { TimeText(time, after: lead.map { Rational(units: $0, of: timeBase) }) }
}

/// The frames of a video in display order.
public struct PresentedFrames: RandomAccessCollection, Sendable {
    let index: FrameIndex

    /// 0.
    public var startIndex: Int { 0 }
    /// The number of frames.
    public var endIndex: Int { index.frameCount }

    /// Traps where a caller broke the promise to name a frame that exists.
    func require(_ number: Int) {
        precondition(indices.contains(number), "there is no frame \(number): name one of frames.indices, 0..<\(count)")
    }

    /// The frame with a number.
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

/// An SMPTE timecode label (SMPTE ST 12-1): hours, minutes, seconds and the frame within the second.
///
/// | written | means |
/// |---|---|
/// | `01:00:03:12` | non-drop-frame: every label is used |
/// | `01:00:03;12` | drop-frame, for 29.97 and 59.94 frames per second: at the start of every minute except every tenth, two labels (four at 59.94) are skipped, so that labels stay in step with the clock |
///
/// A label alone is not a time: the number of frames before it depends on the ``Rate``.
public struct Timecode: Hashable, Sendable {
    /// Hours, 0 to 23, or up to 99 in files whose labels continue past 24 hours.
    public let hours: Int
    /// Minutes, 0 to 59.
    public let minutes: Int
    /// Seconds, 0 to 59.
    public let seconds: Int
    /// The frame within the second, from 0.
    public let frames: Int
    /// Whether the timecode is drop-frame.
    public let isDropFrame: Bool

    /// Creates a label from its parts.
    ///
    /// - Throws: `usage` if hours are above 99, if minutes, seconds or frames are above 59, or if any number is
    ///   negative.
    public init(hours: Int, minutes: Int, seconds: Int, frames: Int, isDropFrame: Bool = false) throws(ScrubError) {
        (self.hours, self.minutes, self.seconds) = (hours, minutes, seconds)
        (self.frames, self.isDropFrame) = (frames, isDropFrame)
        guard (0..<100).contains(hours), (0..<60).contains(minutes), (0..<60).contains(seconds),
            (0..<60).contains(frames)
        else {
            throw ScrubError(
                .usage, "'\(self)' is not a timecode",
                advice: "minutes and seconds range from 00 to 59, as in 23:59:59:24")
        }
    }

    /// Creates a label from text: `hh:mm:ss:ff`, or `hh:mm:ss;ff` for drop-frame.
    ///
    /// - Throws: `usage` if the text is not a timecode.
    public init(_ text: String) throws(ScrubError) {
        guard let timecode = try Timecode.parse(text) else {
            throw ScrubError(
                .usage, "'\(text)' is not a timecode", advice: "write 01:00:03:12, or 01:00:03;12 for drop-frame")
        }
        self = timecode
    }

    /// Parses a timecode.
    ///
    /// - Returns: the timecode; `nil` for text in another form.
    static func parse(_ text: String) throws(ScrubError) -> Timecode? {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == ";" }
        guard parts.count == 4, (1...2).contains(parts[0].count), parts.dropFirst().allSatisfy({ $0.count == 2 }),
            parts.allSatisfy({ $0.allSatisfy { ("0"..."9").contains($0) } })
        else { return nil }
        let separators = text.filter { $0 == ":" || $0 == ";" }
        guard separators == ":::" || separators == "::;" else { return nil }
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == 4 else { return nil }
        return try Timecode(
            hours: numbers[0], minutes: numbers[1], seconds: numbers[2], frames: numbers[3],
            isDropFrame: separators == "::;")
    }

    /// Creates the label of a frame.
    ///
    /// - Parameters:
    ///   - number: the number of frames since 00:00:00:00. Labels wrap around after 24 hours and below 0.
    ///   - isDropFrame: whether the label is drop-frame.
    /// - Precondition: `isDropFrame` is true only at rates that support drop-frame (``Rate/supportsDropFrame``).
    public init(frameNumber number: Int, rate: Rate, isDropFrame: Bool = false) {
        precondition(
            !isDropFrame || rate.supportsDropFrame, "there is no drop-frame timecode at \(rate) frames per second")
        let day = rate.framesPerDay(isDropFrame: isDropFrame)
        var place = number % day
        if place < 0 { place += day }
        if isDropFrame {
            // The labels dropped before this frame: in nine of every ten minutes, and none before the first of those.
            let (tens, rest) = place.quotientAndRemainder(dividingBy: rate.framesPerTenMinutes)
            let minute = rate.nominal * 60 - rate.dropped
            place += 9 * rate.dropped * tens
            if rest >= rate.nominal * 60 { place += rate.dropped * ((rest - rate.nominal * 60) / minute + 1) }
        }
        let second = place / rate.nominal
        (hours, minutes, seconds) = (second / 3600, second / 60 % 60, second % 60)
        (frames, self.isDropFrame) = (place % rate.nominal, isDropFrame)
    }

    /// Returns the number of frames before this label, counted from 00:00:00:00.
    ///
    /// - Throws: `usage` if the label does not exist at this rate.
    public func frameNumber(at rate: Rate) throws(ScrubError) -> Int {
        guard frames < rate.nominal else {
            throw ScrubError(
                .usage, "the timecode \(self) is not valid: there is no frame \(frames) at \(rate) frames per second",
                advice: "frame numbers range from 00 to \(rate.nominal - 1)")
        }
        let minute = hours * 60 + minutes
        let labels = (minute * 60 + seconds) * rate.nominal + frames
        guard isDropFrame else { return labels }
        guard rate.supportsDropFrame else {
            throw ScrubError(
                .usage, "the timecode \(self) is drop-frame, which does not exist at \(rate) frames per second",
                advice: "write a colon before the frame number")
        }
        guard minutes % 10 == 0 || seconds > 0 || frames >= rate.dropped else {
            let last = PlainText.padded(rate.dropped - 1, to: 2)
            throw ScrubError(
                .usage,
                "the timecode \(self) does not exist: drop-frame skips ;00 to ;\(last) at the start of every minute except every tenth",
                advice: "the first frame of this minute is ;\(PlainText.padded(rate.dropped, to: 2))")
        }
        return labels - rate.dropped * (minute - minute / 10)
    }
}

extension Timecode: CustomStringConvertible {
    /// The label as text: `hh:mm:ss:ff`, with a semicolon before the frame number for drop-frame.
    public var description: String {
        let parts = [hours, minutes, seconds].map { PlainText.padded($0, to: 2) }
        return parts.joined(separator: ":") + (isDropFrame ? ";" : ":") + PlainText.padded(frames, to: 2)
    }
}

extension Timecode {
    /// A frame rate that timecode supports: 24, 25, 30, 50 or 60 frames per second, or 1000/1001 times 24, 30 or 60.
    public struct Rate: Hashable, Sendable {
        /// Labels per second: 24, 25, 30, 50 or 60.
        public let nominal: Int
        /// Whether the frame rate is 1000/1001 of the label rate: 23.976, 29.97 or 59.94.
        public let isNTSC: Bool

        private init(_ nominal: Int, isNTSC: Bool = false) { (self.nominal, self.isNTSC) = (nominal, isNTSC) }

        /// All rates.
        public static let all = [
            Rate(24, isNTSC: true), Rate(24), Rate(25), Rate(30, isNTSC: true), Rate(30), Rate(50),
            Rate(60, isNTSC: true), Rate(60),
        ]

        /// Creates a rate, or returns `nil` for an unsupported rate.
        public init?(framesPerSecond: Rational) {
            guard let rate = Rate.all.first(where: { $0.framesPerSecond == framesPerSecond }) else { return nil }
            self = rate
        }

        /// The exact number of frames per second.
        public var framesPerSecond: Rational {
            isNTSC ? Rational(Int64(nominal) * 1000, 1001) : Rational(Int64(nominal))
        }

        /// Whether drop-frame timecode exists for the rate. It exists for 29.97 and 59.94 (SMPTE ST 12-1).
        public var supportsDropFrame: Bool { isNTSC && nominal != 24 }

        /// The number of labels that drop-frame drops in a minute: 2 at 30 per second, 4 at 60.
        var dropped: Int { nominal / 15 }
        /// The number of frames in ten minutes of drop-frame timecode.
        var framesPerTenMinutes: Int { nominal * 600 - 9 * dropped }

        /// Returns the number of frames until labels wrap around.
        package func framesPerDay(isDropFrame: Bool) -> Int {
            isDropFrame ? framesPerTenMinutes * 144 : nominal * 86_400
        }
    }
}

extension Timecode.Rate: CustomStringConvertible {
    /// The usual name: `25`, `23.976`, `29.97`.
    public var description: String {
        guard isNTSC else { return "\(nominal)" }
        return nominal == 24 ? "23.976" : nominal == 30 ? "29.97" : "59.94"
    }
}

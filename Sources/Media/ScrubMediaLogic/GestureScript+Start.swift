public import ScrubBase

extension ScrubGesture.Script {
    /// The starting conditions of a generated gesture.
    ///
    /// Thread safety: a value type.
    public struct Start: Hashable, Sendable {
        /// The width in points that represents the whole duration.
        public let width: Rational
        /// The playhead as a fraction of the duration, in 0...1.
        public let startFraction: Rational
        /// Whether the medium is playing.
        public let isPlaying: Bool
        /// The seed of the finger's jitter. The same seed always gives the same script.
        public let seed: UInt64

        /// Creates starting conditions. By default, the medium is playing, the playhead is in the middle, and the view
        /// is 1000 points wide.
        ///
        /// - Precondition: `width` is above 0 and `startFraction` is in 0...1.
        public init(
            width: Rational = Rational(1000), startFraction: Rational = Rational(1, 2), isPlaying: Bool = true,
            seed: UInt64 = 0
        ) {
            precondition(width > .zero, "width is \(width): use a value above 0")
            precondition(
                (.zero ... .one).contains(startFraction),
                "startFraction is \(startFraction): use a fraction from 0 to 1")
            self.width = width
            self.startFraction = startFraction
            self.isPlaying = isPlaying
            self.seed = seed
        }

        /// Returns the points from the beginning to `fraction` of the duration, rounded down to 1/1024 point.
        func points(to fraction: Rational) -> Rational {
            let unit = { (fraction: Rational) in
                fraction.multiplied(by: width)?.scaledDown(1024) ?? fraction.scaledDown(1 << 20) * width.scaledDown(
                    1024) >> 20
            }
            let steps = unit(fraction.clamped(to: .zero ... .one)) - unit(startFraction)
            return Rational(reducing: steps, 1024) ?? .zero
        }

        /// Returns a script at 60 Hz: the beginning at 0, one movement for each tick that has one, and the end one tick
        /// after the last.
        func script(_ translations: [ScrubGesture.Translation?], end: Phase = .ended) -> ScrubGesture.Script {
            var events = [Event(milliseconds: 0, phase: .began)]
            for (i, translation) in translations.enumerated() {
                guard let translation else { continue }
                events.append(Event(milliseconds: Self.time(ofTick: i + 1), phase: .changed, translation: translation))
            }
            events.append(Event(milliseconds: Self.time(ofTick: translations.count + 1), phase: end))
            return ScrubGesture.Script(
                width: width, startPosition: "\(startFraction.numerator)/\(startFraction.denominator)",
                isPlaying: isPlaying, events: events)
        }

        /// 1000 i / 60 ms, rounded; thirds never fall on halves.
        private static func time(ofTick i: Int) -> Int { (i * 100 + 3) / 6 }
    }
}

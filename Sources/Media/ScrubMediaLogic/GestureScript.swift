public import ScrubBase

extension ScrubGesture {
    /// A recorded or generated gesture: the script that `scrub gesture` plays.
    ///
    /// Thread safety: a value type.
    public struct Script: Hashable, Sendable {
        /// A phase that a gesture recognizer reports.
        public enum Phase: String, Hashable, Sendable, CaseIterable {
            /// The finger starts to pan.
            case began
            /// The finger has moved.
            case changed
            /// The finger has lifted.
            case ended
            /// The system cancelled the gesture.
            case cancelled
            /// The gesture was not a pan.
            case failed

            /// Whether this is a final phase, which no other phase can follow.
            public var isEnd: Bool {
                switch self {
                case .began, .changed: false
                case .ended, .cancelled, .failed: true
                }
            }
        }

        /// A report from a gesture recognizer.
        public struct Event: Hashable, Sendable {
            /// Milliseconds from the script's start.
            public var milliseconds: Int
            /// The reported phase.
            public var phase: Phase
            /// The finger's position relative to the start of the gesture. It is used only for ``Phase/changed``.
            public var translation: ScrubGesture.Translation

            /// Creates an event.
            public init(milliseconds: Int, phase: Phase, translation: ScrubGesture.Translation = .zero) {
                self.milliseconds = milliseconds
                self.phase = phase
                self.translation = translation
            }
        }

        /// The width in points that represents the whole duration.
        public var width: Rational
        /// The playhead before the gesture, as the text of a ``FramePosition``.
        public var startPosition: String
        /// Whether the medium is playing before the gesture.
        public var isPlaying: Bool
        /// The events, in order of time.
        public var events: [Event]

        /// Creates a script without validating it; see ``validate()``.
        public init(width: Rational, startPosition: String, isPlaying: Bool, events: [Event]) {
            self.width = width
            self.startPosition = startPosition
            self.isPlaying = isPlaying
            self.events = events
        }

        /// Checks that the script can be played. A script must have a width above 0, a valid beginning position, and
        /// times that start at 0 or later and never decrease. The first event must be ``Phase/began``, which may occur
        /// only once, and no event may follow a final phase. A script may end without a final phase.
        ///
        /// - Throws: ``ScrubError/Code/badData`` with the location of the first fault.
        public func validate() throws(ScrubError) {
            guard width > .zero else {
                throw fault(
                    "width", "it is not above 0",
                    advice: "set it to the number of points that represent the whole video, such as 1000")
            }
            do {
                _ = try FramePosition(startPosition)
            } catch {
                throw fault("begin", error.cause, advice: error.advice)
            }
            guard let first = events.first else {
                throw fault("events", "the list is empty", advice: "begin with an event whose phase is 'began'")
            }
            guard first.phase == .began else {
                throw fault(
                    "event 0", "the first event is not 'began'", advice: "begin with {\"ms\": 0, \"phase\": \"began\"}")
            }
            guard first.milliseconds >= 0 else {
                throw fault("event 0", "the time is below 0", advice: "use times of 0 ms or more")
            }
            for (place, (event, next)) in zip(events, events.dropFirst()).enumerated() {
                let name = "event \(place + 1)"
                if event.phase.isEnd {
                    throw fault(
                        name, "it follows the final phase '\(event.phase.rawValue)'",
                        advice: "remove all events after that phase")
                }
                if next.phase == .began {
                    throw fault(
                        name, "a second 'began'",
                        advice: "change it to 'changed', or move the second gesture to another script")
                }
                if next.milliseconds < event.milliseconds {
                    throw fault(
                        name, "\(next.milliseconds) ms is before \(event.milliseconds) ms",
                        advice: "sort the events by time")
                }
            }
        }

        private func fault(_ place: String, _ cause: String, advice: String? = nil) -> ScrubError {
            ScrubError(.badData, cause, place: place, advice: advice)
        }
    }
}

public import ScrubBase

extension ScrubGesture {
    /// A recorded or made-up gesture: the script that `scrub gesture` plays.
    ///
    /// Thread safety: a value.
    public struct Script: Hashable, Sendable {
        /// A phase that a recogniser reports.
        public enum Phase: String, Hashable, Sendable, CaseIterable {
            /// The finger starts to pan.
            case began
            /// It has moved.
            case changed
            /// It is up.
            case ended
            /// The system took the gesture away.
            case cancelled
            /// It was no pan.
            case failed

            /// Whether nothing can come after it.
            public var isEnd: Bool {
                switch self {
                case .began, .changed: false
                case .ended, .cancelled, .failed: true
                }
            }
        }

        /// One report of a recogniser.
        public struct Event: Hashable, Sendable {
            /// Milliseconds from the script's start.
            public var milliseconds: Int
            /// The reported phase.
            public var phase: Phase
            /// The finger's place, from where the gesture began; it counts in ``Phase/changed`` only.
            public var translation: ScrubGesture.Translation

            /// Makes an event.
            public init(milliseconds: Int, phase: Phase, translation: ScrubGesture.Translation = .zero) {
                self.milliseconds = milliseconds
                self.phase = phase
                self.translation = translation
            }
        }

        /// Points that stand for the whole duration.
        public var width: Rational
        /// The playhead before the gesture, as the text of a ``FramePosition``.
        public var begin: String
        /// Whether the medium plays before the gesture.
        public var isPlaying: Bool
        /// The reports, in the order of their times.
        public var events: [Event]

        /// Makes a script without looking at it; ``validate()`` does.
        public init(width: Rational, begin: String, isPlaying: Bool, events: [Event]) {
            self.width = width
            self.begin = begin
            self.isPlaying = isPlaying
            self.events = events
        }

        /// Proves that the script can be played. It needs a width above 0, a beginning that is a position, times from 0
        /// that never decrease. ``Phase/began`` comes first and only first, and no step comes after an end. A script
        /// need not end.
        ///
        /// - Throws: ``ScrubError/Code/badData`` with the place of the first fault.
        public func validate() throws(ScrubError) {
            guard width > .zero else {
                throw fault(
                    "width", "it is not above 0",
                    advice: "write the points that stand for the whole video, such as 1000")
            }
            do {
                _ = try FramePosition(begin)
            } catch {
                throw fault("begin", error.cause, advice: error.advice)
            }
            guard let first = events.first else {
                throw fault("events", "the list is empty", advice: "write one with the phase 'began' first")
            }
            guard first.phase == .began else {
                throw fault(
                    "event 0", "the first event is no 'began'", advice: "begin with {\"ms\": 0, \"phase\": \"began\"}")
            }
            guard first.milliseconds >= 0 else {
                throw fault("event 0", "the time is below 0", advice: "count milliseconds from 0")
            }
            for (place, (event, next)) in zip(events, events.dropFirst()).enumerated() {
                let name = "event \(place + 1)"
                if event.phase.isEnd {
                    throw fault(
                        name, "it comes after '\(event.phase.rawValue)'", advice: "leave out what comes after the end")
                }
                if next.phase == .began {
                    throw fault(name, "a second 'began'", advice: "write it as 'changed', or as a script of its own")
                }
                if next.milliseconds < event.milliseconds {
                    throw fault(
                        name, "\(next.milliseconds) ms is before \(event.milliseconds) ms",
                        advice: "write the events in the order of their times")
                }
            }
        }

        private func fault(_ place: String, _ cause: String, advice: String? = nil) -> ScrubError {
            ScrubError(.badData, cause, place: place, advice: advice)
        }
    }
}

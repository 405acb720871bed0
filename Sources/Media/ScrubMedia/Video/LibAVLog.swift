internal import ScrubLibAV

/// The log messages of FFmpeg's libraries, for programs that want to have them.
///
/// **Scrub owns the process's log callback.** FFmpeg has one for the whole process, and decoders report damage through
/// it alone, so Scrub needs it to call a frame exact. It calls `av_log_set_callback` once, when the first video is
/// opened or ``setHandler(upTo:_:)`` is called. A callback that the program had set before gets nothing more.
///
/// Without a handler, messages about Scrub's own files and decoders are kept for verdicts and go nowhere else. Those of
/// the program's other work with FFmpeg go to `av_log_default_callback`, which prints them as ever.
///
/// A program that calls `av_log_set_callback` later has the callback: Scrub does not take it back. From then on no
/// verdict of frames that are decoded in this process is `exact`, because damage would not be heard. It is `damaged`,
/// and the reason says this. ``setHandler(upTo:_:)``, also with `nil`, gives Scrub the callback again.
///
/// Thread safety: safe from any thread.
public enum LibAVLog {
    /// The severity of a message: FFmpeg's own levels. A smaller one is more severe.
    public enum Level: Int32, CaseIterable, Comparable, Sendable {
        /// The process is about to end.
        case panic = 0
        /// The requested work cannot go on.
        case fatal = 8
        /// A failure or damage; a decoder goes on.
        case error = 16
        /// A sign of something wrong.
        case warning = 24
        /// News for a person; the level that FFmpeg prints by default.
        case info = 32
        /// More of the same.
        case verbose = 40
        /// For developers.
        case debug = 48
        /// For developers, each step.
        case trace = 56

        /// The level that a number belongs to.
        init(number: Int32) { self = Level.allCases.first { number <= $0.rawValue } ?? .trace }

        /// Whether the left one is more severe.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// One message.
    public struct Message: Hashable, Sendable {
        /// The severity of the message.
        public let level: Level
        /// The message's source, as FFmpeg prints it: `h264`, `mov,mp4,m4a,3gp,3g2,mj2`. `nil` for a source without a
        /// name.
        public let component: String?
        /// Its words, without the line's end: at most 1,023 bytes. Some lines come in several messages.
        public let text: String
        /// A Boolean value that indicates whether the message is about a file or decoder of Scrub's, rather than of the
        /// program's own work with FFmpeg.
        public let isFromScrub: Bool
    }

    /// Hands messages to the program from now on; nothing is printed then.
    ///
    /// The handler is called on the thread that wrote the message, often a decoder's, so it should be quick. It may
    /// call Scrub; messages of that call are not handed out. A decoder in a sandbox has a log of its own, which is not
    /// handed out either. Verdicts do not depend on the handler.
    ///
    /// Costs: each message of a wanted level is formatted. Decoders write thousands a second from ``Level/verbose`` on.
    ///
    /// - Parameters:
    ///   - level: the least severe one that is wanted.
    ///   - handler: takes the place of the one before, which may still be in a call. `nil`: none, as at first.
    public static func setHandler(upTo level: Level = .info, _ handler: (@Sendable (Message) -> Void)?) {
        Log.setHandler(
            handler.map { handler in
                Log.Handler(level: level.rawValue) { number, isOwn, component, text in
                    handler(
                        Message(
                            level: Level(number: number), component: component, text: text, isFromScrub: isOwn))
                }
            })
    }
}

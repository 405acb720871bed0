internal import ScrubLibAV

/// The log messages of FFmpeg's libraries, for programs that want to receive them.
///
/// **Scrub owns the process's log callback.** FFmpeg has one callback for the whole process. Decoders report damage
/// only through this callback, so Scrub cannot call a frame exact without it. Scrub calls `av_log_set_callback` once:
/// when the first video is opened, or when ``setHandler(upTo:_:)`` is first called. A callback that the program set
/// earlier receives no further messages.
///
/// Without a handler, messages about Scrub's own files and decoders are used only for verdicts. Messages from the
/// program's other uses of FFmpeg go to `av_log_default_callback`, which prints them as usual.
///
/// If the program calls `av_log_set_callback` later, it replaces Scrub's callback, and Scrub does not restore it. From
/// then on, frames decoded in this process get the verdict `damaged` instead of `exact`, because Scrub would miss
/// damage reports. The verdict's reason explains this. ``setHandler(upTo:_:)``, even with `nil`, restores Scrub's
/// callback.
///
/// Thread safety: safe from any thread.
public enum LibAVLog {
    /// The severity of a message. The raw values are FFmpeg's levels; a smaller value is more severe.
    public enum Level: Int32, CaseIterable, Comparable, Sendable {
        /// The process cannot continue.
        case panic = 0
        /// The requested work cannot continue.
        case fatal = 8
        /// A failure or damage. The decoder continues.
        case error = 16
        /// A possible problem.
        case warning = 24
        /// Information for users; FFmpeg's default level.
        case info = 32
        /// More detailed information.
        case verbose = 40
        /// Information for developers.
        case debug = 48
        /// Every step, for developers.
        case trace = 56

        /// Creates the level for a number.
        init(number: Int32) { self = Level.allCases.first { number <= $0.rawValue } ?? .trace }

        /// Returns whether the left level is more severe than the right one.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// A log message.
    public struct Message: Hashable, Sendable {
        /// The severity of the message.
        public let level: Level
        /// The source of the message, as FFmpeg prints it, such as `h264` or `mov,mp4,m4a,3gp,3g2,mj2`; `nil` for an
        /// unnamed source.
        public let component: String?
        /// The text of the message without the line ending, at most 1,023 bytes. Some lines are split into several
        /// messages.
        public let text: String
        /// Whether the message is about one of Scrub's files or decoders, rather than about the program's other uses of
        /// FFmpeg.
        public let isFromScrub: Bool
    }

    /// Sets the handler that receives log messages from now on. While a handler is set, no messages are printed.
    ///
    /// The handler is called on the thread that wrote the message, often a decoder's thread, so it should return
    /// quickly. It may call Scrub, but messages caused by such a call are not delivered. Messages from decoders in a
    /// sandbox are not delivered either. Verdicts do not depend on the handler.
    ///
    /// Cost: each delivered message is formatted. Decoders write thousands of messages per second at ``Level/verbose``
    /// and more detailed levels.
    ///
    /// - Parameters:
    ///   - level: the least severe level to deliver.
    ///   - handler: the new handler; `nil` removes the current one. A call to the previous handler may still be running
    ///     when this method returns.
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

internal import ScrubFileIO
internal import ScrubIsolation
internal import ScrubLibAV
public import ScrubBase

/// Decoding in processes of their own, for files that are not trusted.
///
/// With a sandbox libavformat and libavcodec, which are written in C, run in workers: processes that can open, write,
/// connect, start and trace nothing. A worker has one socket to this process and memory for pictures. It has no file,
/// not even the one it decodes, and asks for its bytes. A worker's messages are checked, and pictures are copied before
/// they are used. Tables and headers that this library reads itself, in Swift, are read in this process.
///
/// A worker that crashes, is ended for its deeds, or takes longer than ``MediaLimits/pictureTime`` costs the frame that
/// it worked on, whose verdict says so. The work goes on with a new one. Frames, verdicts and pictures are otherwise
/// those of this process.
///
/// Linux on x86-64 and arm64, with a kernel that has seccomp.
///
/// ```swift
/// @main struct App {
///     static func main() throws {
///         MediaSandbox.prepare()
///         try MediaSandbox.begin()
///         // Everything that is opened from here on is decoded in workers.
///     }
/// }
/// ```
///
/// Thread safety: safe from any thread.
public enum MediaSandbox {
    private static let isOwnProgram = Locked(false)
    private static let template = Locked<WorkerTemplate?>(nil)

    /// Makes this process a worker, if it was started as one; it ends with it. Call it before anything else: then the
    /// program can be its own worker (``begin(program:limits:)``).
    public static func workIfAsked() {
        isOwnProgram.withLock { $0 = true }
        // Not argv[0]: a worker's words are this library's own.
        DecodeWorker.runIfAsked(CommandLine.arguments)
    }

    /// Puts aside a copy of this process, from which workers are copied once they are wanted. A copy takes a
    /// millisecond; a program takes fifty, nearly all of them its loader's.
    ///
    /// Call it before anything else, also before the command line is looked at. A worker has this process's knowledge
    /// at the time of the call, and its layout of memory. The copy's command line and environment are overwritten. It
    /// takes about a millisecond and a megabyte, and ends with this process.
    ///
    /// - Returns: whether it was made; not where there is a second thread already. Then ``begin(program:limits:)``
    ///   needs ``workIfAsked()`` or a program.
    @discardableResult
    public static func prepare() -> Bool {
        template.withLock { template in
            // A copy has what is loaded by now, and cannot open a library's file.
            Libraries.load()
            if template == nil { template = WorkerTemplate { DecodeWorker.run($0, addressSpace: $1) } }
            return template != nil
        }
    }

    /// Whether one of these words is on the command line, for decisions before ``prepare()``: whole words, or
    /// beginnings of words and a star.
    package static func isOnCommandLine(_ words: StaticString...) -> Bool { WorkerTemplate.isAsked(for: words) }

    /// Decodes in workers from now on, for the whole process: open videos stay where they are. The first one is started
    /// at once.
    ///
    /// - Parameters:
    ///   - program: the path of a program that calls ``workIfAsked()``, such as `scrub`. `nil` for this one, as it was
    ///     when ``prepare()`` was called, or else started again.
    ///   - limits: the limits of a worker: memory by ``MediaLimits/decoderByteCount`` and
    ///     ``MediaLimits/pictureByteCount``, time by ``MediaLimits/pictureTime``.
    /// - Throws: ``ScrubError`` with `usage` if this program cannot be a worker, `inputOutput` if no thread can be
    ///   started. If workers cannot be started, that is an error of a later opening (`unavailable`), or of ``check()``.
    public static func begin(program: String? = nil, limits: MediaLimits = .init()) throws(ScrubError) {
        if program == nil, let template = template.withLock({ $0 }) {
            return try Sandbox.begin(.template(template), limits: limits)
        }
        guard let path = program ?? ownProgram() else {
            throw ScrubError(
                .usage, "this program cannot be a sandbox's worker",
                advice: "call MediaSandbox.workIfAsked() first of all, or name a program that does, such as scrub")
        }
        try Sandbox.begin(
            .program(WorkerProgram(path: path, words: [path, WorkerProgram.verb])), limits: limits)
    }

    /// Waits until the first worker is locked in: some milliseconds.
    ///
    /// - Throws: ``ScrubError`` with `unavailable` and the reason when this system cannot lock processes in, or starts
    ///   none. Nothing can be opened then until ``end()``.
    public static func check() throws(ScrubError) {
        do throws(AVError) {
            try Sandbox.check()
        } catch {
            throw error.scrubError("this system has no sandbox")
        }
    }

    /// Decodes in this process again. Open videos stay where they are.
    public static func end() { Sandbox.end() }

    private static func ownProgram() -> String? {
        isOwnProgram.withLock { $0 } ? Folder.resolved("/proc/self/exe") : nil
    }

    /// Whether videos that are opened from now on are decoded in workers.
    public static var isOn: Bool { Sandbox.pool != nil }
}

internal import ScrubFileIO
internal import ScrubIsolation
internal import ScrubLibAV
public import ScrubBase

/// Decoding in separate processes, for untrusted files.
///
/// With a sandbox, libavformat and libavcodec, which are written in C, run in workers: processes that cannot open or
/// write files, make connections, or start or trace other processes. A worker has one socket to this process, and
/// memory for pictures. It has no open files, not even the video that it decodes: it requests the video's bytes from
/// this process. Scrub checks a worker's messages, and copies its pictures before using them. Tables and headers that
/// Scrub parses itself, in Swift, are parsed in this process.
///
/// If a worker crashes, is killed for a forbidden action, or takes longer than ``MediaLimits/maximumPictureTime``, the
/// frame that it was working on is lost, and the frame's verdict reports this. Decoding continues with a new worker. In
/// all other cases, frames, verdicts and pictures are the same as without a sandbox.
///
/// Available on Linux on x86-64 and arm64, with a kernel that has seccomp.
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

    /// Turns this process into a worker if it was started as one; in that case, the call does not return. Call it
    /// before anything else. The program can then serve as its own worker (``begin(program:limits:)``).
    public static func runWorkerIfNeeded() {
        isOwnProgram.withLock { $0 = true }
        // Not argv[0]: a worker's command line consists of this library's own words.
        DecodeWorker.runIfAsked(CommandLine.arguments)
    }

    /// Forks a copy of this process, from which workers are later forked. A fork takes 1 ms. Starting a program takes
    /// 50 ms, nearly all of it in the dynamic loader.
    ///
    /// Call this before anything else, even before parsing the command line, because workers inherit the contents and
    /// the layout of this process's memory at the time of the call. The command line and the environment of the copy
    /// are overwritten. The call takes about a millisecond, and the copy uses about a megabyte of memory. The copy ends
    /// when this process ends.
    ///
    /// - Returns: whether the copy was made. It is not made if the process already has a second thread. In that case,
    ///   call ``runWorkerIfNeeded()``, or pass a program to ``begin(program:limits:)``.
    @discardableResult
    public static func prepare() -> Bool {
        template.withLock { template in
            // A forked copy has everything that is loaded by now, and cannot open a library's file.
            Libraries.load()
            if template == nil { template = WorkerTemplate { DecodeWorker.run($0, addressSpace: $1) } }
            return template != nil
        }
    }

    /// Returns whether one of these words is on the command line, for decisions before ``prepare()``. The words are
    /// whole, or prefixes with a star.
    package static func isOnCommandLine(_ words: StaticString...) -> Bool { WorkerTemplate.isAsked(for: words) }

    /// Starts decoding in workers, for the whole process. Videos that are already open are not affected. The first
    /// worker starts immediately.
    ///
    /// - Parameters:
    ///   - program: the path of a program that calls ``runWorkerIfNeeded()``, such as `scrub`. `nil` for this program:
    ///     workers are forked from the copy that ``prepare()`` made, or are started as new processes if there is no
    ///     copy.
    ///   - limits: the limits of each worker: ``MediaLimits/maximumDecoderByteCount`` and ``MediaLimits/maximumPictureByteCount`` for
    ///     memory, and ``MediaLimits/maximumPictureTime`` for time.
    /// - Throws: ``ScrubError`` with `usage` if this program cannot be a worker, or `inputOutput` if no thread can be
    ///   started. If workers cannot be started, this call does not throw. Instead, ``check()`` throws `unavailable`,
    ///   and so does opening a video.
    public static func begin(program: String? = nil, limits: MediaLimits = .init()) throws(ScrubError) {
        if program == nil, let template = template.withLock({ $0 }) {
            return try Sandbox.begin(.template(template), limits: limits)
        }
        guard let path = program ?? ownProgram() else {
            throw ScrubError(
                .usage, "this program cannot act as a sandbox worker",
                advice: """
                    call MediaSandbox.runWorkerIfNeeded() first, or pass the path of a program that does, such as scrub
                    """)
        }
        try Sandbox.begin(
            .program(WorkerProgram(path: path, words: [path, WorkerProgram.verb])), limits: limits)
    }

    /// Waits until the first worker is locked down, which takes a few milliseconds.
    ///
    /// - Throws: ``ScrubError`` with `unavailable` and the reason if this system cannot start or sandbox processes. In
    ///   that case, no video can be opened until ``end()`` is called.
    public static func check() throws(ScrubError) {
        do throws(AVError) {
            try Sandbox.check()
        } catch {
            throw error.scrubError("no sandbox is available on this system")
        }
    }

    /// Ends the sandbox: videos opened from now on are decoded in this process. Videos that are already open are not
    /// affected.
    public static func end() { Sandbox.end() }

    private static func ownProgram() -> String? {
        isOwnProgram.withLock { $0 } ? Folder.resolved("/proc/self/exe") : nil
    }

    /// Whether videos opened from now on are decoded in workers.
    public static var isOn: Bool { Sandbox.pool != nil }
}

internal import FileIO
internal import Isolation
internal import LibAV

/// Decoding in processes of their own, for files that nobody vouches for.
///
/// With a sandbox libavformat and libavcodec, which are written in C, run in workers: processes that can open, write, connect, start
/// and trace nothing. A worker has one socket to this process and memory for pictures; it has no file, not even the one it decodes,
/// and asks for its bytes. What a worker says is checked, and pictures are copied before anybody looks at them. Tables and headers
/// that this library reads itself, in Swift, are read in this process.
///
/// A worker that crashes, is ended for what it does, or takes longer than ``MediaLimits/pictureTime`` costs the frame that it worked
/// on, whose verdict says so; the work goes on with a new one. Frames, verdicts and pictures are otherwise those of this process.
///
/// Linux on x86-64 and arm64, with a kernel that has seccomp.
///
/// ```swift
/// @main struct App {
///     static func main() throws {
///         MediaSandbox.workIfAsked()
///         try MediaSandbox.begin()
///         // Everything that is opened from here on is decoded in workers.
///     }
/// }
/// ```
///
/// Thread safety: safe from any thread.
public enum MediaSandbox {
    private static let isOwnProgram = Locked(false)

    /// Makes this process a worker, if it was started as one; it ends with it. Call it before anything else: then the program can be
    /// its own worker (``begin(program:limits:)``).
    public static func workIfAsked() {
        isOwnProgram.withLock { $0 = true }
        // Not argv[0]: a worker's words are this library's own.
        DecodeWorker.runIfAsked(CommandLine.arguments)
    }

    /// Decodes in workers from now on, for the whole process: what is open stays where it is. The first one is started at once.
    ///
    /// - Parameters:
    ///   - program: the path of a program that calls ``workIfAsked()``, such as `scrub`; `nil` for this one.
    ///   - limits: what a worker may take: memory by ``MediaLimits/decoderByteCount`` and ``MediaLimits/pictureByteCount``, time by
    ///     ``MediaLimits/pictureTime``.
    /// - Throws: ``ScrubError`` with `usage` when this program is none that can be a worker, `inputOutput` when no thread can be
    ///   started. That workers cannot be started is an error of what is opened (`unavailable`).
    public static func begin(program: String? = nil, limits: MediaLimits = .init()) throws(ScrubError) {
        guard let path = program ?? ownProgram() else {
            throw ScrubError(
                .usage, "this program is none that can be a sandbox's worker",
                advice: "call MediaSandbox.workIfAsked() first of all, or name a program that does, such as scrub")
        }
        try Sandbox.begin(WorkerProgram(path: path, words: [path, WorkerProgram.verb]), limits: limits)
    }

    private static func ownProgram() -> String? {
        isOwnProgram.withLock { $0 } ? Folder.resolved("/proc/self/exe") : nil
    }

    /// Whether what is opened from now on is decoded in workers.
    public static var isOn: Bool { Sandbox.pool != nil }
}

#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubMedia
internal import ScrubBase

/// A video that C has opened, and what reads its frames.
///
/// Single frames come from a ``FrameService``, which decodes ahead while the caller's thread converts pixels. Several
/// at once come from a ``FrameReader``, group by group, on the caller's thread. No task of Swift's is made, so nothing
/// here waits for threads that a caller shares.
///
/// Thread safety: calls wait for each other, except ``cancel()``.
final class OpenVideo: Sendable {
    /// What one call at a time has. It takes it from its place, and puts it back.
    ///
    /// `@unchecked Sendable`: touched only by the call that has it.
    private final class Seat: @unchecked Sendable {
        var reader: FrameReader?
    }

    private struct Calls {
        /// The number of calls so far.
        var count = 0
        var isClosed = false
        /// Those under way, by their number.
        var underWay: [Int: Cancellation] = [:]
        /// The function that receives the progress of calls.
        var progress: ProgressFunction?
    }

    let asset: VideoAsset
    private let options: FrameReader.Options
    private let service: FrameService
    /// Empty while a call has the seat.
    private let turn = TimedBell<Seat?>(Seat())
    private let calls = Locked(Calls())
    private let knownRising = Locked<Bool?>(nil)

    /// - Parameter options: their bytes are those of all pictures that are kept, of single frames and of several.
    init(_ asset: VideoAsset, _ options: FrameReader.Options, _ progress: ProgressFunction?) throws(ScrubError) {
        var (near, several) = (options, options)
        near.cacheByteLimit = min(options.cacheByteLimit / 2, FrameService.usefulCacheByteCount(for: asset))
        several.cacheByteLimit -= near.cacheByteLimit
        (self.asset, self.options) = (asset, several)
        service = try FrameService(asset, options: near)
        set(progress)
    }

    /// Sets the function that receives the progress of calls, from the next call on.
    func set(_ progress: ProgressFunction?) { calls.withLock { $0.progress = progress } }

    /// Ends calls that are under way.
    func cancel() {
        for cancellation in calls.withLock({ Array($0.underWay.values) }) { cancellation.cancel() }
    }

    /// Ends calls that are under way, and all later ones of threads that have the handle still.
    func close() {
        calls.withLock { $0.isClosed = true }
        cancel()
    }

    /// Runs a call exclusively. Work on its thread that checks for cancellation ends after ``cancel()``.
    func alone(_ body: (CallProgress) throws -> Void) throws {
        try inTurn { _, progress in try body(progress) }
    }

    private func inTurn(_ body: (Seat, CallProgress) throws -> Void) throws {
        guard !ProgressFunction.running.contains(ObjectIdentifier(self)) else {
            throw ScrubError(
                .usage, "a scrub_progress calls a function with its own video", file: asset.path,
                advice: "call it when the first call has returned")
        }
        let cancellation = Cancellation()
        let (call, function) = calls.withLock { calls in
            calls.count += 1
            calls.underWay[calls.count] = cancellation
            if calls.isClosed { cancellation.cancel() }
            return (calls.count, calls.progress)
        }
        defer { calls.withLock { $0.underWay[call] = nil } }
        guard let function else { return try seated(cancellation) { try body($0, CallProgress()) } }
        try function.watch(self, cancel: cancellation.cancel) { progress in
            try seated(cancellation) { try body($0, progress) }
        }
    }

    /// Waits for the seat, and runs a call on it.
    private func seated(_ cancellation: Cancellation, _ body: (Seat) throws -> Void) throws {
        let seat: Seat? = cancellation.waking({ [turn] in turn.ring { _ in } }) {
            turn.wait { free in
                if cancellation.isCancelled { return .done(nil) }
                guard let seat = free else { return .sleep(nil) }
                free = nil
                return .done(seat)
            }
        }
        guard let seat else { throw CancellationError() }
        defer { turn.ring { $0 = seat } }
        do {
            try cancellation.perform { try body(seat) }
        } catch {
            throw cancellation.isCancelled ? CancellationError() : error
        }
    }

    /// Hands over one frame.
    func frame(_ number: Int, _ body: (FrameAnswer) throws -> Void) throws {
        try inTurn { _, progress in
            progress.set(0, of: 1)
            try body(try service.frame(numbered: number))
            progress.set(1, of: 1)
        }
    }

    /// Hands over several frames, each once, as they are decoded.
    func frames(_ numbers: [Int], _ body: (FrameAnswer) throws -> Void) throws {
        try inTurn { seat, progress in
            progress.set(0, of: numbers.count)
            var done = 0
            if seat.reader == nil { seat.reader = FrameReader(asset, options: options) }
            try seat.reader?.frames(numbered: numbers) { answer in
                try Cancellation.check()
                try body(answer)
                done += 1
                progress.set(done, of: numbers.count)
            }
        }
    }

    /// Whether the container's times rise with the frames' numbers: not where a recording begins again, or its times
    /// are wrong and the order is the decoder's. Looked at once.
    var hasRisingTimes: Bool {
        if let known = knownRising.withLock({ $0 }) { return known }
        let frames = asset.frames
        let isRising = zip(frames, frames.dropFirst()).allSatisfy { $0.presentationTime <= $1.presentationTime }
        knownRising.withLock { $0 = isRising }
        return isRising
    }

    /// The number of a frame that exists.
    func number(_ frame: Int64) throws(ScrubError) -> Int {
        guard let number = Int(exactly: frame), asset.frames.indices.contains(number) else {
            throw ScrubError(
                .usage, "there is no frame \(frame)", file: asset.path,
                advice: "its frames are 0 to \(asset.frames.count - 1)")
        }
        return number
    }
}

/// The videos that are open, by handle.
///
/// A handle is a number that is never used again and not an address, so a closed one is told from an open one.
enum Handles {
    private struct Table {
        var videos: [UInt: OpenVideo] = [:]
        var next: UInt = 1
    }

    private static let table = Locked(Table())

    static func add(_ video: OpenVideo) -> OpaquePointer? {
        let handle = table.withLock { table in
            defer { table.next += 1 }
            table.videos[table.next] = video
            return table.next
        }
        return unsafe OpaquePointer(bitPattern: handle)
    }

    static func video(_ handle: OpaquePointer?) throws(ScrubError) -> OpenVideo {
        guard let handle = unsafe handle else { throw .null("the video") }
        let key = UInt(bitPattern: handle)
        guard let video = table.withLock({ $0.videos[key] }) else {
            throw ScrubError(.usage, "the video is closed", advice: "open it again")
        }
        return video
    }

    static func remove(_ handle: OpaquePointer?) -> OpenVideo? {
        guard let handle = unsafe handle else { return nil }
        let key = UInt(bitPattern: handle)
        return table.withLock { $0.videos.removeValue(forKey: key) }
    }
}

@c @implementation func scrub_close(_ video: OpaquePointer?) {
    // In a forked child nothing is touched, and nothing waits.
    guard (try? ForkWatch.check()) != nil else { return }
    unsafe Handles.remove(video)?.close()
}

@c @implementation func scrub_set_progress(
    _ video: OpaquePointer?, _ progress: scrub_progress?, _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        try unsafe Handles.video(video).set(ProgressFunction(progress, context))
    }
}

@c @implementation func scrub_cancel(_ video: OpaquePointer?) {
    guard (try? ForkWatch.check()) != nil else { return }
    unsafe (try? Handles.video(video))?.cancel()
}
#endif

internal import ScrubFileIO
internal import ScrubIndex

extension VideoAsset {
    /// Opens a file. Nothing blocks the caller's thread or the cooperative pool: a thread of the library's own reads.
    ///
    /// Cancelled with its task, also in the middle of a long pass over the file. Writes and errors: as
    /// ``init(path:options:)``.
    ///
    /// - Throws: ``ScrubError``, or `CancellationError` when the task was cancelled.
    public static func open(path: String, options: VideoAsset.OpenOptions = .init()) async throws -> VideoAsset {
        try await open { (opening) throws(ScrubError) in
            try VideoAsset(path: path, options: options, rules: .init(), opening: opening)
        }
    }

    /// Opens bytes that are not in a file, without blocking the caller's thread. The source's reads may block, and are
    /// called on threads of the library's own.
    ///
    /// - Throws: ``ScrubError``, or `CancellationError` when the task was cancelled.
    public static func open(
        source: any ByteSource, name: String, options: VideoAsset.OpenOptions = .init()
    ) async throws -> VideoAsset {
        try await open { (opening) throws(ScrubError) in
            try VideoAsset(source: source, name: name, options: options, opening: opening)
        }
    }

    /// Opens bytes that are not in a file, and waits for it.
    ///
    /// - Parameter opening: cancels the wait from another thread.
    package convenience init(
        source: any ByteSource, name: String, options: VideoAsset.OpenOptions = .init(), opening: AssetOpening
    ) throws(ScrubError) {
        try self.init(
            file: try MediaSource(source, name: name), options: options, rules: .init(), opening: opening)
    }

    /// Opens a video that is in memory, without blocking the caller's thread.
    ///
    /// - Throws: ``ScrubError``, or `CancellationError` when the task was cancelled.
    public static func open(
        bytes: [UInt8], name: String = "video in memory", options: VideoAsset.OpenOptions = .init()
    ) async throws -> VideoAsset {
        try await open(source: MemorySource(bytes), name: name, options: options)
    }

    /// Runs an opening on a thread of the library's own, and cancels it with its task.
    package static func open(
        _ body: @escaping @Sendable (AssetOpening) throws(ScrubError) -> VideoAsset
    ) async throws -> VideoAsset {
        try Task.checkCancellation()
        let opening = AssetOpening()
        return try await withTaskCancellationHandler {
            do {
                let asset = try await BlockingThreads.shared.run { try body(opening) }
                // One that came too late to be stopped is stopped here: its reads fail from now on.
                guard opening.end() else { throw CancellationError() }
                return asset
            } catch {
                throw opening.end() ? error : CancellationError()
            }
        } onCancel: {
            opening.cancel()
        }
    }
}

/// An opening that can be cancelled while another thread reads.
package final class AssetOpening: Sendable {
    private let state = Locked<(source: MediaSource?, isCancelled: Bool)>((nil, false))

    /// Raised when it is cancelled: for waits before there is anything to read.
    package let interruption = ReadInterruption()

    package init() {}

    /// Sets the source that is read.
    func begin(_ source: MediaSource) {
        let isCancelled = state.withLock { state in
            state.source = source
            return state.isCancelled
        }
        if isCancelled { source.cancel() }
    }

    /// Stops reading. May be called from any thread.
    package func cancel() {
        let source = state.withLock { state in
            state.isCancelled = true
            return state.source
        }
        interruption.raise()
        source?.cancel()
    }

    /// Ends it: a later cancellation has no effect.
    ///
    /// - Returns: whether it was not cancelled.
    func end() -> Bool {
        state.withLock { state in
            state.source = nil
            return !state.isCancelled
        }
    }
}

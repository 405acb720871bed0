internal import ScrubFileIO
internal import ScrubIndex

extension VideoAsset {
    /// Opens a file. The call does not block the caller's thread or the cooperative pool, because reading takes place
    /// on one of the library's threads.
    ///
    /// The call stops if its task is cancelled, even in the middle of a long pass over the file. It writes the same
    /// files and throws the same errors as ``init(path:options:)``.
    ///
    /// - Throws: ``ScrubError``, or `CancellationError` if the task was cancelled.
    public static func open(path: String, options: VideoAsset.OpenOptions = .init()) async throws -> VideoAsset {
        try await open { () throws(ScrubError) in
            try VideoAsset(path: path, options: options, rules: .init())
        }
    }

    /// Opens bytes that are not in a file, without blocking the caller's thread. The source's read methods are called
    /// on the library's threads, and may block.
    ///
    /// - Throws: ``ScrubError``, or `CancellationError` if the task was cancelled.
    public static func open(
        source: any ByteSource, name: String, options: VideoAsset.OpenOptions = .init()
    ) async throws -> VideoAsset {
        try await open { () throws(ScrubError) in
            try VideoAsset(file: try MediaSource(source, name: name), options: options, rules: .init())
        }
    }

    /// Opens a video in memory, without blocking the caller's thread.
    ///
    /// - Throws: ``ScrubError``, or `CancellationError` if the task was cancelled.
    public static func open(
        bytes: [UInt8], name: String = "video in memory", options: VideoAsset.OpenOptions = .init()
    ) async throws -> VideoAsset {
        try await open(source: MemorySource(bytes), name: name, options: options)
    }

    /// Runs an opening on one of the library's own threads, and cancels it with its task.
    package static func open(
        _ body: @escaping @Sendable () throws(ScrubError) -> VideoAsset
    ) async throws -> VideoAsset {
        try Task.checkCancellation()
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            do {
                let asset = try await BlockingThreads.shared.run { try cancellation.perform(body) }
                guard !cancellation.isCancelled else { throw CancellationError() }
                return asset
            } catch {
                throw cancellation.isCancelled ? CancellationError() : error
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}

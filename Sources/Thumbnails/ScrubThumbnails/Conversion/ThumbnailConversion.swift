internal import ScrubFileIO
internal import ScrubPictures
internal import ScrubStoryboards

extension ThumbnailSets {
    /// The types of ``ThumbnailSets/convert(_:to:into:baseURL:quality:waitsForOtherRuns:replacesFiles:)``.
    public enum Conversion {
        /// The formats to which a set can be converted.
        public enum Format: String, Hashable, Sendable, CaseIterable {
            /// Sheets with WebVTT.
            case vtt
            /// Sheets with the JSON array that scripts and Vidstack read, and with Mux's storyboard if there is one
            /// sheet and an absolute base URL.
            case json
            /// Sheets with an HLS image playlist.
            case hls
            /// Sheets with a DASH presentation.
            case dash
            /// Jellyfin's trickplay folder.
            case jellyfin
            /// A BIF file.
            case bif
        }

        /// The result of a conversion.
        public struct Report: Sendable {
            /// The paths of the written files, relative to the folder. The index file, if there is one, is last.
            public let files: [String]
            /// The number of picture files that were re-encoded. The others are copies.
            public let encodedCount: Int
            /// Warnings about options that could not be applied, one sentence each.
            public let warnings: [Wording]
        }
    }

    /// Converts a set to another format. By default, pictures are copied byte for byte, and only the index of their
    /// positions and times is rewritten.
    ///
    /// If a quality is given, pictures that the new format cannot store unchanged are re-encoded, and all others are
    /// copied. For DASH and Jellyfin, the last sheet is padded if it is not full. For Jellyfin, single pictures from a
    /// BIF file are placed on sheets of 10 x 10. For BIF, sheets are split into single pictures. Pictures of different
    /// sizes are padded with bars. File names in the set must refer to files inside its folder. A name that refers to a
    /// file outside the folder, directly or through a link, is rejected before that file is read.
    ///
    /// Once all files are complete, they are renamed together, and replace those of an earlier set. The output folder
    /// is locked during this call. It may be the same as the source's folder.
    ///
    /// Memory: the indexes, and a megabyte of picture data or, when encoding, two sheets.
    ///
    /// - Parameters:
    ///   - source: a folder with a `manifest.json`, or a BIF file. The manifest of a BIF file is next to it, and has
    ///     the BIF file's name with `.json` appended. Without it, only the times are known, which is enough for WebVTT,
    ///     JSON and Jellyfin.
    ///   - format: the format to convert to.
    ///   - folder: the output folder, created if it does not exist. Jellyfin's `NAME.trickplay` is created in it, named
    ///     after the video.
    ///   - baseURL: the text to put before the sheets' names in WebVTT and JSON files; `nil` for names relative to
    ///     these files.
    ///   - quality: the quality of re-encoded pictures, 1 to 100; `nil` to reject sets that need re-encoding.
    ///   - waitsForOtherRuns: whether to wait for another run that is writing to the folder, instead of throwing an
    ///     error.
    ///   - replacesFiles: whether to replace existing files that have the same names as the new set's files but do not
    ///     belong to an earlier set, instead of throwing an error.
    /// - Throws: `usage` if the new format cannot store the set or does not support a base URL, or if pictures must be
    ///   re-encoded but no quality is given. `noInput` or `badData` if the source is not a set, or is replaced during
    ///   the conversion. `unavailable` if another run is writing to the folder, `inputOutput` if a file cannot be
    ///   written. `CancellationError` if the task was cancelled; the work then ends between two picture files, and the
    ///   folder stays unchanged.
    public static func convert(
        _ source: String, to format: Conversion.Format, into folder: String, baseURL: String? = nil,
        quality: Int? = nil,
        waitsForOtherRuns: Bool = false, replacesFiles: Bool = false
    ) async throws -> Conversion.Report {
        try await BlockingWork.run(.long) {
            try convert(
                source, to: format, into: folder, baseURL: baseURL, quality: quality,
                waitsForOtherRuns: waitsForOtherRuns, replacesFiles: replacesFiles)
        }
    }

    /// Converts synchronously, on the calling thread. See the asynchronous method.
    package static func convert(
        _ source: String, to format: Conversion.Format, into folder: String, baseURL: String? = nil,
        quality: Int? = nil,
        waitsForOtherRuns: Bool = false, replacesFiles: Bool = false
    ) throws(ScrubError) -> Conversion.Report {
        guard baseURL == nil || format == .vtt || format == .json else {
            throw ScrubError(
                .usage, "\(format.rawValue) does not support a base URL", advice: "omit the base URL")
        }
        if let quality, !(1...100).contains(quality) {
            throw ScrubError(
                .usage, "a quality of \(quality) is out of range", advice: "use a quality from 1 to 100")
        }
        _ = try SheetURL.reference("", base: baseURL)
        let set = try ConvertibleSet(source)
        // Detect invalid names before anything is written.
        for number in set.pictureIndices { _ = try set.picture(number) }
        var known = set.board
        if known == nil, format == .jellyfin { known = try set.boardWithoutFrames() }
        guard let board = known else {
            guard format == .vtt || format == .json else {
                throw ScrubError(
                    .usage,
                    "a BIF file without a manifest has no frame numbers, which \(format.rawValue) requires",
                    file: source, advice: "convert it to vtt, json or jellyfin")
            }
            let vtt = try set.cues(baseURL: baseURL)
            if format == .vtt { try vtt.checkTimes() }
            let output = try OutputFolder(
                path: folder, replacesFiles: replacesFiles, waits: waitsForOtherRuns)
            let writer = ConversionWriter(set: set, format: format, baseURL: baseURL, output: output)
            return Conversion.Report(
                files: try writer.write(vtt), encodedCount: 0, warnings: output.warnings.map { Wording($0) })
        }
        // Detect unsupported values before anything is written.
        let fitted = try AdaptedSet(board, for: format, quality: quality)
        if format == .vtt { _ = try Storyboard.WebVTT(fitted.board, baseURL: baseURL) }
        if format == .json { _ = try JSONIndexes(fitted.board, baseURL: baseURL) }
        let output = try OutputFolder(
            path: folder, replacesFiles: replacesFiles, waits: waitsForOtherRuns)
        var writer = ConversionWriter(set: set, format: format, baseURL: baseURL, output: output)
        let files = try writer.write(fitted)
        return Conversion.Report(
            files: files, encodedCount: writer.encodedCount, warnings: output.warnings.map { Wording($0) })
    }
}

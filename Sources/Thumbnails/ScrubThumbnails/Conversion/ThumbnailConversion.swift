internal import ScrubFileIO
internal import ScrubPictures
internal import ScrubStoryboards

extension ThumbnailSets {
    /// The conversion of thumbnail sets to another format, without re-encoding pictures.
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
            /// The written files, relative to the folder. The index is last.
            public let files: [String]
            /// The number of picture files that were re-encoded; all others are copies.
            public let encodedCount: Int
            /// Warnings about options that could not be applied, one sentence each.
            public let warnings: [Wording]
        }

        /// Converts a set to another format. Pictures are copied byte for byte, and the index of their positions and
        /// times is rewritten.
        ///
        /// If a quality is given, pictures that the other format cannot store unchanged are re-encoded. All others are
        /// copied. A last sheet that is not full is padded for DASH and Jellyfin. Single pictures (BIF) are put on
        /// sheets of 10 x 10 for Jellyfin. Sheets are split for BIF, and pictures of different sizes get bars. Names in
        /// the set are resolved only inside its folder. A name that leads out of it, directly or through a link, is
        /// rejected before anything is read from it.
        ///
        /// All files are renamed together when all are complete, and replace those of an earlier set. The folder is
        /// locked during this call; it may be the source's folder.
        ///
        /// Memory: the indexes, and a megabyte of the pictures; when encoding, two sheets.
        ///
        /// - Parameters:
        ///   - source: a folder with a `manifest.json`, or a BIF file. A BIF file without a manifest next to it (its
        ///     name with `.json`) has only times, which is enough for WebVTT, JSON and Jellyfin.
        ///   - format: the format to convert to.
        ///   - folder: the output folder, created if it does not exist. Jellyfin's `NAME.trickplay` is created in it,
        ///     named after the video.
        ///   - baseURL: the prefix of the sheets' names in WebVTT and JSON; `nil` for names relative to these files.
        ///   - quality: the quality of re-encoded pictures, 1 to 100; `nil` to reject sets that need re-encoding.
        ///   - waitsForOtherRuns: whether to wait for another run that is writing to the folder, instead of throwing an
        ///     error.
        ///   - replacesFiles: whether to replace files with the new set's names that are not part of an earlier set,
        ///     instead of throwing an error.
        /// - Throws: `usage` if the other format cannot store the set, needs new pictures for it, or does not support a
        ///   base URL. `noInput` or `badData` for a source that is not a set or is replaced in the meantime. `unavailable` if
        ///   another run is writing to the folder, `inputOutput` if a file cannot be written. `CancellationError` if the
        ///   task was cancelled. The work ends between two picture files, and the folder is unchanged.
        public static func convert(
            _ source: String, to format: Format, into folder: String, baseURL: String? = nil, quality: Int? = nil,
            waitsForOtherRuns: Bool = false, replacesFiles: Bool = false
        ) async throws -> Report {
            try await BlockingWork.run(.long) {
                try convert(
                    source, to: format, into: folder, baseURL: baseURL, quality: quality,
                    waitsForOtherRuns: waitsForOtherRuns, replacesFiles: replacesFiles)
            }
        }

        /// Converts synchronously, on the calling thread. See the asynchronous method.
        package static func convert(
            _ source: String, to format: Format, into folder: String, baseURL: String? = nil, quality: Int? = nil,
            waitsForOtherRuns: Bool = false, replacesFiles: Bool = false
        ) throws(ScrubError) -> Report {
            guard baseURL == nil || format == .vtt || format == .json else {
                throw ScrubError(
                    .usage, "\(format.rawValue) uses relative names", advice: "omit the base URL")
            }
            if let quality, !(1...100).contains(quality) {
                throw ScrubError(.usage, "the quality is \(quality)", advice: "use a value from 1 to 100")
            }
            _ = try SheetURL.reference("", base: baseURL)
            let set = try ConvertibleSet(source)
            // Problems with a name are detected before anything is written.
            for number in set.pictureIndices { _ = try set.picture(number) }
            var known = set.board
            if known == nil, format == .jellyfin { known = try set.boardWithoutFrames() }
            guard let board = known else {
                guard format == .vtt || format == .json else {
                    throw ScrubError(
                        .usage,
                        "a BIF file without a manifest has no frame numbers, and \(format.rawValue) needs them",
                        file: source, advice: "convert it to vtt, json or jellyfin")
                }
                let vtt = try set.cues(baseURL: baseURL)
                if format == .vtt { try vtt.checkTimes() }
                let output = try OutputFolder(
                    path: folder, replacesFiles: replacesFiles, waits: waitsForOtherRuns)
                let writer = ConversionWriter(set: set, format: format, baseURL: baseURL, output: output)
                return Report(
                    files: try writer.write(vtt), encodedCount: 0, warnings: output.warnings.map { Wording($0) })
            }
            // Unsupported values are detected before anything is written.
            let fitted = try AdaptedSet(board, for: format, quality: quality)
            if format == .vtt { _ = try Storyboard.WebVTT(fitted.board, baseURL: baseURL) }
            if format == .json { _ = try JSONIndexes(fitted.board, baseURL: baseURL) }
            let output = try OutputFolder(
                path: folder, replacesFiles: replacesFiles, waits: waitsForOtherRuns)
            var writer = ConversionWriter(set: set, format: format, baseURL: baseURL, output: output)
            let files = try writer.write(fitted)
            return Report(
                files: files, encodedCount: writer.encodedCount, warnings: output.warnings.map { Wording($0) })
        }
    }
}

internal import ScrubFileIO
internal import ScrubPictures
internal import ScrubStoryboards

extension ThumbnailSets {
    /// Thumbnail sets in another format, without encoding a picture again.
    public enum Conversion {
        /// The formats that a set can become.
        public enum Format: String, Hashable, Sendable, CaseIterable {
            /// Sheets with WebVTT.
            case vtt
            /// Sheets with the JSON array that scripts and Vidstack take, and with Mux's storyboard where there is one
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

        /// The outcome of a conversion.
        public struct Report: Sendable {
            /// The files that were written, relative to the folder; the index comes last.
            public let files: [String]
            /// The number of picture files that were re-encoded; all others are copies.
            public let encodedCount: Int
            /// The instructions that could not be followed, a sentence each.
            public let warnings: [String]
        }

        /// Converts a set to another format. Pictures are copied byte for byte, and the index of their positions and
        /// times is rewritten.
        ///
        /// With a quality, pictures that the other format cannot store unchanged are re-encoded. All others are copied.
        /// A last sheet that is not full is padded for DASH and Jellyfin. Single pictures (BIF) are put on sheets of 10
        /// x 10 for Jellyfin. Sheets are split for BIF, and pictures of different sizes get bars. Names in the set are
        /// resolved only inside its folder. A name that leads out of it, directly or through a link, is rejected before
        /// anything is read from it.
        ///
        /// All files get their names at once when all are complete, and replace those of an earlier set. The folder is
        /// locked for this call; it may be the source's.
        ///
        /// Memory: the indexes, and a megabyte of the pictures; to encode, two sheets.
        ///
        /// - Parameters:
        ///   - source: a folder with a `manifest.json`, or a BIF file. A BIF file without a manifest next to it (its
        ///     name with `.json`) has only times, which is enough for WebVTT, JSON and Jellyfin.
        ///   - format: the format to convert to.
        ///   - folder: created if it does not exist. Jellyfin's `NAME.trickplay` is created in it, named after the
        ///     film.
        ///   - baseURL: the text before the sheets' names in WebVTT and JSON; `nil` for names relative to these.
        ///   - quality: the quality of re-encoded pictures, 1 to 100; `nil` to reject sets that need re-encoding.
        ///   - waitsForOtherRuns: whether to wait for another run that writes into the folder, instead of throwing an
        ///     error.
        ///   - replacesFiles: whether to replace files with the new set's names that are not part of an earlier set,
        ///     instead of throwing an error.
        /// - Throws: `usage` if the other format cannot store the set, needs new pictures for it, or does not support a
        ///   base URL. `noInput` or `badData` for a source that is not a set or is replaced meanwhile. `unavailable` if
        ///   another run writes into the folder, `inputOutput` if a file cannot be written. `CancellationError` if the
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

        /// As the asynchronous one, on the calling thread.
        package static func convert(
            _ source: String, to format: Format, into folder: String, baseURL: String? = nil, quality: Int? = nil,
            waitsForOtherRuns: Bool = false, replacesFiles: Bool = false
        ) throws(ScrubError) -> Report {
            guard baseURL == nil || format == .vtt || format == .json else {
                throw ScrubError(
                    .usage, "\(format.rawValue) is written with relative names", advice: "leave the base URL out")
            }
            if let quality, !(1...100).contains(quality) {
                throw ScrubError(.usage, "a quality of \(quality)", advice: "give one from 1 to 100")
            }
            _ = try SheetURL.reference("", base: baseURL)
            let set = try ConvertibleSet(source)
            // What is wrong with a name is known before anything is written.
            for number in set.pictureIndices { _ = try set.picture(number) }
            var known = set.board
            if known == nil, format == .jellyfin { known = try set.boardWithoutFrames() }
            guard let board = known else {
                guard format == .vtt || format == .json else {
                    throw ScrubError(
                        .usage,
                        "a BIF file without a manifest tells no frames, and \(format.rawValue) needs more than times",
                        file: source, advice: "convert it to vtt, json or jellyfin")
                }
                let vtt = try set.cues(baseURL: baseURL)
                if format == .vtt { try vtt.checkTimes() }
                let output = try OutputFolder(
                    path: folder, replacesFiles: replacesFiles, waits: waitsForOtherRuns)
                let writer = ConversionWriter(set: set, format: format, baseURL: baseURL, output: output)
                return Report(files: try writer.write(vtt), encodedCount: 0, warnings: output.warnings)
            }
            // What cannot be said is known before anything is written.
            let fitted = try FittedSet(board, for: format, quality: quality)
            if format == .vtt { _ = try Storyboard.WebVTT(fitted.board, baseURL: baseURL) }
            if format == .json { _ = try JSONIndexes(fitted.board, baseURL: baseURL) }
            let output = try OutputFolder(
                path: folder, replacesFiles: replacesFiles, waits: waitsForOtherRuns)
            var writer = ConversionWriter(set: set, format: format, baseURL: baseURL, output: output)
            let files = try writer.write(fitted)
            return Report(files: files, encodedCount: writer.encodedCount, warnings: output.warnings)
        }
    }
}

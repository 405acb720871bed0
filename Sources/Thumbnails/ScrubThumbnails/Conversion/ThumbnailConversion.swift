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

        /// Makes another format of a set: pictures are copied byte for byte, and the index of their places and times is
        /// new.
        ///
        /// With a quality, pictures that the other format cannot have as they are get re-encoded, and no others. A last
        /// sheet that is not full is padded for DASH and Jellyfin. Single pictures (BIF) are laid on sheets of 10 x 10
        /// for Jellyfin. Sheets are cut up for BIF, and pictures of different sizes get bars. Names in the set are
        /// looked for in its folder and nowhere else. One that leads out of it, by itself or by a link, is refused
        /// before anything of it is read.
        ///
        /// All files get their names at once when every one of them is whole, and take the place of an earlier set's.
        /// The folder is this call's alone meanwhile; it may be the source's.
        ///
        /// Memory: the indexes, and a megabyte of the pictures; to encode, two sheets.
        ///
        /// - Parameters:
        ///   - source: a folder with a `manifest.json`, or a BIF file. Of a BIF file without a manifest beside it (its
        ///     name with `.json`) only times are known, which is enough for WebVTT, JSON and Jellyfin.
        ///   - format: the format that it becomes.
        ///   - folder: made if it is not there. Jellyfin's `NAME.trickplay` is made in it, called as the film is.
        ///   - baseURL: the text before the sheets' names in WebVTT and JSON; `nil` for names relative to these.
        ///   - quality: of pictures that are re-encoded, 1 to 100; `nil` to refuse sets that need any.
        ///   - waitsForOtherRuns: whether to wait for another run that writes into the folder, instead of an error.
        ///   - replacesFiles: whether files of the new set's names are replaced that no earlier set has, instead of an
        ///     error.
        /// - Throws: `usage` if the other format cannot hold the set, or not without new pictures, or takes no base
        ///   URL. `noInput`, `badData` for a source that is not a set or is replaced meanwhile, `unavailable` if
        ///   another run writes into the folder, `inputOutput` if a file cannot be written. `CancellationError` if the
        ///   task was cancelled: the work ends between two picture files, and the folder is as it was.
        public static func convert(
            _ source: String, to format: Format, into folder: String, baseURL: String? = nil, quality: Int? = nil,
            waitsForOtherRuns: Bool = false, replacesFiles: Bool = false
        ) async throws -> Report {
            try await BlockingWork.run(.long) { _ in
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
                    path: folder, replacesFiles: replacesFiles, waits: waitsForOtherRuns,
                    isCancelled: WorkCancellation.onThisThread)
                let writer = ConversionWriter(set: set, format: format, baseURL: baseURL, output: output)
                return Report(files: try writer.write(vtt), encodedCount: 0, warnings: output.warnings)
            }
            // What cannot be said is known before anything is written.
            let fitted = try FittedSet(board, for: format, quality: quality)
            if format == .vtt { _ = try Storyboard.WebVTT(fitted.board, baseURL: baseURL) }
            if format == .json { _ = try JSONIndexes(fitted.board, baseURL: baseURL) }
            let output = try OutputFolder(
                path: folder, replacesFiles: replacesFiles, waits: waitsForOtherRuns,
                isCancelled: WorkCancellation.onThisThread)
            var writer = ConversionWriter(set: set, format: format, baseURL: baseURL, output: output)
            let files = try writer.write(fitted)
            return Report(files: files, encodedCount: writer.encodedCount, warnings: output.warnings)
        }
    }
}

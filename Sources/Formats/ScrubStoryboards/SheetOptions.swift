public import ScrubBase

extension Storyboard {
    /// Options for arranging thumbnails on sheets.
    public struct SheetOptions: Hashable, Sendable {
        /// The treatment of rows without tiles on the last sheet.
        public enum LastSheet: Hashable, Sendable {
            /// The rows are omitted, so the sheet is shorter.
            case trimmed
            /// The rows are present but empty. All sheets have the same size, which DASH and Jellyfin rely on.
            case full
        }

        /// The number of columns on a sheet, 1 or more.
        public var columns = 10
        /// The number of rows on a sheet, 1 or more.
        public var rows = 10
        /// The sheets' file format.
        public var format = ImageFormat.jpeg
        /// The encoder's quality, 1 to 100; not used for PNG. Default 80.
        public var quality = 80
        /// Whether the last sheet is trimmed, or padded with empty tiles to the size of the others.
        public var lastSheet = LastSheet.trimmed
        /// The prefix of the sheets' names, before the number.
        public var namePrefix = "sheet-"
        /// The minimum number of digits in a sheet's number, 0 or more.
        public var nameDigits = 3
        /// Whether the manifest contains a BlurHash and a ThumbHash for each thumbnail.
        public var makesPlaceholderHashes = false
        /// Whether the set's times count from the first frame instead of in the time of the video's players.
        package var countsFromFirstFrame = false

        /// Creates options with default values.
        public init() {}
    }
}

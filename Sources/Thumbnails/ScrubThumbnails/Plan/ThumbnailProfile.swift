internal import ScrubBase
internal import ScrubStoryboards

extension ThumbnailSets {
    /// A kind of player or server that reads a thumbnail set.
    public enum Profile: String, Hashable, Sendable, CaseIterable {
        /// Web players: sheets with WebVTT, JSON, and a page for viewing them.
        case web
        /// Jellyfin's trickplay folder: `<name>.trickplay/<width> - <columns>x<rows>/<number>.jpg`.
        case jellyfin
        /// Plex's `index-sd.bif`, and the same under Emby's name.
        case plex
        /// Roku: BIF files for SD and HD.
        case roku
        /// HLS: an image media playlist with tiles (Roku's specification, version 0.4), and two I-frame playlists (RFC
        /// 8216, 4.3.3.6). One contains the key pictures themselves, at most one per second, if MP4 supports the codec.
        /// The other contains the thumbnails as JPEG (`mjpg`).
        case hls
        /// DASH: tiles as an image adaptation set (DASH-IF IOP 6.2.6), and the key pictures as a trick mode set
        /// (3.2.9), as for HLS.
        case dash
        /// Human viewers: a contact sheet with times and a header, as a single SVG.
        case contact
        /// File managers: PNG in the sizes of the freedesktop.org thumbnail specification.
        case freedesktop

        /// Whether readers of this profile require thumbnails at a constant interval. Such a profile cannot represent
        /// thumbnails of scenes or of individual positions.
        public var needsInterval: Bool {
            switch self {
            case .jellyfin, .plex, .roku, .hls, .dash: true
            case .web, .contact, .freedesktop: false
            }
        }

        /// Whether the profile's players count time from the first frame, whatever the container's timestamps are. This
        /// is the case for playlists and presentations, which are made from the video.
        package var countsFromFirstFrame: Bool { self == .hls || self == .dash }

        /// The maximum widths of the profile's thumbnails in pixels.
        package var widths: [Int] {
            switch self {
            case .web, .jellyfin, .plex, .hls, .dash, .contact: [320]
            case .roku: [240, 320]
            case .freedesktop: []
            }
        }

        /// Returns the sizes of the profile's thumbnails.
        ///
        /// - Parameter wanted: the requested size; `nil` for the profile's default. Roku's file names have two fixed
        ///   widths, and file managers use four fixed sizes. These profiles ignore the request.
        package func sizes(_ wanted: ThumbnailPlan.Size?) -> [ThumbnailPlan.Size] {
            switch self {
            // Web players draw tiles at the tiles' own size, in a box with this aspect ratio.
            case .web, .hls, .dash, .contact: [wanted ?? .maximum(width: 320, height: 180)]
            // Servers name pictures by their width.
            case .jellyfin, .plex: [wanted ?? .standard(320)]
            case .roku, .freedesktop: widths.map { .standard($0) }
            }
        }

        /// The layout of sheets. Single pictures are sheets of one.
        package var sheets: Storyboard.SheetOptions {
            var options = Storyboard.SheetOptions()
            switch self {
            case .web: (options.columns, options.rows) = (5, 5)
            case .jellyfin: (options.columns, options.rows, options.lastSheet) = (10, 10, .full)
            case .plex, .roku: (options.columns, options.rows) = (1, 1)
            case .hls, .dash: (options.columns, options.rows, options.lastSheet) = (5, 5, .full)
            case .contact, .freedesktop: break
            }
            if [.jellyfin, .plex, .roku, .dash].contains(self) { (options.namePrefix, options.nameDigits) = ("", 1) }
            options.countsFromFirstFrame = countsFromFirstFrame
            return options
        }
    }
}

extension ThumbnailSets {
    /// Options for making thumbnail sets for several players together.
    public struct Options: Hashable, Sendable {
        /// The profiles to make sets for, in this order.
        public var profiles: [ThumbnailSets.Profile]
        /// The thumbnails to make. Profiles that require a constant interval (``ThumbnailSets/Profile/needsInterval``)
        /// need ``ThumbnailPlan/Request/Positions/every(_:)``.
        public var request = ThumbnailPlan.Request(.every(Rational(10)), tolerance: .automatic)
        /// The size of thumbnails; `nil` for the profiles' defaults. The defaults are a box of 320 x 180 pixels for
        /// `web`, `hls`, `dash` and `contact`, and a width of 320 pixels for `jellyfin` and `plex`. `roku` and
        /// `freedesktop` always use fixed sizes.
        public var size: ThumbnailPlan.Size?
        /// The encoder's quality, 1 to 100. Default 80.
        public var quality = 80
        /// The text to put before the sheets' names in the `web` set's `thumbnails.vtt` and `thumbnails.json`; `nil`
        /// for names relative to these files. If the text begins with `http://` or `https://`, a set with only one
        /// sheet also has a `storyboard.json`.
        public var baseURL: String?
        /// Whether to skip a profile that cannot represent the requested set, with a warning, instead of throwing an
        /// error.
        public var skipsUnsupportedProfiles = false
        /// Whether to wait if another run, in this process or another one, is writing to the same folder. If false,
        /// such a run causes an error.
        public var waitsForOtherRuns = false
        /// Whether to replace existing files that have the same names as a set's files but do not belong to an earlier
        /// set. If false, such files cause an error. A file that is being read is never replaced.
        public var replacesFiles = false
        /// Whether to leave an existing set unchanged if neither the video file nor the options have changed since it
        /// was made, and none of its files is missing or truncated.
        public var skipsUpToDateSets = false
        /// Whether to make thumbnails from the video's kept previews if there are any
        /// (``ThumbnailPlan/Options/usesKeptPreviews``). The pictures for file managers are always decoded.
        public var usesKeptPreviews = false
        /// The number of threads that decode, 1 or more; `nil` for one per processor.
        public var threadCount: Int?
        /// Whether Jellyfin's pictures are at most as wide as the video, like those that the server makes. This is for
        /// the location where the server looks for them.
        package var fitsTrickplay = false
        /// The color behind transparent pixels, 0...255 for red, green and blue. Default black.
        public var background = RGBColor.black
        /// Whether to interpolate the missing rows of interlaced pictures along edges
        /// (``ThumbnailPlan/Options/deinterlaces``).
        public var deinterlaces = false
        /// The video's name in manifests, and its identity, if these are not derived from its path and its file. A set
        /// then consists of the same bytes wherever its video is.
        package var subject: ThumbnailSubject?

        /// Creates options.
        public init(_ profiles: [ThumbnailSets.Profile]) { self.profiles = profiles }
    }
}

/// A video identified by a name and a key of its contents, wherever its file is.
package struct ThumbnailSubject: Hashable, Sendable {
    package var name: String
    /// The key, which differs for different contents.
    package var key: String

    package init(name: String, key: String) { (self.name, self.key) = (name, key) }
}

/// The result of writing thumbnail sets.
public struct ThumbnailSets: Sendable {
    /// A thumbnail set.
    public struct Entry: Sendable {
        /// Creates an entry.
        package init(
            profile: ThumbnailSets.Profile, folder: String, thumbnailCount: Int, byteCount: Int,
            isUpToDate: Bool = false
        ) {
            (self.profile, self.folder, self.isUpToDate) = (profile, folder, isUpToDate)
            (self.thumbnailCount, self.byteCount) = (thumbnailCount, byteCount)
        }

        /// The profile of the set.
        public let profile: ThumbnailSets.Profile
        /// The folder of the set.
        public let folder: String
        /// Whether the set already existed and was left unchanged.
        public let isUpToDate: Bool
        /// The number of thumbnails.
        public let thumbnailCount: Int
        /// The total size of the set's pictures in bytes.
        public let byteCount: Int
    }

    /// The sets.
    public let sets: [Entry]
    /// The plan; `nil` if only pictures for file managers were requested.
    public let plan: ThumbnailPlan?
    /// Warnings about options that could not be applied, one sentence each.
    public let warnings: [Wording]
    /// The number of thumbnails that this call made from kept previews.
    public let previewCount: Int
}

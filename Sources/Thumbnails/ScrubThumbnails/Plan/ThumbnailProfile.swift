internal import ScrubBase
internal import ScrubStoryboards

extension ThumbnailSets {
    /// A kind of player or server that reads a thumbnail set.
    public enum Profile: String, Hashable, Sendable, CaseIterable {
        /// Web players: sheets with WebVTT, JSON, and a page to look at them.
        case web
        /// Jellyfin's trickplay folder: `<name>.trickplay/<width> - <columns>x<rows>/<number>.jpg`.
        case jellyfin
        /// Plex's `index-sd.bif`, and the same under Emby's name.
        case plex
        /// Roku: BIF files for SD and HD.
        case roku
        /// HLS: an image media playlist with tiles (Roku's specification, version 0.4), and two I-frame playlists (RFC
        /// 8216, 4.3.3.6). One has the key pictures themselves, at most one each second, if MP4 has room for the codec.
        /// The other has the thumbnails as JPEG (`mjpg`).
        case hls
        /// DASH: tiles as an image adaptation set (DASH-IF IOP 6.2.6), and the key pictures as a trick mode set
        /// (3.2.9), as for HLS.
        case dash
        /// People: a contact sheet with times and a head, one SVG.
        case contact
        /// File managers: PNG in the sizes of the freedesktop.org thumbnail specification.
        case freedesktop

        /// Whether its readers count thumbnails by one interval, so that those of scenes or of single positions cannot
        /// be said.
        public var needsInterval: Bool {
            switch self {
            case .jellyfin, .plex, .roku, .hls, .dash: true
            case .web, .contact, .freedesktop: false
            }
        }

        /// Whether its players count time from the first frame, whatever the container's timestamps are. This is the
        /// case for playlists and presentations, which are made from the film.
        package var countsFromFirstFrame: Bool { self == .hls || self == .dash }

        /// The maximum widths of its thumbnails in pixels.
        package var widths: [Int] {
            switch self {
            case .web, .jellyfin, .plex, .hls, .dash, .contact: [320]
            case .roku: [240, 320]
            case .freedesktop: []
            }
        }

        /// The sizes of its thumbnails.
        ///
        /// - Parameter wanted: the requested size; `nil` for the profile's own. Roku's file names have two fixed
        ///   widths, and file managers use four fixed sizes. These profiles ignore the request.
        package func sizes(_ wanted: ThumbnailPlan.Size?) -> [ThumbnailPlan.Size] {
            switch self {
            // Web players draw tiles at their own size, in a box of this shape.
            case .web, .hls, .dash, .contact: [wanted ?? .box(width: 320, height: 180)]
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
    /// Thumbnail sets for several players, from one decoding.
    public struct Options: Hashable, Sendable {
        /// For whom; in this order.
        public var profiles: [ThumbnailSets.Profile]
        /// Which thumbnails. Players that count by an interval need ``ThumbnailPlan/Request/Places/every(_:)``.
        public var request = ThumbnailPlan.Request(.every(Rational(10)), tolerance: .automatic)
        /// The size of thumbnails; `nil` for the profiles' defaults. These are a box of 320 x 180 pixels for `web`,
        /// `hls`, `dash` and `contact`, and a width of 320 for `jellyfin` and `plex`. `roku` and `freedesktop` always
        /// use their own sizes.
        public var size: ThumbnailPlan.Size?
        /// The encoder's quality, 1 to 100. Default 80.
        public var quality = 80
        /// The text before the sheets' names in the `web` set's `thumbnails.vtt` and `thumbnails.json`; `nil` for names
        /// relative to these. With one that begins with `http://` or `https://` a set on one sheet has a
        /// `storyboard.json` too.
        public var baseURL: String?
        /// Whether a profile that cannot hold the requested set is left out with a warning, instead of an error.
        public var leavesOutUnfit = false
        /// Whether to wait for another run that writes into the same folder, in this process or another one. Without it
        /// that is an error.
        public var waitsForOtherRuns = false
        /// Whether to replace files with the set's names that are not part of an earlier set. Otherwise such files are
        /// an error. A file that is being read is never replaced.
        public var replacesFiles = false
        /// Whether sets that already exist are left as they are. Such a set is of the same file, which has not changed
        /// since, with the same options, and with all their files.
        public var skipsCurrent = false
        /// Whether thumbnails are made of the video's kept previews where there are some
        /// (``ThumbnailPlan/Options/usesKeptPreviews``). The pictures for file managers are decoded all the same.
        public var usesKeptPreviews = false
        /// Threads that decode, 1 or more; `nil` for as many as there are processors.
        public var threadCount: Int?
        /// Whether Jellyfin's pictures are at most as wide as the film, as the server's own: for the place where it
        /// looks for them.
        package var fitsTrickplay = false
        /// The color under transparent pixels, 0...255 for red, green and blue. Default black.
        public var background = RGBColor.black
        /// Whether the missing rows of interlaced pictures are interpolated along edges
        /// (``ThumbnailPlan/Options/deinterlaces``).
        public var deinterlaces = false
        /// The film's name in manifests, and its identity, if these are not its path and the file's facts. Then a set
        /// is the same bytes wherever its film is.
        package var subject: ThumbnailSubject?

        /// Makes options.
        public init(_ profiles: [ThumbnailSets.Profile]) { self.profiles = profiles }
    }
}

/// A film by a name and a key of its contents, wherever its file is.
package struct ThumbnailSubject: Hashable, Sendable {
    package var name: String
    /// Another one when the film has other contents.
    package var key: String

    package init(name: String, key: String) { (self.name, self.key) = (name, key) }
}

/// The outcome of thumbnail sets.
public struct ThumbnailSets: Sendable {
    /// One set.
    public struct Entry: Sendable {
        /// Makes an entry.
        public init(
            profile: ThumbnailSets.Profile, folder: String, thumbnailCount: Int, byteCount: Int, isCurrent: Bool = false
        ) {
            (self.profile, self.folder, self.isCurrent) = (profile, folder, isCurrent)
            (self.thumbnailCount, self.byteCount) = (thumbnailCount, byteCount)
        }

        /// For whom.
        public let profile: ThumbnailSets.Profile
        /// The folder of the set.
        public let folder: String
        /// Whether the set already existed, and was left as it is.
        public let isCurrent: Bool
        /// The number of its thumbnails.
        public let thumbnailCount: Int
        /// Bytes of its pictures.
        public let byteCount: Int
    }

    /// The sets.
    public let sets: [Entry]
    /// The plan; `nil` if only pictures for file managers were wanted.
    public let plan: ThumbnailPlan?
    /// The instructions that could not be followed, a sentence each.
    public let warnings: [Wording]
    /// Thumbnails that were made of kept previews, of those that were made now.
    public let previewCount: Int
}

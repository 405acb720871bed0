internal import ScrubFileIO
internal import ScrubBase
internal import ScrubIndex
internal import ScrubLibAV
internal import ScrubMedia
internal import ScrubThumbnails
internal import ScrubStoryboards

/// The predicted size of results, from facts that are known before anything is decoded.
///
/// The figures are from 260 films of all kinds (docs/batch.md); the factor for a machine's own films is learned
/// (``CostExperience``).
enum ResultBytes {
    /// The bytes per pixel of JPEG at quality 80, of WebP at the same quality, and of PNG.
    private static let (jpeg, webP, png) = (0.16, 0.1, 1.4)
    /// The bytes per pixel of a sheet's empty cells.
    private static let emptyPixel = 0.02
    /// The bytes per pixel of a preview.
    private static let preview = 0.12
    /// The record of a film.
    private static let record = 300.0

    /// Returns the size of thumbnail sets in bytes.
    ///
    /// - Parameter slots: the number of thumbnails in each set.
    static func sets(
        _ profiles: [ThumbnailSets.Profile], quality: Int, of asset: VideoAsset, slots: Int
    ) throws(ScrubError) -> Double {
        let shape = try asset.uprightShape()
        return profiles.reduce(record) { $0 + set($1, quality, asset, shape, Double(slots)) }
    }

    private static func set(
        _ profile: ThumbnailSets.Profile, _ quality: Int, _ asset: VideoAsset, _ shape: (width: Int, height: Int),
        _ slots: Double
    ) -> Double {
        let areas = profile.sizes(nil).map { area($0, shape) }
        let first = areas.first ?? 0
        let pictures = areas.reduce(0, +) * slots * jpeg * factor(quality)
        let text = slots * 200
        switch profile {
        case .web:
            // The page, its script, and the moving preview.
            let preview = min(slots, 16) * first * webP * factor(quality)
            return 42_300 + text + pictures + preview
        case .jellyfin: return 800 + pictures + empty(profile, slots, first)
        // The same file under two names.
        case .plex: return 1100 + 2 * pictures
        case .roku: return 1700 + pictures
        // Each picture on its sheet and as a sample, with its fragment's header and its lines.
        case .hls: return 3300 + 2 * pictures + slots * 170 + empty(profile, slots, first) + keyPictures(of: asset)
        case .dash: return 2300 + pictures + empty(profile, slots, first) + keyPictures(of: asset)
        case .contact: return 800 + text + pictures
        case .freedesktop:
            return [128, 256, 512, 1024].reduce(300) { sum, side in
                let longest = min(side, max(shape.width, shape.height))
                return sum + square(longest, shape) * png
            }
        }
    }

    /// Returns the bytes of the last sheet's empty cells, if that sheet is as large as the others.
    private static func empty(_ profile: ThumbnailSets.Profile, _ slots: Double, _ area: Double) -> Double {
        let sheet = profile.sheets
        guard sheet.lastSheet == .full else { return 0 }
        let places = Double(sheet.columns * sheet.rows)
        return ((slots / places).rounded(.up) * places - slots) * area * emptyPixel
    }

    /// Returns the bytes of one picture as a JPEG of a given width, and of its report.
    static func poster(width: Int, quality: Int, of asset: VideoAsset) throws(ScrubError) -> Double {
        let shape = try asset.uprightShape()
        return record + 700 + area(width: min(width, shape.width), shape) * jpeg * factor(quality)
    }

    /// Returns the pixels of the previews of all frames.
    static func previewPixels(of asset: VideoAsset) -> Double {
        let description = asset.index.facts.descriptions.first
        let shape = (width: Int(description?.width ?? 0), height: Int(description?.height ?? 0))
        let side = min(PreviewTrack.keptSide, max(shape.width, shape.height))
        return Double(asset.frames.count) * square(side, shape)
    }

    /// Returns the bytes of the previews of all frames, with their record headers.
    static func previews(of asset: VideoAsset) -> Double {
        Double(asset.frames.count) * 1100 + previewPixels(of: asset) * preview
    }

    /// Returns the number of pixels of a picture of a given width.
    private static func area(width: Int, _ shape: (width: Int, height: Int)) -> Double {
        Double(width) * Double(width) * Double(shape.height) / Double(max(1, shape.width))
    }

    /// Returns the number of pixels of a picture that fits in a box.
    private static func area(_ size: ThumbnailPlan.Size, _ shape: (width: Int, height: Int)) -> Double {
        let byWidth = area(width: size.width ?? 320, shape)
        guard let height = size.height.map(Double.init) else { return byWidth }
        return min(byWidth, height * height * Double(shape.width) / Double(max(1, shape.height)))
    }

    /// Returns the number of pixels of a picture with a given longer side.
    private static func square(_ side: Int, _ shape: (width: Int, height: Int)) -> Double {
        let ratio = Double(min(shape.width, shape.height)) / Double(max(1, shape.width, shape.height))
        return Double(side) * Double(side) * ratio
    }

    /// Returns the bytes at a given quality relative to those at 80.
    private static func factor(_ quality: Int) -> Double {
        let quality = Double(quality)
        return quality > 80 ? 1 + (quality - 80) * (quality - 80) / 120 : 0.3 + 0.7 * (quality / 80) * (quality / 80)
    }

    /// Returns the bytes of the coded key pictures, at most one per second.
    private static func keyPictures(of asset: VideoAsset) -> Double {
        let index = asset.index
        let sizes = index.restarts.map { Double(index.pictures.sizes[Int($0)]) }
        guard !sizes.isEmpty else { return 0 }
        let seconds = max(1, Double(index.duration) * index.facts.timeBase.doubleValue)
        return sizes.reduce(0, +) * min(1, seconds / Double(sizes.count))
    }
}

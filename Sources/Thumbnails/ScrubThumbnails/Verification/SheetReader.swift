internal import ScrubFileIO
internal import ScrubPictures

/// A reader of sets' sheets that examines each as rarely as possible, because several indexes name the same ones.
///
/// The first time, it decodes a sheet completely, which proves that it is valid and determines its size. Tiles that an
/// index will compare are announced first; they are cut out on the way and kept for the next index.
///
/// Memory: the most recently decoded sheet, tiles of at most ``tileByteLimit`` bytes, and about 100 bytes for each
/// sheet.
struct SheetReader {
    /// The maximum number of bytes of tiles that are kept; 192 of them at 320 x 180.
    static let tileByteLimit = 32 << 20

    private let folder: ConfinedFolder
    /// The sizes of decoded sheets; `nil` for one that could not be decoded.
    private var sizes: [String: (width: Int, height: Int)?] = [:]
    private var last: (path: String, image: RasterImage)?
    /// The places on each sheet that the current index will request.
    private var expected: [String: Set<ParsedThumbnailSet.Place>] = [:]
    private var tiles: [ParsedThumbnailSet.Place: RasterImage] = [:]
    private var byteCount = 0
    /// The number of sheets decoded, and of those converted to pixels, counted each time.
    private(set) var looks = (sheets: 0, pixels: 0)

    /// Creates a reader.
    ///
    /// - Parameter folder: the folder to which paths are relative.
    init(_ folder: ConfinedFolder) { self.folder = folder }

    /// Announces the places that will be requested next, replacing earlier announcements.
    mutating func expect(_ places: [ParsedThumbnailSet.Place]) {
        expected = [:]
        for place in places {
            if case .sheet(let path, _, _, _, _) = place { expected[path, default: []].insert(place) }
        }
        guard byteCount > SheetReader.tileByteLimit / 2 else { return }
        // Sets with other sheets need room.
        tiles = tiles.filter { place, _ in isExpected(place) }
        byteCount = tiles.values.reduce(0) { $0 + $1.bytes.count }
    }

    private func isExpected(_ place: ParsedThumbnailSet.Place) -> Bool {
        guard case .sheet(let path, _, _, _, _) = place else { return false }
        return expected[path]?.contains(place) == true
    }

    /// Returns a sheet's size in pixels.
    ///
    /// - Returns: the size; `nil` for one that does not exist or cannot be decoded.
    mutating func size(of path: String) -> (width: Int, height: Int)? {
        if let known = sizes[path] { return known }
        // Converting pixels costs as much again as decoding, and is not needed for this.
        if expected[path] != nil { return image(of: path).map { ($0.width, $0.height) } }
        looks.sheets += 1
        let shape = (try? folder.open(path)).flatMap { (try? StillFile.size($0)) ?? nil }
        sizes.updateValue(shape, forKey: path)
        return shape
    }

    /// Returns a sheet's pixels, 8-bit RGB.
    ///
    /// - Returns: as ``size(of:)``.
    mutating func image(of path: String) -> RasterImage? {
        if let last, last.path == path { return last.image }
        if let known = sizes[path], known == nil { return nil }
        looks.sheets += 1
        looks.pixels += 1
        let image = (try? folder.open(path)).flatMap { (try? StillFile.image($0)) ?? nil }
        sizes.updateValue(image.map { ($0.width, $0.height) }, forKey: path)
        guard let image else { return nil }
        last = (path, image)
        for place in expected[path] ?? [] where tiles[place] == nil {
            guard let tile = SheetReader.cut(place, from: image) else { continue }
            guard byteCount + tile.bytes.count <= SheetReader.tileByteLimit else { break }
            tiles[place] = tile
            byteCount += tile.bytes.count
        }
        return image
    }

    /// Returns the pixels of a place on a sheet.
    ///
    /// - Returns: the pixels; `nil` for a place outside its sheet, or not on a sheet.
    mutating func tile(_ place: ParsedThumbnailSet.Place) -> RasterImage? {
        if let known = tiles[place] { return known }
        guard case .sheet(let path, _, _, _, _) = place, let image = image(of: path) else { return nil }
        return SheetReader.cut(place, from: image)
    }

    private static func cut(_ place: ParsedThumbnailSet.Place, from image: RasterImage) -> RasterImage? {
        guard case .sheet(_, let x, let y, let width, let height) = place, x >= 0, y >= 0, width > 0, height > 0,
            x <= image.width - width, y <= image.height - height
        else { return nil }
        return image.cropped(x: x, y: y, width: width, height: height)
    }
}

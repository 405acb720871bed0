internal import ScrubFileIO
internal import ScrubPictures

/// Looks at the sheets of sets, at each as rarely as can be: several indexes name the same ones.
///
/// The first look decodes a sheet whole, which proves that it can be, and its size is known from then on. Tiles that an
/// index will compare are said before: they are cut out on the way and kept for the next index.
///
/// Memory: the sheet whose pixels were made last, tiles of at most ``tileByteLimit`` bytes, some 100 bytes for each
/// sheet.
struct SheetReader {
    /// The most bytes of tiles that are kept; 192 of them at 320 x 180.
    static let tileByteLimit = 32 << 20

    private let folder: FolderScope
    /// Sizes of sheets that were decoded; `nil` for one that could not be.
    private var sizes: [String: (width: Int, height: Int)?] = [:]
    private var last: (path: String, image: RasterImage)?
    /// Places on each sheet that the present index will ask for.
    private var expected: [String: Set<FoundSet.Place>] = [:]
    private var tiles: [FoundSet.Place: RasterImage] = [:]
    private var byteCount = 0
    /// The numbers of sheets that were decoded, and of pixels that were made, counted again for each time.
    private(set) var looks = (sheets: 0, pixels: 0)

    /// - Parameter folder: the folder that paths are relative to.
    init(_ folder: FolderScope) { self.folder = folder }

    /// Says which places will be asked for next, instead of those that were said before.
    mutating func expect(_ places: [FoundSet.Place]) {
        expected = [:]
        for place in places {
            if case .sheet(let path, _, _, _, _) = place { expected[path, default: []].insert(place) }
        }
        guard byteCount > SheetReader.tileByteLimit / 2 else { return }
        // Sets of other sheets need room.
        tiles = tiles.filter { place, _ in isExpected(place) }
        byteCount = tiles.values.reduce(0) { $0 + $1.bytes.count }
    }

    private func isExpected(_ place: FoundSet.Place) -> Bool {
        guard case .sheet(let path, _, _, _, _) = place else { return false }
        return expected[path]?.contains(place) == true
    }

    /// Returns a sheet's sides in pixels.
    ///
    /// - Returns: `nil` for one that is not there or cannot be decoded.
    mutating func size(of path: String) -> (width: Int, height: Int)? {
        if let known = sizes[path] { return known }
        // Pixels cost as much again as decoding, and are not needed for this.
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
    /// - Returns: `nil` for a place outside its sheet, or on none.
    mutating func tile(_ place: FoundSet.Place) -> RasterImage? {
        if let known = tiles[place] { return known }
        guard case .sheet(let path, _, _, _, _) = place, let image = image(of: path) else { return nil }
        return SheetReader.cut(place, from: image)
    }

    private static func cut(_ place: FoundSet.Place, from image: RasterImage) -> RasterImage? {
        guard case .sheet(_, let x, let y, let width, let height) = place, x >= 0, y >= 0, width > 0, height > 0,
            x <= image.width - width, y <= image.height - height
        else { return nil }
        return image.cropped(x: x, y: y, width: width, height: height)
    }
}

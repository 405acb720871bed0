internal import ScrubFileIO
internal import ScrubPictures

/// Compares sets' pictures with the video's.
final class SetVerifier {
    /// The result of checking one set.
    struct Finding {
        var problems: [String] = []
        /// The number of pictures that were compared with the video.
        var compared = 0
        var note: String?
    }

    let asset: VideoAsset
    let folder: ConfinedFolder
    private var sheets: SheetReader
    private var reader: FrameReader
    /// The video's small pictures that were made; several sets show the same frames.
    private var made: [Made: RasterImage] = [:]
    private var madeBytes = 0
    /// Their maximum number of bytes; 185 pictures at 320 x 180.
    private static let madeByteLimit = 32 << 20

    private var poster: Int??
    /// The choices of plans for the most recently checked set.
    var planned: (file: String, frames: [[Int]])?

    private struct Made: Hashable {
        var frame: Int
        var size: PictureSize
    }

    init(asset: VideoAsset, folder: ConfinedFolder) {
        (self.asset, self.folder) = (asset, folder)
        sheets = SheetReader(folder)
        // Only small pictures are kept.
        var options = FrameReader.Options()
        (options.cacheByteLimit, options.decoderLimit) = (32 << 20, 2)
        reader = FrameReader(asset, options: options)
    }

    /// The maximum mean difference, of 255, that encoders cause in a picture of the same frame at usual qualities.
    static let likeness = 12.0
    /// The maximum number of problems of a set that are reported individually.
    static let mostProblems = 20

    func check(_ set: ParsedThumbnailSet, sample: Int) throws(ScrubError) -> Finding {
        var found = Finding(problems: set.problems)
        if set.isDirectory { return found }
        if let film = set.film, film.frameCount != asset.frames.count || film.duration != asset.duration {
            found.problems.append(
                "is for a film of \(film.frameCount) frames and \(film.duration.secondsText) s; this one has "
                    + "\(asset.frames.count) and \(asset.duration.secondsText) s")
        }
        guard !set.tiles.isEmpty else { return Finding(problems: set.problems + ["has no thumbnails"]) }
        let places = SetVerifier.places(sample, of: set.tiles.count)
        sheets.expect(places.map { set.tiles[$0].place })
        var missing: Set<String> = []
        for (path, size) in set.sheetSizes.sorted(by: { $0.key < $1.key }) {
            guard let own = sheets.size(of: path) else {
                missing.insert(path)
                found.problems.append("the sheet \(path) is missing or is not a picture")
                continue
            }
            // A last sheet may be trimmed to the required rows.
            if own.width != size.width || own.height > size.height {
                found.problems.append(
                    "the sheet \(path) has \(own.width) x \(own.height) pixels, not \(size.width) x \(size.height)")
            }
        }
        for path in set.files.sorted() where !isWhole(path) { found.problems.append("\(path) is cut off") }
        // The thumbnails of one sheet are one problem.
        var bare: [String: [Int]] = [:]
        for (number, tile) in set.tiles.enumerated() {
            if let reason = try falseTime(tile) { found.problems.append("thumbnail \(number) \(reason)") }
        }
        for place in places {
            let tile = set.tiles[place]
            guard let picture = picture(tile.place) else {
                if case .sheet(let path, _, _, _, _) = tile.place {
                    bare[path, default: []].append(place)
                } else {
                    found.problems.append("thumbnail \(place) has no picture")
                }
                continue
            }
            if let frame = tile.frame, !asset.frames.indices.contains(frame) { continue }
            let (best, frame) = try likeness(of: picture, inPlace: place, of: set)
            found.compared += 1
            let limit = best > SetVerifier.likeness ? try usualLoss(of: frame, as: picture) : SetVerifier.likeness
            if best > max(SetVerifier.likeness, limit) {
                let claim = tile.frame.map { "frame \($0)" } ?? "\(tile.start.secondsText) s"
                found.problems.append(
                    "thumbnail \(place) claims \(claim), but differs from it by \(Int(best.rounded())) of 255 on average"
                        + (frame.map { " (most similar of the frames tried: \($0))" } ?? ""))
            } else if let other = try moreLike(picture, than: best, place, set) {
                found.problems.append(
                    "thumbnail \(place) claims frame \(tile.frame ?? -1), but is more similar to frame \(other)")
            }
        }
        for (path, places) in bare.sorted(by: { $0.key < $1.key }) where !missing.contains(path) {
            let one = "thumbnail \(places[0]) has no picture"
            found.problems.append(
                "\(places.count == 1 ? one : "\(places.count) thumbnails starting at \(places[0]) have no picture") on the sheet \(path)"
            )
        }
        return found
    }

    /// Returns the loss that encoders may cause in a frame. Patterns of single pixels in strong colors, as in test
    /// videos, lose more than anything that is filmed. It is one and a half times the loss of JPEG at quality 75 with
    /// subsampled color.
    private func usualLoss(of frame: Int?, as picture: RasterImage) throws(ScrubError) -> Double {
        let size = PictureSize(width: picture.width, height: picture.height)
        guard let frame, let own = try small(frame, size), let bytes = try? ImageFormat.jpeg.encode(own, quality: 75),
            let again = try? JPEG.decode(bytes)
        else { return 0 }
        return 1.5 * SetVerifier.meanDifference(own.bytes, again.bytes)
    }

    /// Returns whether a picture's file has an end, if it is JPEG, because decoders accept less (ITU-T T.81 B.2.1).
    private func isWhole(_ path: String) -> Bool {
        guard path.hasSuffix(".jpg") || path.hasSuffix(".jpeg") else { return true }
        // Missing sheets are reported by the thumbnails on them.
        guard let file = try? folder.open(path) else { return true }
        guard file.byteCount > 4, let end = try? file.read(at: file.byteCount - 2, count: 2) else { return false }
        return end == [0xFF, 0xD9]
    }

    /// Returns evenly spread numbers, including the first and the last.
    static func places(_ sample: Int, of count: Int) -> [Int] {
        guard count > 0 else { return [] }
        let step = max(1, (count - 1) / max(1, sample - 1))
        var places = Array(stride(from: 0, to: count, by: step))
        if places.last != count - 1 { places.append(count - 1) }
        return places
    }

    /// Returns the problem with a thumbnail's claims about its frame, whatever its picture.
    private func falseTime(_ tile: ParsedThumbnailSet.Tile) throws(ScrubError) -> String? {
        guard let frame = tile.frame else { return nil }
        guard asset.frames.indices.contains(frame) else {
            return "claims frame \(frame), but the film has \(asset.frames.count) frames"
        }
        let own = asset.time(ofFrame: frame)
        if let time = tile.time, (time.subtracting(own)?.magnitude ?? .one) >= ParsedThumbnailSet.millisecond {
            return "claims frame \(frame) at \(time.secondsText) s, which is on screen from \(own.secondsText) s"
        }
        guard let requested = tile.exactFor else { return nil }
        let due = asset.frame(onScreenAt: requested)
        return due == frame
            ? nil : "claims that frame \(frame) is the exact frame at \(requested.secondsText) s, which is frame \(due)"
    }

    /// Returns a frame that a neighboring thumbnail claims and that this one clearly resembles more. Such pictures are
    /// swapped in a video with little movement.
    private func moreLike(
        _ picture: RasterImage, than difference: Double, _ place: Int, _ set: ParsedThumbnailSet
    ) throws(ScrubError) -> Int? {
        guard let own = set.tiles[place].frame, difference > 1 else { return nil }
        for neighbor in [place - 1, place + 1] where set.tiles.indices.contains(neighbor) {
            guard let frame = set.tiles[neighbor].frame, frame != own, asset.frames.indices.contains(frame) else {
                continue
            }
            let (other, _) = try likeness(of: picture, to: [frame])
            if other * 2 < difference { return frame }
        }
        return nil
    }

    /// Returns the difference between a tile and the pictures that may be shown at its time, without a verdict.
    func difference(of tile: ParsedThumbnailSet.Tile, in set: ParsedThumbnailSet) throws(ScrubError) -> Double {
        guard let picture = picture(tile.place) else { return 255 }
        return try likeness(of: picture, to: try nearFrames(tile, of: set)).difference
    }

    /// Returns the smallest mean difference to any of several frames, as far as needed to tell that it is one of them.
    ///
    /// - Parameter isThorough: whether to find the overall minimum, even after a close enough one.
    func likeness(
        of picture: RasterImage, to frames: [Int], isThorough: Bool = false
    ) throws(ScrubError) -> (difference: Double, frame: Int?) {
        var best: (difference: Double, frame: Int?) = (255, nil)
        let size = PictureSize(width: picture.width, height: picture.height)
        for frame in frames {
            guard let own = try small(frame, size) else { continue }
            var difference = SetVerifier.meanDifference(own.bytes, picture.bytes)
            if difference > SetVerifier.likeness,
                let other = try differenceOnGround(of: picture, from: frame, black: own)
            {
                difference = min(difference, other)
            }
            if difference < best.difference { best = (difference, frame) }
            if difference <= SetVerifier.likeness, !isThorough { break }
        }
        return best
    }

    private func small(_ frame: Int, _ size: PictureSize) throws(ScrubError) -> RasterImage? {
        let key = Made(frame: frame, size: size)
        if let known = made[key] { return known }
        guard let picture = try self.picture(ofFrame: frame) else { return nil }
        let image = try picture.small(size).image
        // A set may have thumbnails of any size.
        if madeBytes > SetVerifier.madeByteLimit - image.bytes.count { (made, madeBytes) = ([:], 0) }
        guard image.bytes.count <= SetVerifier.madeByteLimit else { return image }
        made[key] = image
        madeBytes += image.bytes.count
        return image
    }

    /// Returns the frame of the video's best poster, which requires a search.
    func bestPoster() throws(ScrubError) -> Int? {
        if let poster { return poster }
        let found = try asset.posterReport().posters.first?.frame.number
        poster = .some(found)
        return found
    }

    /// Returns the video's own picture.
    func picture(ofFrame frame: Int) throws(ScrubError) -> FramePicture? { try reader.frame(numbered: frame).picture }

    private static func meanDifference(_ a: [UInt8], _ b: [UInt8]) -> Double {
        guard a.count == b.count, !a.isEmpty else { return 255 }
        var sum = 0
        for i in a.indices { sum += abs(Int(a[i]) - Int(b[i])) }
        return Double(sum) / Double(a.count)
    }

    private func picture(_ place: ParsedThumbnailSet.Place) -> RasterImage? {
        switch place {
        case .sheet: return sheets.tile(place)
        case .bytes(let path, let range):
            guard range.count <= StillFile.fileLimit, let file = try? folder.open(path),
                let bytes = try? file.read(at: Int64(range.lowerBound), count: range.count)
            else { return nil }
            return StillFile.image(ofJPEG: bytes)
        case .file(let path):
            guard let file = try? folder.open(path) else { return nil }
            return (try? StillFile.image(file, mostWidth: 320)) ?? nil
        case .inline(let bytes): return StillFile.image(ofJPEG: bytes)
        case .pixels(let width, let height, let rgb):
            return RasterImage(width: width, height: height, channels: 3, bitDepth: 8, bytes: rgb, color: .sRGB)
        }
    }

    /// Returns a sheet's pixels.
    func image(of path: String) -> RasterImage? { sheets.image(of: path) }
}

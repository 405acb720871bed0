internal import FileIO
internal import ScrubPictures
internal import Storyboards

extension VideoAsset {
    /// Reads thumbnail sets again and proves them against the video: that index files are well formed and agree with the files
    /// beside them, and that pictures show the times they claim, by decoding a sample of those times anew.
    ///
    /// Reads `manifest.json`, WebVTT, BIF, HLS image playlists and DASH tiles, whoever wrote them. An index that names frames must
    /// show these; one that names times only must show some frame of that time's slot, or a key picture near it.
    ///
    /// - Parameters:
    ///   - folder: what is looked through, with the folders in it.
    ///   - sample: how many thumbnails of each set are compared, spread evenly, the first and the last among them.
    ///   - progress: told how many sets of how many are done, on the calling thread.
    /// - Throws: `noInput` when the folder cannot be read, `inputOutput` when reading the video fails. What is wrong with sets is
    ///   in the result.
    public func verifyThumbnailSets(
        in folder: String, sample: Int = 24, progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws(ScrubError) -> SetVerification {
        let reader = try SetReader(folder: folder)
        var result = SetVerification()
        result.problems = reader.problems
        let proof = SetProof(asset: self, folder: folder)
        for (number, set) in reader.sets.enumerated() {
            progress(number, reader.sets.count)
            let found = try proof.check(set, sample: max(2, sample))
            result.problems += found.problems
            result.sets.append(
                .init(
                    file: set.file, format: set.format, thumbnailCount: set.tiles.count, comparedCount: found.compared))
        }
        progress(1, 1)
        return result
    }
}

/// Compares a set's pictures with the video's.
final class SetProof {
    let asset: VideoAsset
    let folder: String
    /// The sheet that was looked at last.
    private var sheet: (path: String, image: RasterImage)?
    private var reader: FrameReader
    /// Small pictures of the video that were made; several sets show the same frames.
    private var made: [Made: RasterImage] = [:]

    private struct Made: Hashable {
        var frame: Int
        var size: PictureSize
    }

    init(asset: VideoAsset, folder: String) {
        (self.asset, self.folder) = (asset, folder)
        reader = FrameReader(asset)
    }

    /// The greatest mean difference, of 255, that encoders leave in a picture of the same frame at usual qualities.
    private static let likeness = 12.0

    func check(
        _ set: FoundSet, sample: Int
    ) throws(ScrubError) -> (problems: [SetVerification.Problem], compared: Int) {
        var problems: [SetVerification.Problem] = []
        func blame(_ reason: String) { problems.append(.init(file: set.file, reason: reason)) }
        guard !set.tiles.isEmpty else { return ([.init(file: set.file, reason: "has no thumbnails")], 0) }
        for (path, size) in set.sheetSizes.sorted(by: { $0.key < $1.key }) {
            guard let image = image(of: path) else {
                blame("the sheet \(path) is not there, or is no picture")
                continue
            }
            // A last sheet may be trimmed to the rows that it needs.
            if image.width != size.width || image.height > size.height {
                blame(
                    "the sheet \(path) has \(image.width) x \(image.height) pixels, not \(size.width) x \(size.height)")
            }
        }
        let step = max(1, (set.tiles.count - 1) / max(1, sample - 1))
        var places = Array(stride(from: 0, to: set.tiles.count, by: step))
        if places.last != set.tiles.count - 1 { places.append(set.tiles.count - 1) }
        var compared = 0
        for place in places {
            let tile = set.tiles[place]
            guard let picture = picture(tile.place) else {
                blame("thumbnail \(place) has no picture")
                continue
            }
            if let frame = tile.frame, !asset.frames.indices.contains(frame) {
                blame("thumbnail \(place) claims frame \(frame) of \(asset.frames.count)")
                continue
            }
            let (best, frame) = try likeness(of: picture, to: try candidates(tile))
            compared += 1
            if best > SetProof.likeness {
                let claim =
                    tile.frame.map { "frame \($0)" }
                    ?? "\(Double(tile.start.numerator) / Double(tile.start.denominator)) s"
                blame(
                    "thumbnail \(place) claims \(claim), and differs from it by \(Int(best.rounded())) of 255 on average"
                        + (frame.map { " (nearest of what was tried: frame \($0))" } ?? ""))
            }
        }
        return (problems, compared)
    }

    /// Frames that a thumbnail may show.
    private func candidates(_ tile: FoundSet.Tile) throws(ScrubError) -> [Int] {
        if let frame = tile.frame { return [frame] }
        let first = try asset.frame(at: .time(tile.start)).frame.number
        let last = try asset.frame(at: .time(tile.end)).frame.number
        var frames: Set<Int> = [first, (first + last) / 2, max(first, last - 1)]
        let middle = Position.frame((first + last) / 2)
        for place in [Position.frame(first), middle] {
            let plan = try asset.thumbnailPlan(for: ThumbnailRequest(.at([place]), tolerance: .keyframe))
            frames.formUnion(plan.slots.map(\.frame))
        }
        return frames.sorted()
    }

    /// The least mean difference to any of some frames.
    private func likeness(
        of picture: RasterImage, to frames: [Int]
    ) throws(ScrubError) -> (difference: Double, frame: Int?) {
        var best: (difference: Double, frame: Int?) = (255, nil)
        let size = PictureSize(width: picture.width, height: picture.height)
        for frame in frames {
            guard let own = try small(frame, size) else { continue }
            let difference = SetProof.meanDifference(own.bytes, picture.bytes)
            if difference < best.difference { best = (difference, frame) }
            if difference <= SetProof.likeness { break }
        }
        return best
    }

    private func small(_ frame: Int, _ size: PictureSize) throws(ScrubError) -> RasterImage? {
        let key = Made(frame: frame, size: size)
        if let known = made[key] { return known }
        guard let picture = try reader.frame(numbered: frame).picture else { return nil }
        // About 50 MB at 320 pixels.
        if made.count >= 300 { made = [:] }
        let image = try picture.small(size).image
        made[key] = image
        return image
    }

    private static func meanDifference(_ a: [UInt8], _ b: [UInt8]) -> Double {
        guard a.count == b.count, !a.isEmpty else { return 255 }
        var sum = 0
        for i in a.indices { sum += abs(Int(a[i]) - Int(b[i])) }
        return Double(sum) / Double(a.count)
    }

    private func picture(_ place: FoundSet.Place) -> RasterImage? {
        switch place {
        case .sheet(let path, let x, let y, let width, let height):
            guard let image = image(of: path), x >= 0, y >= 0, width > 0, height > 0, x <= image.width - width,
                y <= image.height - height
            else { return nil }
            return image.cropped(x: x, y: y, width: width, height: height)
        case .bytes(let path, let range):
            guard let file = try? FileSource(path: folder + "/" + path),
                let bytes = try? file.read(at: Int64(range.lowerBound), count: range.count)
            else { return nil }
            return SetProof.decoded(bytes)
        }
    }

    private func image(of path: String) -> RasterImage? {
        if let sheet, sheet.path == path { return sheet.image }
        guard let image = SetProof.decoded(file: folder + "/" + path) else { return nil }
        sheet = (path, image)
        return image
    }

    /// A still picture's pixels, 8-bit RGB.
    private static func decoded(file path: String) -> RasterImage? {
        guard let asset = try? VideoAsset(path: path, options: OpenOptions(cache: .none)) else { return nil }
        var reader = FrameReader(asset)
        guard let answer = try? reader.frame(at: .first), let picture = answer.picture else { return nil }
        return try? picture.small(width: nil).image
    }

    /// A JPEG picture's pixels, 8-bit RGB.
    static func decoded(_ bytes: [UInt8]) -> RasterImage? {
        guard let file = try? TemporaryFile(bytes, suffix: ".jpg") else { return nil }
        return decoded(file: file.path)
    }
}

internal import ScrubPictures
internal import ScrubStoryboards

/// A folder of Jellyfin's sheets, `WIDTH - COLUMNSxROWS/NUMBER.jpg`. It does not contain the interval.
struct JellyfinFolder {
    let path: String
    let grid: Storyboard.JellyfinTrickplay
    /// The numbers of its sheets, in ascending order.
    let numbers: [Int]
    /// The other files in it.
    let strangers: [String]

    /// Returns Jellyfin's folders among some files.
    static func all(_ files: [String]) -> [JellyfinFolder] {
        var folders: [String: [String]] = [:]
        for file in files {
            let parts = file.pathComponents
            guard let name = parts.last, parts.count > 1 else { continue }
            folders[parts.dropLast().joined(separator: "/"), default: []].append(name)
        }
        return folders.sorted { $0.key < $1.key }.compactMap { path, names in
            let name = path.lastPathComponent
            guard let grid = Storyboard.JellyfinTrickplay(folderName: name) else { return nil }
            // In the server's format: a sign or a leading zero makes a different name.
            func number(_ name: String) -> Int? {
                Int(name.dropLast(4)).flatMap {
                    Storyboard.JellyfinTrickplay.fileName(sheet: $0) == name && $0 >= 0 ? $0 : nil
                }
            }
            let numbers = names.compactMap(number)
            let strangers = names.filter { number($0) == nil }
            return JellyfinFolder(
                path: path, grid: grid, numbers: numbers.sorted(), strangers: strangers)
        }
    }

    /// Returns the folders among some files whose names match Jellyfin's, except for numbers beyond all sheets.
    static func impossible(_ files: [String]) -> [String] {
        let folders = Set(files.compactMap { $0.pathOfFolder.map { String($0.dropLast()) } })
        return folders.sorted().filter { path in
            let name = path.lastPathComponent
            return name.wholeMatch(of: /\d+ - \d+x\d+/) != nil && Storyboard.JellyfinTrickplay(folderName: name) == nil
        }
    }

    private var capacity: Int { grid.columns * grid.rows }

    private func sheet(_ number: Int) -> String { path + "/" + Storyboard.JellyfinTrickplay.fileName(sheet: number) }

    /// Returns the set, with times.
    ///
    /// - Parameters:
    ///   - interval: the server's setting, if known.
    ///   - manifests: sets that were read; one that names the same sheets determines the interval.
    func set(_ proof: SetVerifier, interval: Rational?, manifests: [ParsedThumbnailSet]) throws(ScrubError)
        -> ParsedThumbnailSet
    {
        var set = ParsedThumbnailSet(file: path, format: "jellyfin")
        if !strangers.isEmpty {
            set.problems.append("has files that are not sheets: \(strangers.joined(separator: ", "))")
        }
        guard let last = numbers.last, numbers.elementsEqual(numbers.indices) else {
            set.problems.append("its sheets are not named 0.jpg, 1.jpg and so on")
            return set
        }
        if grid.width % 2 != 0 { set.problems.append("Jellyfin expects an even width, not \(grid.width)") }
        guard let image = proof.image(of: sheet(last)), image.width == grid.width * grid.columns,
            image.height % grid.rows == 0
        else {
            set.problems.append(
                "\(last).jpg is not a picture of \(grid.columns) x \(grid.rows) tiles that are \(grid.width) pixels wide"
            )
            return set
        }
        let height = image.height / grid.rows
        for number in numbers { set.sheetSizes[sheet(number)] = (image.width, image.height) }
        // The grid now depends on the picture only. A picture of single pixels would still make millions of thumbnails.
        guard capacity <= Storyboard.mostThumbnails, last * capacity < Storyboard.mostThumbnails else {
            set.problems.append("has more than \(Storyboard.mostThumbnails) thumbnails, which is not plausible")
            return set
        }
        let written = (0..<capacity).last { !isEmpty(image, $0, height) } ?? 0
        var count = last * capacity + written + 1
        let known = manifests.first { manifest in
            manifest.format == "manifest" && manifest.sheetSizes[sheet(0)] != nil
        }
        if let known { count = known.tiles.count }
        func tiles(_ interval: Rational) -> [ParsedThumbnailSet.Tile] {
            (0..<count).map { number in
                let tile = number % capacity
                let start = interval.multiplied(by: Rational(Int64(number))) ?? .zero
                return ParsedThumbnailSet.Tile(
                    place: .sheet(
                        path: sheet(number / capacity), x: tile % grid.columns * grid.width,
                        y: tile / grid.columns * height, width: grid.width, height: height), start: start,
                    end: start.adding(interval) ?? start)
            }
        }
        if let interval {
            set.tiles = tiles(interval)
            set.note = "interval \(interval.secondsText) s, as specified"
        } else if let known, known.tiles.count > 1 {
            set.tiles = tiles(known.tiles[1].start)
            set.note = "interval \(known.tiles[1].start.secondsText) s, from \(known.file)"
        } else if let best = try deduced(count, proof, tiles) {
            set.tiles = tiles(best)
            set.note = "interval \(best.secondsText) s, deduced from \(count) pictures"
        } else {
            set.problems.append("no interval of whole seconds fits \(count) pictures; specify the server's interval")
        }
        if let end = set.tiles.last?.start, end >= proof.asset.playerEnd, set.tiles.count > 1 {
            set.problems.append("its last thumbnail's time is \(end.secondsText) s, after the end of the film")
        }
        return set
    }

    /// Returns the interval in whole seconds whose pictures match best, among those that give this number of
    /// thumbnails, or one more or less.
    private func deduced(
        _ count: Int, _ proof: SetVerifier, _ tiles: (Rational) -> [ParsedThumbnailSet.Tile]
    ) throws(ScrubError) -> Rational? {
        let length = proof.asset.playerEnd
        var best: (interval: Rational, difference: Double)?
        let seconds = Int64(clamping: length.scaledDown(1) + 1)
        let middle = min(max(1, seconds / Int64(max(1, count))), .max - 2)
        for step in max(1, middle - 2)...(middle + 2) {
            let interval = Rational(step)
            guard let whole = length.divided(by: interval) else { continue }
            let due = Int(clamping: -whole.negated.scaledDown(1))
            guard abs(max(1, due) - count) <= 1 else { continue }
            let found = ParsedThumbnailSet(file: path, format: "jellyfin", tiles: tiles(interval))
            var difference = 0.0
            for place in SetVerifier.places(6, of: found.tiles.count) {
                difference += try proof.difference(of: found.tiles[place], in: found)
            }
            if difference < best?.difference ?? .infinity { best = (interval, difference) }
        }
        return best?.interval
    }

    /// Returns whether a tile is black, except for colors that 16 x 16 blocks take from its neighbors.
    private func isEmpty(_ image: RasterImage, _ tile: Int, _ height: Int) -> Bool {
        guard grid.width > 32, height > 32 else { return false }
        let inside = image.cropped(
            x: tile % grid.columns * grid.width + 16, y: tile / grid.columns * height + 16, width: grid.width - 32,
            height: height - 32)
        return inside.bytes.allSatisfy { $0 < 8 }
    }
}

internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubPictures

/// Thumbnails for file managers: a folder that contains `normal`, `large` and so on.
struct ParsedThumbnailCache {
    static let sides = ["normal": 128, "large": 256, "x-large": 512, "xx-large": 1024]

    let folder: String
    /// The size folder's name, and the file's name.
    let files: [(size: String, name: String)]
    /// Records that no thumbnail can be made, below the folder.
    let failures: [String]

    /// Returns the cache folders among some files.
    static func all(_ files: [String]) -> [ParsedThumbnailCache] {
        var found: [String: [(size: String, name: String)]] = [:]
        var failures: [String: [String]] = [:]
        for file in files where file.hasSuffix(".png") {
            let parts = file.pathComponents
            guard let name = parts.last, parts.count > 1, name.utf8.count == 36,
                name.dropLast(4).allSatisfy({ $0.isHexDigit && !$0.isUppercase })
            else { continue }
            if sides[parts[parts.count - 2]] != nil {
                found[parts.dropLast(2).joined(separator: "/"), default: []].append((parts[parts.count - 2], name))
            } else if parts.count > 2, parts[parts.count - 3] == "fail" {
                failures[parts.dropLast(3).joined(separator: "/"), default: []].append(
                    parts.suffix(3).joined(separator: "/"))
            }
        }
        return found.sorted { $0.key < $1.key }.map { folder, files in
            ParsedThumbnailCache(folder: folder.isEmpty ? "." : folder, files: files, failures: failures[folder] ?? [])
        }
    }
}

extension SetVerifier {
    /// Verifies the video's thumbnails in a file manager's cache: names, modes, format, and that they belong to this
    /// file in its current state.
    ///
    /// They have no time. They are compared with the video's best poster, then with key pictures spread over it; the
    /// note names the one that they resemble. Other files' thumbnails are only read.
    func check(_ cache: ParsedThumbnailCache) throws(ScrubError) -> Finding {
        let uri = FileURI(path: asset.path).text
        let own = md5(Array(uri.utf8)) + ".png"
        var found = Finding()
        var (likes, others): ([String], Int) = ([], 0)
        for (size, name) in cache.files {
            let inside = "\(cache.folder)/\(size)/\(name)"
            let path = "\(folder.path)/\(inside)"
            let png: PNGFile
            do throws(ScrubError) {
                png = try PNGFile(try folder.contents(of: inside, limit: 64 << 20))
            } catch {
                found.problems.append("\(size)/\(name) \(error.cause)")
                continue
            }
            let text = png.texts["Thumb::URI"] ?? ""
            if md5(Array(text.utf8)) + ".png" != name {
                found.problems.append("\(size)/\(name) is for '\(text)', whose thumbnail has a different name")
            }
            guard name == own else {
                others += 1
                continue
            }
            found.problems += try faults(of: png, path, size).map { "\(size)/\(name) \($0)" }
            guard let image = (try? folder.open(inside)).flatMap({ (try? StillFile.image($0)) ?? nil }) else {
                found.problems.append("\(size)/\(name) cannot be decoded")
                continue
            }
            found.compared += 1
            let (frame, difference, tried) = try likest(image)
            if let frame, difference <= SetVerifier.likeness {
                likes.append("\(size) frame \(frame)")
            } else {
                found.problems.append(
                    "\(size)/\(name) matches none of the \(tried) pictures compared; the most similar is frame \(frame ?? -1), which differs by \(Int(difference)) of 255 on average"
                )
            }
        }
        for failure in cache.failures where failure.hasSuffix(own) {
            found.problems.append("\(failure) records that no thumbnail can be made")
        }
        for size in Set(cache.files.map(\.size)).sorted()
        where !cache.files.contains(where: { $0.size == size && $0.name == own }) {
            found.problems.append("\(size) has no thumbnail for \(uri)")
        }
        var note = "the thumbnails state no time; most similar: " + likes.joined(separator: ", ")
        if others > 0 { note += "; \(others) are for other files" }
        found.note = note
        return found
    }

    /// Returns the faults according to the specification or the file (Thumbnail Managing Standard 0.9.0).
    private func faults(of png: PNGFile, _ path: String, _ size: String) throws(ScrubError) -> [String] {
        var faults: [String] = []
        let file = try asset.fileIdentity()
        let modified = file.modified / 1_000_000_000
        if png.texts["Thumb::MTime"] != "\(modified)" {
            faults.append(
                "is for a file modified at \(png.texts["Thumb::MTime"] ?? "no time"); this one was modified at \(modified)"
            )
        }
        if let bytes = png.texts["Thumb::Size"], bytes != "\(file.byteCount)" {
            faults.append("is for a file of \(bytes) bytes; this one has \(file.byteCount)")
        }
        if png.bitDepth != 8 || png.colorType != 6 || png.isInterlaced {
            faults.append("is not 8-bit RGBA without interlacing")
        }
        let side = ParsedThumbnailCache.sides[size] ?? 0
        let shape = try asset.uprightShape()
        if max(png.width, png.height) > side {
            faults.append("has \(png.width) x \(png.height) pixels, but the longer side must be at most \(side)")
        }
        let due = PictureSize(side: max(png.width, png.height), shape: shape)
        if abs(due.width - png.width) > 1 || abs(due.height - png.height) > 1 {
            faults.append("has \(png.width) x \(png.height) pixels, which is not the video's aspect ratio")
        }
        if try Folder.permissions(of: path) != 0o600 { faults.append("can be read by users other than its owner") }
        if try Folder.permissions(of: path.pathOfFolder ?? ".") != 0o700 {
            faults.append("is in a folder that other users can read")
        }
        return faults
    }

    /// Returns the video's picture that another one resembles most: its best poster, else one of the key pictures
    /// spread over it.
    private func likest(_ image: RasterImage) throws(ScrubError) -> (frame: Int?, difference: Double, tried: Int) {
        let poster = try bestPoster()
        var best = try likeness(of: image, to: poster.map { [$0] } ?? [])
        if best.difference <= SetVerifier.likeness { return (best.frame, best.difference, 1) }
        let plan = try asset.thumbnailPlan(for: ThumbnailPlan.Request(.count(64), tolerance: .keyframe))
        let keys = Set(plan.slots.map(\.frameNumber)).sorted()
        let other = try likeness(of: image, to: keys, isThorough: true)
        if other.difference < best.difference { best = other }
        return (best.frame, best.difference, keys.count + 1)
    }
}

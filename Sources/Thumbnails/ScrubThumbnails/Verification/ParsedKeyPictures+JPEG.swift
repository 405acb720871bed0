internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubPictures
internal import ScrubStoryboards

/// Thumbnails as JPEG samples (`mjpg`, ISO/IEC 23008-12, Annex H).
extension ParsedKeyPictures {
    /// Checks whether the file's samples are JPEG. Boxes that cannot be read are reported by the verification.
    mutating func findJPEG(in folder: ConfinedFolder) {
        guard let range = initialization, range.count <= SetVerifier.mostInitialization,
            let source = try? folder.open(media),
            let head = try? source.read(at: Int64(range.lowerBound), count: range.count),
            let movie = try? Movie(reading: MemorySource(head)), movie.tracks.count == 1,
            let entry = movie.tracks[0].sampleEntries.first, entry.format == "mjpg"
        else { return }
        jpegSize = PictureSize(width: entry.width, height: entry.height)
    }

    /// Adopts the frames in a manifest, if the playlist belongs to its set. A thumbnail that repeats the previous one
    /// has no separate picture.
    ///
    /// - Parameter name: the manifest's path, for problems.
    mutating func compare(with board: Storyboard, calledIn name: String) {
        guard board.otherFiles.contains(file.lastPathComponent) else { return }
        let thumbnails = ThumbnailTrack.places(in: board).map { board.thumbnails[$0] }
        guard thumbnails.count == pictures.count else {
            problems.append(
                "has \(pictures.count) pictures, but \(name) has \(thumbnails.count) thumbnails that are not repeats")
            return
        }
        for (number, thumbnail) in thumbnails.enumerated() {
            let start = pictures[number].start
            if (start.subtracting(thumbnail.start)?.magnitude ?? .one) > ParsedThumbnailSet.millisecond {
                problems.append(
                    "picture \(number) begins at \(start.secondsText) s, but at \(thumbnail.start.secondsText) s in \(name)"
                )
            }
            pictures[number].frame = thumbnail.frameNumber
        }
        if let end = pictures.last?.end,
            (end.subtracting(board.end)?.magnitude ?? .one) > ParsedThumbnailSet.millisecond
        {
            problems.append("ends at \(end.secondsText) s, but at \(board.end.secondsText) s in \(name)")
        }
    }
}

extension ParsedKeyPictures.Picture {
    /// Returns the picture as a thumbnail.
    ///
    /// - Parameter sample: its bytes in the fragment.
    func tile(_ sample: Range<Int>, of media: String) -> ParsedThumbnailSet.Tile {
        let range = byteRange.lowerBound + sample.lowerBound..<byteRange.lowerBound + sample.upperBound
        return .init(place: .bytes(path: media, range), start: start, end: end, frame: frame)
    }
}

extension SetVerifier {
    /// Returns the problem with a sample that should be a JPEG file; `nil` if there is none.
    ///
    /// - Parameter decodes: whether to check its size too.
    static func fault(ofJPEG bytes: [UInt8], _ size: PictureSize, decodes: Bool) -> String? {
        // Start and end of image (ITU-T T.81 B.2.1).
        guard bytes.count >= 4, bytes.starts(with: [0xFF, 0xD8]), bytes.suffix(2) == [0xFF, 0xD9] else {
            return "is not a complete JPEG"
        }
        guard decodes, let image = StillFile.image(ofJPEG: bytes) else { return nil }
        guard image.width != size.width || image.height != size.height else { return nil }
        return "has \(image.width) x \(image.height) pixels, but its file declares \(size.width) x \(size.height)"
    }
}

internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubPictures

/// Key pictures in a fragmented MP4 file, as described by a playlist or a presentation: copied ones, or thumbnails as
/// JPEG (`ParsedKeyPictures+JPEG.swift`).
struct ParsedKeyPictures {
    struct Picture {
        /// A movie fragment with its media data.
        var byteRange: Range<Int>
        /// The seconds from which it is shown, and until which.
        var start: Rational
        var end: Rational
        /// The frame that it shows according to a manifest.
        var frame: Int?
    }

    let file: String
    var format: String
    /// The MP4 file.
    let media: String
    /// The file type and movie boxes.
    let initialization: Range<Int>?
    var pictures: [Picture]
    /// Whether times are the video's; otherwise they count from the first picture.
    var isOnFilmClock = false
    /// The size of JPEG samples according to the file. They are thumbnails of frames, not copies.
    var jpegSize: PictureSize?
    var problems: [String] = []
}

extension SetVerifier {
    /// The maximum size of file type and movie boxes; they describe one track without samples.
    static let mostInitialization = 1 << 20
    /// The maximum size of a key picture with its box.
    private static let mostPicture = 1 << 28

    /// Verifies that each byte range is one fragment with one picture at the declared time. A sample of them, each
    /// appended to the initialization alone, must decode to the video's own pictures.
    func check(_ movie: ParsedKeyPictures, sample: Int) throws(ScrubError) -> Finding {
        var found = Finding(problems: movie.problems)
        let source: FileSource
        do throws(ScrubError) {
            source = try folder.open(movie.media)
        } catch {
            found.problems.append(error.code == .noInput ? "\(movie.media) is missing" : error.cause)
            return found
        }
        guard let range = movie.initialization, range.upperBound <= source.byteCount,
            range.count <= SetVerifier.mostInitialization,
            let head = try? source.read(at: Int64(range.lowerBound), count: range.count)
        else {
            found.problems.append("\(movie.media) has no initialization section at the specified position")
            return found
        }
        let sampled = Set(SetVerifier.places(sample, of: movie.pictures.count))
        var first: Rational?
        // Overlapping ranges would cause the file to be read any number of times.
        var left = source.byteCount
        var thumbnails = ParsedThumbnailSet(file: movie.file, format: movie.format)
        thumbnails.playerStart = .zero
        for (number, picture) in movie.pictures.enumerated() {
            if source.contains(offset: Int64(picture.byteRange.lowerBound), count: Int64(picture.byteRange.count)) {
                left -= Int64(picture.byteRange.count)
            }
            guard left >= 0 else {
                found.problems.append("the pictures up to \(number) have more bytes in total than \(movie.media)")
                break
            }
            guard picture.byteRange.count <= SetVerifier.mostPicture else {
                found.problems.append("picture \(number) has \(picture.byteRange.count) bytes, which is not plausible")
                continue
            }
            guard
                let bytes = try? source.read(at: Int64(picture.byteRange.lowerBound), count: picture.byteRange.count)
            else {
                found.problems.append(
                    "picture \(number) at bytes \(picture.byteRange) is past the end of \(movie.media)")
                continue
            }
            guard let (time, jpeg) = SetVerifier.fragment(bytes, head) else {
                found.problems.append(
                    "picture \(number) at bytes \(picture.byteRange) is not a fragment with exactly one sample")
                continue
            }
            // A player's clock starts with the first picture.
            let zero = movie.isOnFilmClock ? .zero : first ?? time
            first = zero
            let claimed = zero.adding(picture.start)
            if (claimed?.subtracting(time)?.magnitude ?? .one) > ParsedThumbnailSet.millisecond {
                found.problems.append(
                    "picture \(number) is shown at \((claimed ?? .zero).secondsText) s, but its fragment's time is \(time.secondsText) s"
                )
            }
            if let size = movie.jpegSize {
                let reason = SetVerifier.fault(ofJPEG: Array(bytes[jpeg]), size, decodes: sampled.contains(number))
                if let reason { found.problems.append("picture \(number) \(reason)") }
                thumbnails.tiles.append(picture.tile(jpeg, of: movie.media))
                continue
            }
            let frame = asset.frame(onScreenAt: time)
            guard asset.time(ofFrame: frame) == time else {
                found.problems.append("picture \(number) has the time \(time.secondsText) s, at which no frame begins")
                continue
            }
            guard sampled.contains(number) else { continue }
            found.compared += 1
            // If several frames have the same time, a file does not identify which one it shows.
            var (reason, other): (String?, Int) = (nil, frame)
            repeat {
                reason = try difference(head + bytes, from: other)
                other -= 1
            } while reason != nil && other >= 0 && asset.time(ofFrame: other) == time
            if let reason { found.problems.append("picture \(number) is not frame \(frame): \(reason)") }
        }
        guard movie.jpegSize == nil else {
            // Numbers of thumbnails equal those of pictures as long as none is missing.
            return found.problems.isEmpty ? try check(thumbnails, sample: sample) : found
        }
        if found.problems.isEmpty {
            found.note =
                "each range is one picture; the compared ones, decoded separately, match the film's frames bit for bit"
        }
        return found
    }

    /// Returns the time and location of the single sample of a fragment; `nil` if it is not one `moof` and one `mdat`
    /// with one sample that fills it.
    private static func fragment(_ bytes: [UInt8], _ head: [UInt8]) -> (time: Rational, sample: Range<Int>)? {
        guard bytes.count > 16 else { return nil }
        func size(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        func type(_ place: Int) -> String { String(decoding: bytes[place + 4..<place + 8], as: UTF8.self) }
        let moof = size(0)
        guard type(0) == "moof", moof <= bytes.count - 8, moof >= 8, type(moof) == "mdat",
            moof + size(moof) == bytes.count
        else { return nil }
        guard let movie = try? Movie(reading: MemorySource(head + bytes)), movie.fragmentCount == 1,
            movie.tracks.count == 1, let track = movie.tracks.first, let table = try? track.sampleTable(),
            table.count == 1, table.offsets[0] == Int64(head.count + moof + 8),
            Int(table.sizes[0]) == bytes.count - moof - 8
        else { return nil }
        let time = Rational(checked: table.compositionTime(0), Int64(track.mediaTimescale))
        return time.map { ($0, moof + 8..<bytes.count) }
    }

    /// Returns the difference between a single-picture file and a frame of the video; `nil` if they are identical bit
    /// for bit.
    private func difference(_ movie: [UInt8], from frame: Int) throws(ScrubError) -> String? {
        let file = try TemporaryFile(movie, suffix: ".mp4")
        let alone: FramePicture?
        do throws(ScrubError) {
            let asset = try VideoAsset(path: file.path, options: VideoAsset.OpenOptions(cache: .none))
            var reader = FrameReader(asset)
            alone = try reader.frame(at: .first).picture
        } catch {
            return "it cannot be decoded separately: \(error.cause)"
        }
        guard let alone, let own = try picture(ofFrame: frame) else { return "it cannot be decoded" }
        return try alone.md5() == own.md5() ? nil : "its picture differs"
    }
}

internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubPictures

/// Key pictures in a fragmented MP4 file, as a playlist or a presentation tells them: copied ones, or thumbnails as
/// JPEG (`FoundKeyPictures+JPEG.swift`).
struct FoundKeyPictures {
    struct Picture {
        /// A movie fragment and its media data.
        var byteRange: Range<Int>
        /// Seconds from which it is shown, and until which.
        var start: Rational
        var end: Rational
        /// The frame that a manifest says it shows.
        var frame: Int?
    }

    let file: String
    var format: String
    /// The MP4 file.
    let media: String
    /// File type and movie boxes.
    let initialization: Range<Int>?
    var pictures: [Picture]
    /// Whether times are the film's; else they count from the first picture.
    var isOnFilmClock = false
    /// The size that the file gives samples that are JPEG. They are thumbnails of frames, and not copies.
    var jpegSize: PictureSize?
    var problems: [String] = []
}

extension SetProof {
    /// The most bytes of file type and movie boxes that are believed; they describe one track without samples.
    static let mostInitialization = 1 << 20
    /// The longest key picture with its box that is believed.
    private static let mostPicture = 1 << 28

    /// Proves that each byte range is one fragment with one picture at the time that is claimed. A sample of them, each
    /// alone behind the initialization, must decode to the very pictures of the video.
    func check(_ movie: FoundKeyPictures, sample: Int) throws(ScrubError) -> Finding {
        var found = Finding(problems: movie.problems)
        let source: FileSource
        do throws(ScrubError) {
            source = try folder.open(movie.media)
        } catch {
            found.problems.append(error.code == .noInput ? "\(movie.media) is not there" : error.cause)
            return found
        }
        guard let range = movie.initialization, range.upperBound <= source.byteCount,
            range.count <= SetProof.mostInitialization,
            let head = try? source.read(at: Int64(range.lowerBound), count: range.count)
        else {
            found.problems.append("\(movie.media) has no initialization where it should be")
            return found
        }
        let sampled = Set(SetProof.places(sample, of: movie.pictures.count))
        var first: Rational?
        // Ranges that lie one upon the other would have the file read any number of times.
        var left = source.byteCount
        var thumbnails = FoundSet(file: movie.file, format: movie.format)
        thumbnails.playerStart = .zero
        for (number, picture) in movie.pictures.enumerated() {
            if source.contains(offset: Int64(picture.byteRange.lowerBound), count: Int64(picture.byteRange.count)) {
                left -= Int64(picture.byteRange.count)
            }
            guard left >= 0 else {
                found.problems.append("picture \(number) and those before it have more bytes than \(movie.media)")
                break
            }
            guard picture.byteRange.count <= SetProof.mostPicture else {
                found.problems.append("picture \(number) has \(picture.byteRange.count) bytes")
                continue
            }
            guard
                let bytes = try? source.read(at: Int64(picture.byteRange.lowerBound), count: picture.byteRange.count)
            else {
                found.problems.append(
                    "picture \(number) at bytes \(picture.byteRange) is past the end of \(movie.media)")
                continue
            }
            guard let (time, jpeg) = SetProof.fragment(bytes, head) else {
                found.problems.append("picture \(number) at bytes \(picture.byteRange) is not a fragment of one sample")
                continue
            }
            // A player's clock begins with the first picture.
            let zero = movie.isOnFilmClock ? .zero : first ?? time
            first = zero
            let claimed = zero.adding(picture.start)
            if (claimed?.subtracting(time)?.magnitude ?? .one) > FoundSet.millisecond {
                found.problems.append(
                    "picture \(number) is shown at \((claimed ?? .zero).secondsText) s, and its fragment is of \(time.secondsText) s"
                )
            }
            if let size = movie.jpegSize {
                let reason = SetProof.fault(ofJPEG: Array(bytes[jpeg]), size, decodes: sampled.contains(number))
                if let reason { found.problems.append("picture \(number) \(reason)") }
                thumbnails.tiles.append(picture.tile(jpeg, of: movie.media))
                continue
            }
            let frame = asset.frame(onScreenAt: time)
            guard asset.time(ofFrame: frame) == time else {
                found.problems.append("picture \(number) is of \(time.secondsText) s, at which no frame begins")
                continue
            }
            guard sampled.contains(number) else { continue }
            found.compared += 1
            // Of frames with one and the same time, a file does not say which it is.
            var (reason, other): (String?, Int) = (nil, frame)
            repeat {
                reason = try difference(head + bytes, from: other)
                other -= 1
            } while reason != nil && other >= 0 && asset.time(ofFrame: other) == time
            if let reason { found.problems.append("picture \(number) is not frame \(frame): \(reason)") }
        }
        guard movie.jpegSize == nil else {
            // Numbers of thumbnails are those of pictures as long as none is missing.
            return found.problems.isEmpty ? try check(thumbnails, sample: sample) : found
        }
        if found.problems.isEmpty {
            found.note = "each range decodes alone; those compared are the film's own frames, bit for bit"
        }
        return found
    }

    /// Returns the time of the one sample of a fragment, and its place in there. `nil` if it is not one `moof` and one
    /// `mdat` with one sample that fills it.
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

    /// Returns the difference of a file of one picture from a frame of the video; `nil` if it is that frame, bit for
    /// bit.
    private func difference(_ movie: [UInt8], from frame: Int) throws(ScrubError) -> String? {
        let file = try TemporaryFile(movie, suffix: ".mp4")
        let alone: FramePicture?
        do throws(ScrubError) {
            let asset = try VideoAsset(path: file.path, options: VideoAsset.OpenOptions(cache: .none))
            var reader = FrameReader(asset)
            alone = try reader.frame(at: .first).picture
        } catch {
            return "alone it cannot be decoded, \(error.cause)"
        }
        guard let alone, let own = try picture(ofFrame: frame) else { return "it cannot be decoded" }
        return try alone.md5() == own.md5() ? nil : "its picture is another one"
    }
}

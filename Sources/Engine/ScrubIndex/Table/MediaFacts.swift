internal import ScrubFileIO
package import ScrubLibAV
package import ScrubBase

/// The facts of a file that are not about its frames: everything that `scrub info` shows and the index does not
/// contain.
package struct MediaFacts: Sendable, Equatable {
    /// The container. Cover art has its decoded size as the size of its stream.
    package var container: ContainerDescription
    /// The facts of the first frame's picture; `nil` if it was not needed or cannot be decoded.
    package var firstPicture: PictureDescription?

    package init(container: ContainerDescription) { self.container = container }
}

/// The saved form of ``MediaFacts``: a separate file next to the index, because it is rarely needed.
package enum MediaFactsFile {
    private static let magic: UInt64 = 0x4143_4146_4252_4353  // "SCRBFACA" in little-endian order
    private static let version: UInt64 = 3

    package static func encode(_ facts: MediaFacts, key: IndexFile.Key) -> [UInt8] {
        KeyedRecord.encode(magic: magic, version: version, key: key) { facts.write(to: &$0) }
    }

    /// Reads saved facts.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if they are incomplete, or belong to another version or another file.
    package static func decode(_ bytes: Span<UInt8>, key: IndexFile.Key) throws(ScrubError) -> MediaFacts {
        try KeyedRecord.decode(bytes, magic: magic, version: version, key: key, name: "facts") {
            (body) throws(ScrubError) in try MediaFacts(from: &body)
        }
    }
}

extension MediaFacts {
    fileprivate func write(to out: inout BinaryWriter) {
        container.write(to: &out)
        out.write(UInt64(firstPicture == nil ? 0 : 1))
        firstPicture?.write(to: &out)
    }

    fileprivate init(from bytes: inout BinaryReader) throws(ScrubError) {
        self.init(container: try ContainerDescription(from: &bytes))
        if try bytes.read(UInt64.self) == 1 { firstPicture = try PictureDescription(from: &bytes) }
    }
}

extension ContainerDescription {
    fileprivate func write(to out: inout BinaryWriter) {
        out.write(formatName)
        out.write(tags)
        out.write(UInt64(streams.count))
        for stream in streams { stream.write(to: &out) }
        out.write(UInt64(chapters.count))
        for chapter in chapters {
            out.write(chapter.start)
            out.write(chapter.end)
            out.write(chapter.timeBase)
            out.write(optional: chapter.title)
        }
    }

    fileprivate init(from bytes: inout BinaryReader) throws(ScrubError) {
        self.init()
        formatName = try bytes.readString()
        tags = try bytes.readTags()
        for _ in 0..<(try bytes.read(UInt64.self)) { streams.append(try ContainerStream(from: &bytes)) }
        for _ in 0..<(try bytes.read(UInt64.self)) {
            let (start, end) = (try bytes.read(Int64.self), try bytes.read(Int64.self))
            guard let base = try bytes.readRational() else { throw IndexFile.contradiction }
            chapters.append(
                Chapter(start: start, end: end, timeBase: base, title: try bytes.readOptionalString()))
        }
    }
}

extension ContainerStream {
    fileprivate func write(to out: inout BinaryWriter) {
        let numbers: [Int64] = [
            Int64(index), Int64(kind.rawValue), Int64(disposition.rawValue), bitRate, Int64(width), Int64(height),
            Int64(sampleRate), Int64(channels), Int64(pictureByteCount),
        ]
        out.write(column: numbers)
        out.write(codecName)
        out.write(codecTag)
        out.write(optional: profile)
        out.write(optional: channelLayout)
        out.write(frameRate)
        out.write(duration)
        out.write(optional: program)
        out.write(tags)
    }

    fileprivate init(from bytes: inout BinaryReader) throws(ScrubError) {
        self.init()
        let numbers = try bytes.readColumn(of: Int64.self)
        guard numbers.count == 9, let kind = Kind(rawValue: UInt8(truncatingIfNeeded: numbers[1])) else {
            throw IndexFile.contradiction
        }
        (index, self.kind) = (Int(numbers[0]), kind)
        disposition = Disposition(rawValue: Int32(truncatingIfNeeded: numbers[2]))
        (bitRate, width, height) = (numbers[3], Int(numbers[4]), Int(numbers[5]))
        (sampleRate, channels, pictureByteCount) = (Int(numbers[6]), Int(numbers[7]), Int(numbers[8]))
        codecName = try bytes.readString()
        codecTag = try bytes.readString()
        profile = try bytes.readOptionalString()
        channelLayout = try bytes.readOptionalString()
        frameRate = try bytes.readRational()
        duration = try bytes.readRational()
        program = try bytes.readOptionalString()
        tags = try bytes.readTags()
    }
}

extension PictureDescription {
    fileprivate func write(to out: inout BinaryWriter) {
        let numbers: [Int64] = [
            Int64(width), Int64(height), Int64(pixelFormat), isInterlaced ? 1 : 0, Int64(color.primaries),
            Int64(color.transfer), Int64(color.matrix), Int64(color.range), Int64(color.chromaLocation),
            Int64(contentLight?.maximum ?? -1), Int64(contentLight?.maximumFrameAverage ?? -1),
        ]
        out.write(column: numbers)
        out.write(sampleAspectRatio)
        out.write(column: displayMatrix ?? [])
        out.write(column: mastering?.chromaticities ?? [])
        out.write(column: [mastering?.minimumLuminance, mastering?.maximumLuminance].map { $0 ?? .nan })
        out.write(UInt64(mastering == nil ? 0 : 1))
    }

    fileprivate init(from bytes: inout BinaryReader) throws(ScrubError) {
        self.init()
        let numbers = try bytes.readColumn(of: Int64.self)
        guard numbers.count == 11 else { throw IndexFile.contradiction }
        (width, height) = (Int(numbers[0]), Int(numbers[1]))
        pixelFormat = Int32(truncatingIfNeeded: numbers[2])
        isInterlaced = numbers[3] == 1
        let code = { (i: Int) in UInt32(truncatingIfNeeded: numbers[i]) }
        (color.primaries, color.transfer, color.matrix) = (code(4), code(5), code(6))
        (color.range, color.chromaLocation) = (code(7), code(8))
        if numbers[9] >= 0 {
            contentLight = ContentLight(maximum: Int(numbers[9]), maximumFrameAverage: Int(numbers[10]))
        }
        sampleAspectRatio = try bytes.readRational()
        let matrix = try bytes.readColumn(of: Int32.self)
        displayMatrix = matrix.count == 9 ? matrix : nil
        let chromaticities = try bytes.readColumn(of: Double.self)
        let luminances = try bytes.readColumn(of: Double.self)
        guard try bytes.read(UInt64.self) == 1 else { return }
        guard luminances.count == 2, [0, 8].contains(chromaticities.count) else { throw IndexFile.contradiction }
        var display = MasteringDescription()
        display.chromaticities = chromaticities
        display.minimumLuminance = luminances[0].isNaN ? nil : luminances[0]
        display.maximumLuminance = luminances[1].isNaN ? nil : luminances[1]
        mastering = display
    }
}

extension BinaryWriter {
    fileprivate mutating func write(optional text: String?) {
        write(UInt64(text == nil ? 0 : 1))
        if let text { write(text) }
    }

    fileprivate mutating func write(_ ratio: Rational?) {
        write(ratio?.numerator ?? 0)
        write(ratio?.denominator ?? 0)
    }

    fileprivate mutating func write(_ tags: [ContainerDescription.Tag]) {
        write(UInt64(tags.count))
        for tag in tags {
            write(tag.key)
            write(tag.value)
        }
    }
}

extension BinaryReader {
    @_lifetime(self: copy self)
    fileprivate mutating func readOptionalString() throws(ScrubError) -> String? {
        try read(UInt64.self) == 1 ? try readString() : nil
    }

    @_lifetime(self: copy self)
    fileprivate mutating func readRational() throws(ScrubError) -> Rational? {
        let (numerator, denominator) = (try read(Int64.self), try read(Int64.self))
        return denominator > 0 ? Rational(checked: numerator, denominator) : nil
    }

    @_lifetime(self: copy self)
    fileprivate mutating func readTags() throws(ScrubError) -> [ContainerDescription.Tag] {
        var tags: [ContainerDescription.Tag] = []
        for _ in 0..<(try read(UInt64.self)) {
            tags.append(ContainerDescription.Tag(key: try readString(), value: try readString()))
        }
        return tags
    }
}

internal import ScrubIsolation
internal import ScrubBase

// Descriptions of streams as messages. Numbers that are used as sizes are checked where they are read.

extension MessageWriter {
    mutating func put(_ ratio: Rational) {
        put(ratio.numerator)
        put(ratio.denominator)
    }

    mutating func put(_ codec: CodecDescription) {
        for number in [codec.codecID, codec.codecTag] { put(number) }
        put(codec.extradata)
        for number in [
            codec.pixelFormat, codec.profile, codec.level, codec.width, codec.height, codec.aspectNumerator,
            codec.aspectDenominator,
        ] { put(number) }
        for number in [
            codec.fieldOrder, codec.colorRange, codec.colorPrimaries, codec.colorTransfer, codec.colorMatrix,
            codec.chromaLocation,
        ] { put(number) }
        for number in [codec.videoDelay, codec.bitsPerCodedSample, codec.bitsPerRawSample] { put(number) }
        put(codec.bitRate)
        put(all: codec.sideData) { writer, data in
            writer.put(data.type)
            writer.put(data.bytes)
        }
        put(Int64(codec.pictureByteLimit))
        put(Int64(codec.pixelLimit))
    }

    mutating func put(_ stream: StreamDescription) {
        put(Int64(stream.index))
        put(Int64(stream.id))
        put(UInt8(stream.kind == .video ? 0 : stream.kind == .audio ? 1 : 2))
        put(stream.codec)
        put(stream.timeBase)
        put(stream.averageFrameRate) { $0.put($1) }
        put(stream.baseFrameRate) { $0.put($1) }
        put(stream.disposition.rawValue)
        put(stream.frameCount) { $0.put(Int64($1)) }
        put(stream.duration) { $0.put($1) }
        put(stream.sampleAspectRatio) { $0.put($1) }
        put(stream.timecode) { $0.put("\($1)") }
    }

    mutating func put(_ tags: [ContainerDescription.Tag]) {
        put(all: tags) { writer, tag in
            writer.put(tag.key)
            writer.put(tag.value)
        }
    }

    mutating func put(_ container: ContainerDescription) {
        put(container.formatName)
        put(container.tags)
        put(all: container.streams) { writer, stream in
            writer.put(Int64(stream.index))
            writer.put(stream.kind.rawValue)
            writer.put(stream.codecName)
            writer.put(stream.codecTag)
            writer.put(stream.profile) { $0.put($1) }
            writer.put(stream.disposition.rawValue)
            writer.put(stream.bitRate)
            for number in [stream.width, stream.height, stream.sampleRate, stream.channels, stream.pictureByteCount] {
                writer.put(Int64(number))
            }
            writer.put(stream.frameRate) { $0.put($1) }
            writer.put(stream.channelLayout) { $0.put($1) }
            writer.put(stream.duration) { $0.put($1) }
            writer.put(stream.program) { $0.put($1) }
            writer.put(stream.tags)
        }
        put(all: container.chapters) { writer, chapter in
            writer.put(chapter.start)
            writer.put(chapter.end)
            writer.put(chapter.timeBase)
            writer.put(chapter.title) { $0.put($1) }
        }
    }
}

extension MessageReader {
    /// Returns a valid ratio.
    mutating func ratio() throws(WorkerFailure) -> Rational {
        let (numerator, denominator) = (try number(Int64.self), try number(Int64.self))
        guard denominator > 0, numerator != .min, let ratio = Rational(checked: numerator, denominator) else {
            throw .malformed("an invalid ratio: \(numerator)/\(denominator)")
        }
        return ratio
    }

    /// Returns a ratio above zero.
    mutating func positiveRatio() throws(WorkerFailure) -> Rational {
        let ratio = try ratio()
        guard ratio > .zero else { throw .malformed("an invalid ratio: \(ratio)") }
        return ratio
    }

    /// Returns a count, as used in descriptions.
    mutating func count() throws(WorkerFailure) -> Int {
        let number = try number(Int64.self)
        guard number >= 0, number <= 1 << 48 else { throw .malformed("an invalid count: \(number)") }
        return Int(number)
    }

    /// Returns the length of a side, up to the maximum.
    private mutating func side() throws(WorkerFailure) -> Int32 {
        max(0, min(try number(Int32.self), CodecDescription.longestSide))
    }

    mutating func codec() throws(WorkerFailure) -> CodecDescription {
        var codec = CodecDescription()
        (codec.codecID, codec.codecTag) = (try number(), try number())
        codec.extradata = try part()
        (codec.pixelFormat, codec.profile, codec.level) = (try number(), try number(), try number())
        (codec.width, codec.height) = (try side(), try side())
        (codec.aspectNumerator, codec.aspectDenominator) = (try number(), try number())
        (codec.fieldOrder, codec.colorRange, codec.colorPrimaries) = (try number(), try number(), try number())
        (codec.colorTransfer, codec.colorMatrix, codec.chromaLocation) = (try number(), try number(), try number())
        (codec.videoDelay, codec.bitsPerCodedSample) = (try number(), try number())
        (codec.bitsPerRawSample, codec.bitRate) = (try number(), try number())
        codec.sideData = try all(most: 64) { (reader) throws(WorkerFailure) in
            CodecDescription.SideData(type: try reader.number(), bytes: try reader.part())
        }
        codec.pictureByteLimit = try count()
        codec.pixelLimit = try count()
        return codec
    }

    mutating func stream() throws(WorkerFailure) -> StreamDescription {
        let (index, id) = (try count(), Int(try number(Int64.self)))
        let kind: StreamDescription.Kind =
            switch try number(UInt8.self) {
            case 0: .video
            case 1: .audio
            default: .other
            }
        return StreamDescription(
            index: index, id: id, kind: kind, codec: try codec(), timeBase: try positiveRatio(),
            averageFrameRate: try optional { (r) throws(WorkerFailure) in try r.positiveRatio() },
            baseFrameRate: try optional { (r) throws(WorkerFailure) in try r.positiveRatio() },
            disposition: ContainerStream.Disposition(rawValue: try number()),
            frameCount: try optional { (r) throws(WorkerFailure) in try r.count() },
            duration: try optional { (r) throws(WorkerFailure) in max(0, try r.number(Int64.self)) },
            sampleAspectRatio: try optional { (r) throws(WorkerFailure) in try r.positiveRatio() },
            timecode: try optional { (r) throws(WorkerFailure) in try r.name() }.flatMap { try? Timecode($0) })
    }

    mutating func tags() throws(WorkerFailure) -> [ContainerDescription.Tag] {
        try all(most: ContainerDescription.mostEntries) { (reader) throws(WorkerFailure) in
            ContainerDescription.Tag(key: try reader.text(), value: try reader.text())
        }
    }

    mutating func container() throws(WorkerFailure) -> ContainerDescription {
        var container = ContainerDescription()
        container.formatName = try name()
        container.tags = try tags()
        container.streams = try all(most: ContainerDescription.mostEntries) { (reader) throws(WorkerFailure) in
            try reader.containerStream()
        }
        container.chapters = try all(most: ContainerDescription.mostEntries) { (reader) throws(WorkerFailure) in
            ContainerDescription.Chapter(
                start: try reader.number(), end: try reader.number(), timeBase: try reader.positiveRatio(),
                title: try reader.optional { (r) throws(WorkerFailure) in try r.text() })
        }
        return container
    }

    private mutating func containerStream() throws(WorkerFailure) -> ContainerStream {
        var stream = ContainerStream()
        stream.index = try count()
        stream.kind = ContainerStream.Kind(rawValue: try number()) ?? .data
        (stream.codecName, stream.codecTag) = (try name(), try name())
        stream.profile = try optional { (r) throws(WorkerFailure) in try r.name() }
        stream.disposition = ContainerStream.Disposition(rawValue: try number())
        stream.bitRate = max(0, try number())
        (stream.width, stream.height) = (try count(), try count())
        let longest = Int(CodecDescription.longestSide)
        (stream.width, stream.height) = (min(stream.width, longest), min(stream.height, longest))
        (stream.sampleRate, stream.channels, stream.pictureByteCount) = (try count(), try count(), try count())
        stream.frameRate = try optional { (r) throws(WorkerFailure) in try r.positiveRatio() }
        stream.channelLayout = try optional { (r) throws(WorkerFailure) in try r.name() }
        stream.duration = try optional { (r) throws(WorkerFailure) in try r.ratio() }
        stream.program = try optional { (r) throws(WorkerFailure) in try r.text() }
        stream.tags = try tags()
        return stream
    }
}

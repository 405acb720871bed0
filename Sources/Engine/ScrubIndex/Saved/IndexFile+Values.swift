internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase

extension StreamFacts {
    func write(to out: inout BinaryWriter) {
        out.write(container)
        out.write(Int64(streamIndex))
        out.write(UInt64(descriptions.count))
        for description in descriptions { description.write(to: &out) }
        out.write(UInt64(codec.rawValue))
        out.write(UInt64(route.rawValue))
        out.write(timeBase.numerator)
        out.write(timeBase.denominator)
        out.write(sampleAspectRatio?.numerator ?? 0)
        out.write(sampleAspectRatio?.denominator ?? 1)
        out.write(column: displayMatrix ?? [])
        let aperture = cleanAperture.map {
            [$0.codedWidth, $0.codedHeight, $0.left, $0.top, $0.width, $0.height].map { Int32(clamping: $0) }
        }
        out.write(column: aperture ?? [])
        out.write(startTimecode?.description ?? "")
        out.write(Int64(x264Build ?? -1))
        out.write(UInt64((changesParameters ? 1 : 0) | (hasFilmGrain ? 2 : 0)))
        out.write(UInt64(missing == nil ? 0 : 1))
        out.write(Int64(missing?.pictureCount ?? -1))
        out.write(missing?.byteCount ?? -1)
        out.write(missing?.duration ?? -1)
        out.write(column: chosenOver.map { UInt32(clamping: $0) })
        out.write(UInt64(alpha.rawValue))
        out.write(UInt64(warnings.count))
        for warning in warnings { out.write(warning) }
    }

    init(from bytes: inout BinaryReader) throws(ScrubError) {
        self.init()
        container = try bytes.readString()
        streamIndex = Int(try bytes.read(Int64.self))
        for _ in 0..<min(256, try bytes.read(UInt64.self)) {
            descriptions.append(try CodecDescription(from: &bytes))
        }
        guard let codec = VideoCodec(rawValue: UInt8(truncatingIfNeeded: try bytes.read(UInt64.self))),
            let route = Route(rawValue: UInt8(truncatingIfNeeded: try bytes.read(UInt64.self))),
            let timeBase = Rational(checked: try bytes.read(Int64.self), try bytes.read(Int64.self)), timeBase > .zero
        else { throw ScrubError(.badData, "the saved index contains an unknown value") }
        self.codec = codec
        self.route = route
        self.timeBase = timeBase
        let aspect = Rational(checked: try bytes.read(Int64.self), try bytes.read(Int64.self))
        sampleAspectRatio = aspect.flatMap { $0 > .zero ? $0 : nil }
        let matrix = try bytes.readColumn(of: Int32.self)
        displayMatrix = matrix.count == 9 ? matrix : nil
        let aperture = try bytes.readColumn(of: Int32.self).map { Int($0) }
        if aperture.count == 6 {
            cleanAperture = CleanAperture(
                codedWidth: aperture[0], codedHeight: aperture[1], left: aperture[2], top: aperture[3],
                width: aperture[4], height: aperture[5])
        }
        startTimecode = try? Timecode(bytes.readString())
        let build = try bytes.read(Int64.self)
        x264Build = build < 0 ? nil : Int(build)
        let changes = try bytes.read(UInt64.self)
        (changesParameters, hasFilmGrain) = (changes & 1 != 0, changes & 2 != 0)
        let lacks = try bytes.read(UInt64.self) == 1
        let amounts = [try bytes.read(Int64.self), try bytes.read(Int64.self), try bytes.read(Int64.self)]
        if lacks {
            missing = MissingRange(
                pictureCount: amounts[0] < 0 ? nil : Int(amounts[0]), byteCount: amounts[1] < 0 ? nil : amounts[1],
                duration: amounts[2] < 0 ? nil : amounts[2])
        }
        chosenOver = try bytes.readColumn(of: UInt32.self).map { Int($0) }
        alpha = AlphaSource(rawValue: UInt8(truncatingIfNeeded: try bytes.read(UInt64.self))) ?? .none
        for _ in 0..<(try bytes.read(UInt64.self)) { warnings.append(try bytes.readString()) }
    }
}

extension CodecDescription {
    func write(to out: inout BinaryWriter) {
        out.write(column: extradata)
        let numbers: [Int64] = [
            Int64(codecID), Int64(codecTag), Int64(pixelFormat), Int64(profile), Int64(level), Int64(width),
            Int64(height), Int64(aspectNumerator), Int64(aspectDenominator), Int64(fieldOrder),
            Int64(colorRange), Int64(colorPrimaries), Int64(colorTransfer), Int64(colorMatrix),
            Int64(chromaLocation), Int64(videoDelay), Int64(bitsPerCodedSample), Int64(bitsPerRawSample), bitRate,
        ]
        out.write(column: numbers)
        out.write(UInt64(sideData.count))
        for data in sideData {
            out.write(UInt64(data.type))
            out.write(column: data.bytes)
        }
    }

    init(from bytes: inout BinaryReader) throws(ScrubError) {
        self.init()
        extradata = try bytes.readColumn()
        let numbers: [Int64] = try bytes.readColumn()
        guard numbers.count == 19 else { throw ScrubError(.badData, "the saved index has a different version") }
        let small = { (i: Int) in Int32(truncatingIfNeeded: numbers[i]) }
        let code = { (i: Int) in UInt32(truncatingIfNeeded: numbers[i]) }
        (codecID, codecTag, pixelFormat, profile, level) = (code(0), code(1), small(2), small(3), small(4))
        let side = { (place: Int) in max(0, min(small(place), CodecDescription.longestSide)) }
        (width, height, aspectNumerator, aspectDenominator) = (side(5), side(6), small(7), small(8))
        (fieldOrder, colorRange, colorPrimaries, colorTransfer) = (code(9), code(10), code(11), code(12))
        (colorMatrix, chromaLocation, videoDelay) = (code(13), code(14), small(15))
        (bitsPerCodedSample, bitsPerRawSample, bitRate) = (small(16), small(17), numbers[18])
        for _ in 0..<min(64, try bytes.read(UInt64.self)) {
            let type = UInt32(truncatingIfNeeded: try bytes.read(UInt64.self))
            let content: [UInt8] = try bytes.readColumn()
            sideData.append(CodecDescription.SideData(type: type, bytes: content))
        }
    }
}

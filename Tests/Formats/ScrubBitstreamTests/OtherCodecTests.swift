import Testing

@testable import ScrubBitstream

struct AV1Tests {
    private let builder = AV1Builder()
    private var sequence: [UInt8] { builder.sequence }

    private func frame(_ kind: Int, isShown: Bool = true, refreshes: Int = 0) -> [UInt8] {
        builder.frame(.init(kind: kind, isShown: isShown, refreshes: refreshes))
    }

    /// Neither slices whose picture header is lost nor other headers alone are a picture (mpeg12dec.c,
    /// `decode_chunks`).
    @Test func packetsWithoutAPictureHeaderMakeNoPicture() {
        var parser = PictureParser(codec: .mpeg2, extradata: [])
        let picture = parser.parse([0, 0, 1, 1, 0x22, 0x33, 0, 0, 1, 2, 0x22].span)
        #expect(picture.pictureCount == 0 && picture.isReference && !picture.isUnderstood)
        #expect(picture.randomAccess == .none && !picture.endsSequence)
        #expect(parser.parse([0, 0, 1, 0xB2, 7, 7].span).pictureCount == 0)
        let end = parser.parse([0, 0, 1, 0xB7].span)
        #expect(end.pictureCount == 0 && end.endsSequence)
        // A D picture (type 4) and a type that is reserved.
        for type: UInt8 in [4, 7] {
            #expect(parser.parse([0, 0, 1, 0, 0, type << 3, 0, 0, 0, 0, 1, 1, 0x22, 0x33].span).pictureCount == 0)
        }
    }

    @Test func framesAndReferences() {
        var parser = PictureParser(codec: .av1, extradata: [0x81, 0, 0, 0] + sequence)
        let key = parser.parse((sequence + frame(0)).span)
        #expect(key.randomAccess == .instantaneous && key.isIntra && key.carriesParameterSets)
        #expect(key.parameterSetGeneration == 0)
        let spare = parser.parse(frame(1).span)
        #expect(!spare.isReference && spare.isShown && spare.pictureType == .p)
        let hidden = parser.parse(frame(1, isShown: false, refreshes: 4).span)
        #expect(hidden.isReference && !hidden.isShown)
        let pair = parser.parse((frame(1, isShown: false, refreshes: 8) + frame(1)).span)
        #expect(pair.isReference && pair.pictureCount == 2 && pair.shownCount == 1)
        let shown = parser.parse(AV1Builder.existing(2).span)
        #expect(!shown.isReference && shown.shownCount == 1)
    }

    @Test func temporalUnitsThatShareAPacket() {
        var parser = PictureParser(codec: .av1, extradata: sequence)
        let delimiter = AV1Builder.unit(2, [])
        let pair = parser.parse((delimiter + sequence + frame(0) + delimiter + frame(1)).span)
        #expect(pair.shownCount == 2 && pair.randomAccess == .instantaneous)
        #expect(parser.parse((frame(1) + AV1Builder.existing(2)).span).shownCount == 2)
        // Of two spatial layers a decoder gives out one, for each temporal unit.
        var layered = builder
        layered.operatingPoint = 0x301
        parser = PictureParser(codec: .av1, extradata: layered.sequence)
        let (low, high) = (inLayer(frame(1), spatial: 0), inLayer(frame(1), spatial: 1))
        #expect(parser.parse((delimiter + low + high).span).shownCount == 1)
        #expect(parser.parse((delimiter + low + high + delimiter + low).span).shownCount == 2)
        // If a layer is shown twice, or something is hidden or shown again, the count is unknown.
        #expect(parser.parse((delimiter + low + low).span).shownCount == 2)
        #expect(parser.parse((delimiter + low + AV1Builder.existing(2)).span).shownCount == 2)
        let hidden = inLayer(frame(1, isShown: false, refreshes: 4), spatial: 0)
        #expect(parser.parse((delimiter + hidden + high).span).shownCount == 2)
    }

    /// Decoders leave out layers that operating point 0 has not (5.3.1): nothing is shown, and nothing depends on it.
    @Test func framesOfOtherLayersAreNotShown() {
        var layered = builder
        layered.operatingPoint = 0x101
        var parser = PictureParser(codec: .av1, extradata: layered.sequence)
        let other = parser.parse(inLayer(frame(1, refreshes: 4), spatial: 1).span)
        #expect(other.isUnderstood && !other.isShown && !other.isReference && other.shownCount == 0)
        #expect(parser.parse(inLayer(frame(1), spatial: 0).span).isShown)
        // Without a frame of any layer a packet is not understood.
        #expect(!parser.parse(AV1Builder.unit(2, []).span).isUnderstood)
    }

    /// A unit of one layer: obu_extension_flag, and the extension's byte (5.3.3).
    private func inLayer(_ unit: [UInt8], spatial: UInt8) -> [UInt8] {
        [unit[0] | 0b100, spatial << 3] + unit[1...]
    }

    @Test func keyFramesWithoutASequenceHeaderAreNotRestarts() {
        var parser = PictureParser(codec: .av1, extradata: sequence)
        #expect(parser.parse((sequence + frame(0)).span).randomAccess == .instantaneous)
        let bare = parser.parse(frame(0).span)
        #expect(bare.randomAccess == .none && bare.isIntra && bare.isUnderstood)
    }

    @Test func forwardKeyFramesAreNotRestarts() {
        var parser = PictureParser(codec: .av1, extradata: sequence)
        let hidden = parser.parse(frame(0, isShown: false, refreshes: 2).span)
        #expect(hidden.randomAccess == .none && hidden.isIntra)
        let shown = parser.parse(AV1Builder.existing(1).span)
        #expect(shown.randomAccess == .none && shown.isReference)
    }

    @Test func needsASequenceHeader() {
        var parser = PictureParser(codec: .av1, extradata: [])
        #expect(!parser.parse(frame(0).span).isUnderstood)
    }
}

struct VPXTests {
    /// Writes bits that a boolean decoder of even probabilities reads back. The fields of a VP8 header are not plain
    /// bits, so this follows RFC 6386 section 7.3.
    private func encode(_ bits: [Bool]) -> [UInt8] {
        var out: [UInt8] = []
        var (range, bottom, spare) = (UInt32(255), UInt32(0), 24)
        for bit in bits + [Bool](repeating: false, count: 32) {
            let split = 1 + ((range - 1) * 128) >> 8
            if bit {
                if UInt64(bottom) + UInt64(split) > UInt64(UInt32.max) { carry(&out) }
                bottom &+= split
                range -= split
            } else {
                range = split
            }
            while range < 128 {
                range <<= 1
                if bottom & 1 << 31 != 0 { carry(&out) }
                bottom <<= 1
                spare -= 1
                if spare == 0 {
                    out.append(UInt8(bottom >> 24))
                    bottom &= 1 << 24 - 1
                    spare = 8
                }
            }
        }
        return out
    }

    private func carry(_ out: inout [UInt8]) {
        var index = out.count - 1
        while index >= 0, out[index] == 255 {
            out[index] = 0
            index -= 1
        }
        if index >= 0 { out[index] += 1 }
    }

    /// An inter frame: no segments, no filter changes, then the given refresh bits.
    private func inter(_ refreshes: [Bool], isShown: Bool = true) -> [UInt8] {
        let fixed = [Bool](repeating: false, count: 1 + 10 + 1 + 2 + 7 + 5)
        return [isShown ? 0x11 : 0x01, 0, 0] + encode(fixed + refreshes)
    }

    @Test func vp8() {
        var parser = PictureParser(codec: .vp8, extradata: [])
        let head: [UInt8] = [0x10, 0, 0, 0x9D, 0x01, 0x2A, 64, 0, 64, 0]
        let key = parser.parse((head + encode([Bool](repeating: false, count: 40))).span)
        #expect(key.randomAccess == .instantaneous && key.isShown && key.isUnderstood)
        // golden, alternate, copy 2 bits each, sign biases, probabilities, last
        let none = [Bool](repeating: false, count: 10)
        let spare = parser.parse(inter(none).span)
        #expect(!spare.isReference && spare.isUnderstood && spare.randomAccess == .none)
        for bit in [1, 3, 5, 8, 9] {
            var refreshes = none
            refreshes[bit] = true
            #expect(parser.parse(inter(refreshes).span).isReference)
        }
        #expect(!parser.parse(inter(none, isShown: false).span).isShown)
    }

    /// A key frame that has segments and no map goes by the frame's before it.
    @Test(arguments: [(false, false), (true, false), (true, true)])
    func segmentMapsOfVP8(hasSegments: Bool, updatesMap: Bool) {
        var parser = PictureParser(codec: .vp8, extradata: [])
        let head: [UInt8] = [0x10, 0, 0, 0x9D, 0x01, 0x2A, 64, 0, 64, 0]
        // color_space, clamping_type, segmentation_enabled, update_mb_segmentation_map
        let fields = [false, false, hasSegments, updatesMap] + [Bool](repeating: false, count: 48)
        let key = parser.parse((head + encode(fields)).span)
        #expect(key.isUnderstood && key.isIntra)
        #expect(key.randomAccess == (hasSegments && !updatesMap ? .inexact : .instantaneous))
    }

    private let vp9Key: [UInt8] = [0x82, 0x49, 0x83, 0x42, 0]
    private let vp9Hidden: [UInt8] = [0x84, 0, 0]
    private let vp9Shown: [UInt8] = [0x86, 0, 0]
    private let vp9Existing: [UInt8] = [0x88]

    @Test func vp9() {
        var parser = PictureParser(codec: .vp9, extradata: [])
        let key = parser.parse(vp9Key.span)
        #expect(key.randomAccess == .instantaneous && key.isShown && key.isIntra)
        let hidden = parser.parse(vp9Hidden.span)
        #expect(!hidden.isShown && hidden.isReference && hidden.randomAccess == .none)
        let existing = parser.parse(vp9Existing.span)
        #expect(existing.isShown && existing.pictureType == .unknown)
        let superframe = vp9Hidden + vp9Shown + [0xC1, 3, 3, 0xC1]
        let both = parser.parse(superframe.span)
        #expect(both.pictureCount == 2 && both.shownCount == 1 && both.isUnderstood)
        let two = vp9Shown + vp9Existing + [0xC1, 3, 1, 0xC1]
        #expect(parser.parse(two.span).shownCount == 2)
        let noise: [UInt8] = [0x12, 0x34, 0x56]
        #expect(!parser.parse(noise.span).isUnderstood)
    }
}

struct MPEGTests {
    private let sequence: [UInt8] = [0, 0, 1, 0xB3, 0x14, 0, 0xF0, 0x13, 0xFF, 0xFF, 0xE0, 0x18]

    private func group(isClosed: Bool, isBroken: Bool) -> [UInt8] {
        var w = BitWriter()
        w.bits(1 << 12, 25)
        w.flag(isClosed)
        w.flag(isBroken)
        w.bits(0, 5)
        return [0, 0, 1, 0xB8] + w.bytes
    }

    private func picture(_ type: Int, structure: Int = 3, repeats: Bool = false) -> [UInt8] {
        var w = BitWriter()
        w.bits(5, 10)
        w.bits(type, 3)
        w.bits(0xFFFF, 16)
        w.bits(0, 3)
        var e = BitWriter()
        e.bits(8, 4)
        e.bits(0xFFFF, 18)
        e.bits(structure, 2)
        e.flag(true)
        e.bits(0, 5)
        e.flag(repeats)
        e.bits(0, 9)
        return [0, 0, 1, 0] + w.bytes + [0, 0, 1, 0xB5] + e.bytes + [0, 0, 1, 1, 0x12, 0x34]
    }

    @Test func groupsAndRestarts() {
        var parser = PictureParser(codec: .mpeg2, extradata: sequence)
        let closed = parser.parse((group(isClosed: true, isBroken: false) + picture(1)).span)
        #expect(closed.randomAccess == .instantaneous && closed.isClosedGroup && closed.isUnderstood)
        #expect(closed.temporalReference == 5 && closed.isTopFieldFirst && !closed.repeatsFirstField)
        let open = parser.parse((sequence + group(isClosed: false, isBroken: true) + picture(1)).span)
        #expect(open.randomAccess == .open && open.isBrokenLink && open.parameterSetGeneration == 0)
        #expect(parser.parse(picture(1).span).randomAccess == .open)
        #expect(!parser.parse(picture(3, repeats: true).span).isReference)
        #expect(parser.parse(picture(2).span).isReference)
        // A quantiser matrix that no sequence header brought would be missing after a restart.
        let matrix: [UInt8] = [0, 0, 1, 0xB5, 0x38, 0]
        _ = parser.parse((picture(2) + matrix).span)
        #expect(parser.parse(picture(1).span).randomAccess == .inexact)
        #expect(parser.parse((sequence + picture(1)).span).randomAccess == .open)
        #expect(parser.parse((picture(3) + matrix).span).isReference)
    }

    @Test func fields() {
        var parser = PictureParser(codec: .mpeg2, extradata: [])
        let pair = parser.parse((picture(1, structure: 1) + picture(2, structure: 2)).span)
        #expect(pair.isFieldPair && pair.pictureCount == 1 && pair.randomAccess == .open && !pair.isIntra)
        let first = parser.parse(picture(1, structure: 2).span)
        let second = parser.parse(picture(1, structure: 1).span)
        #expect(first.structure == .bottomField && !first.isSecondField && first.randomAccess == .open)
        #expect(second.isSecondField && second.randomAccess == .none)
    }

    private let layer: [UInt8] = {
        var w = BitWriter()
        w.bits(0, 1)
        w.bits(1, 8)
        w.flag(false)
        w.bits(1, 4)
        w.flag(false)
        w.bits(0, 2)
        w.flag(true)
        w.bits(25, 16)
        w.flag(true)
        w.flag(false)
        w.trailing()
        return [0, 0, 1, 0x20] + w.bytes
    }()

    private func plane(_ type: Int, isCoded: Bool = true) -> [UInt8] {
        var w = BitWriter()
        w.bits(type, 2)
        w.flag(true)
        w.flag(false)
        w.flag(true)
        w.bits(7, 5)
        w.flag(true)
        w.flag(isCoded)
        w.bits(0x7F, 8)
        return [0, 0, 1, 0xB6] + w.bytes
    }

    @Test func mpeg4Planes() {
        let packed: [UInt8] = [0, 0, 1, 0xB2] + Array("DivX503b1393p".utf8)
        var parser = PictureParser(codec: .mpeg4, extradata: layer + packed)
        let intra = parser.parse(plane(0).span)
        #expect(intra.randomAccess == .open && intra.isIntra && intra.isUnderstood)
        let both = parser.parse((plane(1) + plane(2)).span)
        #expect(both.pictureCount == 2 && both.shownCount == 2 && both.isReference)
        let filler = parser.parse(plane(1, isCoded: false).span)
        #expect(filler.isNotCoded && !filler.isShown && filler.isUnderstood)
        #expect(!parser.parse(plane(2).span).isReference)
        #expect(parser.isPackedBitstream)
        var unknown = PictureParser(codec: .mpeg4, extradata: [])
        #expect(!unknown.parse(plane(0).span).isUnderstood)
    }
}

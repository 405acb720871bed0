import Testing

@testable import ScrubBitstream

struct H264Tests {
    typealias Slice = H264Builder.Slice

    private func orders(_ builder: H264Builder, _ slices: [Slice]) -> [Int?] {
        var parser = builder.parser()
        return slices.map { parser.parse(builder.slice($0).span).orderCount }
    }

    /// If one of the two is missing, a decoder that begins there takes any that it happens to have.
    @Test func bothParameterSetsAreNeededToBeginThere() {
        let builder = H264Builder()
        let key = builder.slice(.init(isIDR: true))
        func picture(_ packet: [UInt8]) -> CodedPicture {
            var parser = PictureParser(codec: .h264, extradata: builder.sequenceSet + builder.pictureSet)
            return parser.parse(packet.span)
        }
        #expect(picture(builder.sequenceSet + builder.pictureSet + key).carriesItsParameterSets)
        #expect(!picture(builder.sequenceSet + key).carriesItsParameterSets)
        #expect(!picture(builder.pictureSet + key).carriesItsParameterSets)
        #expect(picture(builder.pictureSet + key).carriesParameterSets)
        #expect(!picture(key).carriesItsParameterSets)
    }

    @Test func lowBitsGoAround() {
        let slices = [
            Slice(isIDR: true), Slice(kind: 0, frameNumber: 1, order: 8),
            Slice(kind: 1, isReference: false, frameNumber: 2, order: 4),
            Slice(kind: 0, frameNumber: 2, order: 0), Slice(kind: 1, isReference: false, order: 12),
            Slice(kind: 0, frameNumber: 3, order: 6, bottom: -1),
        ]
        // The B picture at 12 counts from the reference at 16, backwards.
        #expect(orders(H264Builder(), slices) == [0, 8, 4, 16, 12, 21])
    }

    @Test func cyclesOfExpectedCounts() {
        let builder = H264Builder(order: .cycle(nonReference: -2, topToBottom: 1, offsets: [2, 4]))
        let slices = [
            Slice(isIDR: true), Slice(kind: 0, frameNumber: 1), Slice(kind: 0, frameNumber: 2),
            Slice(kind: 1, isReference: false, frameNumber: 3), Slice(kind: 0, frameNumber: 3, order: 3),
        ]
        // Expected counts of references: 2, 6, 8; a non-reference picture counts the frame before it, minus 2.
        #expect(orders(builder, slices) == [0, 2, 6, 4, 11])
    }

    @Test func decodingOrderWithFrameNumbersGoingAround() {
        let builder = H264Builder(order: .decodingOrder)
        let slices =
            [Slice(isIDR: true)] + (1...17).map { Slice(kind: 0, frameNumber: $0 % 16) }
            + [Slice(kind: 0, isReference: false, frameNumber: 2)]
        #expect(orders(builder, slices) == (0...17).map { $0 * 2 } + [35])
    }

    @Test func operationFiveStartsASequence() {
        let builder = H264Builder()
        var parser = builder.parser()
        _ = parser.parse(builder.slice(Slice(isIDR: true)).span)
        let reset = parser.parse(
            builder.slice(Slice(kind: 0, frameNumber: 1, order: 6, bottom: 1, hasReset: true)).span)
        #expect(reset.startsSequence && reset.orderCount == 0 && reset.randomAccess == .none)
        let next = parser.parse(builder.slice(Slice(kind: 0, frameNumber: 1, order: 2)).span)
        #expect(next.orderCount == 2 && !next.startsSequence)
    }

    @Test func fieldsInPacketsOfTheirOwn() {
        let builder = H264Builder()
        var parser = builder.parser()
        let first = parser.parse(builder.slice(Slice(isIDR: true, isBottom: false)).span)
        let second = parser.parse(builder.slice(Slice(kind: 0, order: 1, isBottom: true)).span)
        let third = parser.parse(
            builder.slice(Slice(kind: 0, frameNumber: 1, order: 3, isBottom: true)).span)
        #expect(first.structure == .topField && !first.isSecondField && first.randomAccess == .instantaneous)
        #expect(second.structure == .bottomField && second.isSecondField && second.orderCount == 1)
        #expect(third.structure == .bottomField && !third.isSecondField)
    }

    @Test func fieldsInOnePacket() {
        let builder = H264Builder()
        var parser = builder.parser()
        let packet =
            builder.slice(Slice(isIDR: true, order: 1, isBottom: true))
            + builder.slice(Slice(kind: 0, order: 0, isBottom: false))
        let picture = parser.parse(packet.span)
        #expect(picture.isFieldPair && picture.pictureCount == 1 && picture.structure == .bottomField)
        #expect(picture.orderCount == 0 && picture.randomAccess == .instantaneous && !picture.isIntra)
    }

    @Test(arguments: [
        (0, true, 2, RandomAccess.open), (0, false, 2, .inexact), (5, true, 0, .gradual),
        (5, false, 0, .inexact), (0, true, 0, .inexact),
    ])
    func recoveryPoints(count: Int, isExact: Bool, kind: Int, expected: RandomAccess) {
        let builder = H264Builder()
        var parser = builder.parser()
        let packet =
            H264Builder.recoveryPoint(count: count, isExact: isExact)
            + builder.slice(Slice(kind: kind, frameNumber: 1))
        let picture = parser.parse(packet.span)
        #expect(picture.randomAccess == expected && picture.recoveryCount == count && picture.isUnderstood)
        #expect(builder.parser().examine(sampleHead: packet.span, isWhole: true) == .picture(picture))
    }

    @Test func referenceAndKind() {
        let builder = H264Builder()
        var parser = builder.parser()
        let spare = parser.parse(
            (builder.slice(Slice(kind: 2, isReference: false))
                + builder.slice(Slice(kind: 1, isReference: false, firstMacroblock: 9))).span)
        #expect(!spare.isReference && spare.pictureType == .b && !spare.isIntra && spare.pictureCount == 1)
        let intra = parser.parse(builder.slice(Slice(frameNumber: 1)).span)
        #expect(intra.isReference && intra.isIntra && intra.randomAccess == .inexact)
    }

    @Test func encoderBuild() {
        let builder = H264Builder()
        var parser = builder.parser()
        let packet = H264Builder.x264Message("x264 - core 164 r3095") + builder.slice(Slice(isIDR: true))
        #expect(parser.parse(packet.span).x264Build == 164)
    }

    /// Builds on the same side of libavcodec's limits are one encoder; one of another side stays in force for packets
    /// that name none.
    @Test(arguments: [(164, 155, false), (164, 142, false), (164, 33, true), (20, 164, true), (20, 33, false)])
    func encodersThatChange(first: Int, second: Int, changes: Bool) {
        let builder = H264Builder()
        var parser = builder.parser()
        let idr = builder.slice(Slice(isIDR: true))
        let start = parser.parse((H264Builder.x264Message("x264 - core \(first)") + idr).span)
        let named = parser.parse((H264Builder.x264Message("x264 - core \(second)") + idr).span)
        let heir = parser.parse(idr.span)
        #expect(!start.inheritsState && !named.inheritsState && heir.inheritsState == changes)
        #expect((named.parameterSetGeneration != start.parameterSetGeneration) == changes)
        #expect(heir.parameterSetGeneration == named.parameterSetGeneration)
    }

    /// A message may claim to end before the words that follow; nothing is read by a number below zero.
    @Test(arguments: 17..<28) func aTooShortEncoderMessageIsIgnored(size: Int) throws {
        let builder = H264Builder()
        var message = H264Builder.x264Message("x264 - core 164 r3095")
        let place = try #require(message.indices.first { message[$0...].starts(with: [6, 5]) }) + 2
        message[place] = UInt8(size)
        var parser = PictureParser(codec: .h264, extradata: [])
        #expect(parser.parse((message + builder.slice(Slice(isIDR: true))).span).x264Build == nil)
    }

    @Test func parameterSetsInTheStream() {
        let builder = H264Builder()
        var parser = PictureParser(codec: .h264, extradata: [])
        let idr = builder.slice(Slice(isIDR: true))
        let lost = parser.parse(idr.span)
        #expect(!lost.isUnderstood && lost.isReference && lost.randomAccess == .instantaneous)
        let whole = builder.sequenceSet + builder.pictureSet + idr
        let found = parser.parse(whole.span)
        #expect(found.isUnderstood && found.carriesParameterSets && found.parameterSetGeneration == 1)
        #expect(parser.parse(whole.span).parameterSetGeneration == 1)
        let other = H264Builder(order: .decodingOrder)
        let changed = other.sequenceSet + other.pictureSet + other.slice(Slice(isIDR: true))
        #expect(parser.parse(changed.span).parameterSetGeneration == 2)
    }

    @Test func headsOfSamples() {
        let builder = H264Builder()
        let parser = builder.parser()
        let message = H264Builder.x264Message("x264 - core 164 and many options")
        let sample = message + builder.slice(Slice(isIDR: true))
        for count in 0..<message.count {
            let head = Array(sample[..<count])
            #expect(parser.examine(sampleHead: head.span, isWhole: false) == .needsMoreBytes)
        }
        guard case .picture(let picture) = parser.examine(sampleHead: sample.span, isWhole: false) else {
            Issue.record("the whole sample is not enough")
            return
        }
        #expect(picture.randomAccess == .instantaneous)
    }
}

internal import ScrubLibAV
@testable internal import ScrubPictures
internal import Testing

/// Chroma of interlaced pictures belongs to the rows of its field.
@Suite struct FieldChromaTests {
    private func render(_ frame: SharedFrame, _ maker: FrameMaker) throws -> RasterImage {
        try PictureRenderer.render(
            frame, codec: maker.codec, containerAspect: nil, displayMatrix: nil, rawGeometry: false
        ).image
    }

    private func rgb(_ image: RasterImage, row: Int, x: Int = 2) -> [Int] {
        (0..<3).map { image.sample(x: x, y: row, channel: $0) * 255 / image.maximum }
    }

    /// Two fields of one color each, a red and a blue one: no row has anything of the other's.
    @Test(
        arguments: [
            "yuv420p", "yuvj420p", "nv12", "yuv420p10le", "nv21", "yuva420p", "yuv410p", "yuv440p", "yuv422p",
        ],
        [(8, 8), (9, 7), (6, 4), (4, 2), (5, 1)])
    func fieldsKeepTheirColors(format: String, size: (width: Int, height: Int)) throws {
        let up = PixelFormat.depth(of: format) - 8
        for order: UInt32 in [2, 3] {
            var maker = FrameMaker(format: format, width: size.width, height: size.height)
            (maker.matrix, maker.range, maker.fieldOrder) = (6, 2, order)
            let frame = try maker.frame { component, _, y in
                let isTop = y % 2 == 0
                let code = component == 0 ? (isTop ? 76 : 29) : component == 1 ? (isTop ? 85 : 255) : isTop ? 255 : 107
                return component == 3 ? (255 << up) + (1 << up) - 1 : code << up
            }
            let isInterlaced = frame.frame.isInterlaced
            #expect(isInterlaced)
            let rows = frame.frame.planeShape(1).rows
            let image = try render(frame, maker)
            // Without a row of chroma for each field there is nothing to keep apart.
            guard rows > 1 else { continue }
            for y in 0..<size.height {
                let wanted = y % 2 == 0 ? [254, 0, 0] : [0, 0, 254]
                for (found, wanted) in zip(rgb(image, row: y), wanted) {
                    #expect(abs(found - wanted) <= 3, "row \(y): \(rgb(image, row: y))")
                }
            }
        }
    }

    /// A slope over the whole picture is the same slope, wherever chroma lies, whether fields are told or not.
    @Test(arguments: [UInt32(1), 3, 5], ["yuv420p16le", "yuv410p"])
    func chromaIsWhereItIsWithoutFields(tag: UInt32, format: String) throws {
        let isDeep = format.hasSuffix("16le")
        var maker = FrameMaker(format: format, width: 24, height: 48)
        (maker.chromaLocation, maker.matrix, maker.range) = (tag, 1, 2)
        let slope = { (component: Int, x: Int, y: Int) -> Int in
            isDeep ? 32768 + (component == 2 ? 400 * (y - 8) : 0) : 128 + (component == 2 ? 6 * (y - 6) : 0)
        }
        let whole = try render(maker.frame(slope), maker)
        maker.fieldOrder = 2
        let fields = try render(maker.frame(slope), maker)
        for y in 12..<36 {
            for k in 0..<3 {
                let (a, b) = (fields.sample(x: 9, y: y, channel: k), whole.sample(x: 9, y: y, channel: k))
                #expect(abs(a - b) <= 1, "row \(y), channel \(k): \(a) with fields, \(b) without")
            }
        }
    }

    /// Arrays have the bytes of stills.
    @Test func arraysAreTheSame() throws {
        var maker = FrameMaker(format: "yuv420p", width: 33, height: 18)
        (maker.matrix, maker.range, maker.fieldOrder) = (6, 1, 3)
        let frame = try maker.frame { component, x, y in (x * 31 + y * 57 + component * 91) % 256 }
        var array = [UInt8](repeating: 0, count: 33 * 18 * 3)
        var target = array.mutableSpan
        try PictureRenderer.writeRGB(
            frame, codec: maker.codec, containerAspect: nil, displayMatrix: nil, cleanAperture: nil, rawGeometry: false,
            into: &target)
        #expect(try render(frame, maker).bytes == array)
    }

    /// A field that lacks a row of chroma takes its own last one, not what lies beyond the picture.
    @Test(arguments: [2, 6, 10]) func aFieldWithoutItsLastChroma(height: Int) throws {
        var maker = FrameMaker(format: "yuv420p", width: 8, height: height)
        (maker.matrix, maker.range, maker.fieldOrder) = (6, 2, 3)
        let frame = try maker.frame { component, _, _ in component == 0 ? 76 : component == 1 ? 85 : 255 }
        var reducer = FrameReducer()
        let small = try reducer.reduce(frame.frame, width: 8, height: height)
        for plane in 0..<3 {
            for y in 0..<small.planeShape(plane).rows {
                let row = small.row(y, plane: plane)
                for x in row.indices { #expect(abs(Int(row[x]) - [76, 85, 255][plane]) <= 1) }
            }
        }
    }

    /// Rows that are made between a field's own follow a slanted edge, where plain means leave steps. What is straight
    /// or flat is the same.
    @Test(arguments: ["gray", "gray16le", "rgb24", "nv12"]) func missingRowsFollowEdges(format: String) throws {
        let up = PixelFormat.depth(of: format) - 8
        func distance(_ edge: (Int, Int) -> Int, alongEdges: Bool) throws -> Int {
            var maker = FrameMaker(format: format, width: 64, height: 32)
            (maker.range, maker.fieldOrder) = (2, 2)
            let whole = try maker.frame { component, x, y in
                component > 0 && !format.hasPrefix("rgb") ? 128 << up : edge(x, y) << up
            }
            let field = try whole.firstField(alongEdges: alongEdges)
            let isStillInterlaced = field.frame.isInterlaced
            #expect(!isStillInterlaced)
            let (made, true_) = (try render(field, maker), try render(whole, maker))
            var sum = 0
            for y in 4..<28 {
                for x in 8..<56 {
                    sum += abs(made.sample(x: x, y: y, channel: 0) - true_.sample(x: x, y: y, channel: 0)) >> up
                }
            }
            return sum
        }
        for slope in [-1, 1] {
            let slanted = { (x: Int, y: Int) in x + slope * y > 32 + slope * 16 ? 220 : 30 }
            let (plain, along) = (
                try distance(slanted, alongEdges: false), try distance(slanted, alongEdges: true)
            )
            #expect(along * 4 < plain, "\(along) along the edge, \(plain) without")
        }
        let upright = { (x: Int, _: Int) in x > 32 ? 220 : 30 }
        #expect(try distance(upright, alongEdges: true) == 0)
    }
}

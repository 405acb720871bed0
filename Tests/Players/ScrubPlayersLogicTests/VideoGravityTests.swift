import ScrubPlayersLogic
import ScrubBase
import ScrubTestSupport
import Testing

@Suite struct VideoGravityTests {
    typealias R = Rational

    static func rect(_ x: R, _ y: R, _ width: R, _ height: R) -> VideoRect {
        VideoRect(x: x, y: y, size: VideoSize(width: width, height: height))
    }

    @Test(
        arguments: [
            // 16:9 in a square, in its own proportions, and in a tall one.
            (.resizeAspect, 1920, 1080, 100, 100, rect(0, R(175, 8), 100, R(225, 4)), rect(0, 0, 1920, 1080)),
            (.resizeAspectFill, 1920, 1080, 100, 100, rect(0, 0, 100, 100), rect(420, 0, 1080, 1080)),
            (.resize, 1920, 1080, 100, 100, rect(0, 0, 100, 100), rect(0, 0, 1920, 1080)),
            (.resizeAspect, 1920, 1080, 960, 540, rect(0, 0, 960, 540), rect(0, 0, 1920, 1080)),
            (.resizeAspectFill, 1920, 1080, 960, 540, rect(0, 0, 960, 540), rect(0, 0, 1920, 1080)),
            (.resizeAspect, 3, 1, 1, 3, rect(0, R(4, 3), 1, R(1, 3)), rect(0, 0, 3, 1)),
            (.resizeAspectFill, 3, 1, 1, 3, rect(0, 0, 1, 3), rect(R(4, 3), 0, R(1, 3), 1)),
            (.resizeAspect, 1, 3, 3, 1, rect(R(4, 3), 0, R(1, 3), 1), rect(0, 0, 1, 3)),
        ] as [(VideoGravity, Int, Int, Int, Int, VideoRect, VideoRect)])
    func table(gravity: VideoGravity, w: Int, h: Int, bw: Int, bh: Int, destination: VideoRect, source: VideoRect) {
        let placement = gravity.placement(width: w, height: h, in: VideoSize(width: bw, height: bh))
        #expect(placement?.destination == destination)
        #expect(placement?.source == source)
        #expect(placement?.storedSource == source)
    }

    @Test(
        arguments: [
            (720, 576, R(16, 11), 0, R(11520, 11), 576), (720, 576, R(16, 11), 90, 576, R(11520, 11)),
            (720, 480, R(8, 9), 180, 720, 540),
            (720, 480, R(8, 9), 270, 540, 720), (720, 480, R(8, 9), -90, 540, 720), (720, 480, 1, -1, 480, 720),
            (720, 480, 1, 450, 480, 720),
            (720, 480, 1, 89, 720, 480), (720, 480, 1, -360, 720, 480), (720, 480, 1, -91, 720, 480),
            (100, 50, R(1, 17), 0, 100, 50), (100, 50, 17, 0, 100, 50), (100, 50, 0, 0, 100, 50),
            (100, 50, -1, 0, 100, 50), (100, 50, 16, 0, 1600, 50),
            (0, 50, 1, 0, 0, 50), (-4, 50, 1, 0, 0, 50), (.max, 1, 1, 0, 131_072, 1),
            (8192, 8, R(1_000_000_007, 1_000_000_009), 0, 8192, R(32768, 4095)),
        ] as [(Int, Int, R, Int, R, R)])
    func uprightSizes(width: Int, height: Int, aspect: R, rotation: Int, upright: R, uprightHeight: R) {
        let size = VideoGravity.uprightSize(width: width, height: height, sampleAspectRatio: aspect, rotation: rotation)
        #expect(size == VideoSize(width: upright, height: uprightHeight))
    }

    /// The upper left quarter of the shown picture, by turn: each comes from its own stored corner.
    @Test(arguments: [(0, 0, 10), (90, 10, 0), (180, 0, 10), (270, 10, 0)] as [(Int, R, R)])
    func croppingAppliesToTheStoredPictureToo(rotation: Int, x: R, y: R) {
        // 40 by 60 shown in a square: 10 rows are cut above and below.
        let (width, height) = rotation % 180 == 0 ? (40, 60) : (60, 40)
        let placement = VideoGravity.resizeAspectFill.placement(
            width: width, height: height, rotation: rotation, in: VideoSize(width: 7, height: 7))
        #expect(placement?.source == Self.rect(0, 10, 40, 40))
        #expect(placement?.storedSource == Self.rect(x, y, 40, 40))
    }

    @Test func emptySizesHaveNoPlacement() {
        for gravity in VideoGravity.allCases {
            for (width, height, bounds) in [
                (0, 4, VideoSize(width: 4, height: 4)), (4, 0, VideoSize(width: 4, height: 4)),
                (4, 4, VideoSize(width: 0, height: 4)),
                (4, 4, VideoSize(width: 4, height: -1)), (-1, -1, VideoSize(width: 4, height: 4)),
                (4, 4, VideoSize(width: R(1, 4000), height: 4)),
            ] {
                #expect(gravity.placement(width: width, height: height, in: bounds) == nil)
            }
        }
    }

    static let extremes: [Int] = [1, 2, 3, 65_535, 131_071, 131_072, 1 << 40, .max]

    /// The longest numbers there can be: nothing traps, and nothing lies beyond.
    @Test func hugeValues() {
        let aspects = [
            R(1), R(65_521, 65_519), R(65_535, 4099), R(4099, 65_535), R(.max, .max - 1), R(1, 16),
            R(1 << 62, (1 << 58) + 1),
        ]
        let sides = [R(1), R(1, 3072), R(131_071 * 3072 + 1, 3072), R(.max), R(.max, 3), R(1, .max)]
        for gravity in VideoGravity.allCases {
            for width in Self.extremes {
                for height in Self.extremes {
                    for aspect in aspects {
                        for (n, rotation) in [0, 90, 180, 270, .min, .max].enumerated() {
                            let bounds = VideoSize(width: sides[n], height: sides[(width & 7 + n) % sides.count])
                            let placement = gravity.placement(
                                width: width, height: height, sampleAspectRatio: aspect, rotation: rotation, in: bounds)
                            if let placement { Self.check(placement, gravity, bounds) }
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func anything(seed: UInt64) {
        var random = SplitMix(seed)
        for _ in 0..<500 {
            func side() -> Int { Int.random(in: 1...(random.isOne(in: 4) ? 1 << 17 : 4000), using: &random) }
            let (width, height) = (side(), side())
            let aspect = R(Int64.random(in: 1...40, using: &random), Int64.random(in: 1...40, using: &random))
            let rotation = 90 * Int.random(in: -5...5, using: &random)
            let step = [1, 2, 3, 4, 1024][Int.random(in: 0..<5, using: &random)]
            let bounds = VideoSize(width: R(Int64(side()), Int64(step)), height: R(Int64(side()), Int64(step)))
            let upright = VideoGravity.uprightSize(
                width: width, height: height, sampleAspectRatio: aspect, rotation: rotation)
            for gravity in VideoGravity.allCases {
                guard
                    let placement = gravity.placement(
                        width: width, height: height, sampleAspectRatio: aspect, rotation: rotation, in: bounds)
                else {
                    Issue.record("seed \(seed): nothing for \(width)x\(height) in \(bounds)")
                    return
                }
                Self.check(placement, gravity, bounds)
                let (source, destination) = (placement.source, placement.destination)
                // In its proportions, and as large as can be.
                switch gravity {
                case .resize: #expect(source.size == upright && destination.size == bounds)
                case .resizeAspect:
                    #expect(source.size == upright)
                    #expect(destination.size.width == bounds.width || destination.size.height == bounds.height)
                    #expect(destination.size.width / destination.size.height == upright.width / upright.height)
                case .resizeAspectFill:
                    #expect(destination.size == bounds)
                    #expect(source.size.width == upright.width || source.size.height == upright.height)
                    #expect(source.size.width / source.size.height == bounds.width / bounds.height)
                }
                let share = source.size.width / upright.width * (source.size.height / upright.height)
                let stored = placement.storedSource.size
                #expect(stored.width / R(Int64(width)) * (stored.height / R(Int64(height))) == share)
            }
        }
    }

    /// Within the bounds, in the middle, and the same in whole pixels.
    static func check(_ placement: VideoGravity.Placement, _ gravity: VideoGravity, _ bounds: VideoSize) {
        let rect = placement.destination
        #expect(rect.x >= .zero && rect.y >= .zero && !rect.size.isEmpty && !placement.source.size.isEmpty)
        #expect(rect.size.width <= bounds.width && rect.size.height <= bounds.height)
        #expect(placement.source.x >= .zero && placement.storedSource.x >= .zero && placement.storedSource.y >= .zero)
        let pixels = rect.pixels
        #expect(pixels.width >= 1 && pixels.height >= 1 && pixels.x >= 0 && pixels.y >= 0)
        if bounds.width.denominator == 1 && bounds.width < 131_072 {
            #expect(R(Int64(pixels.x + pixels.width)) <= bounds.width)
        }
    }

    @Test(
        arguments: [
            (0, 100, 0, 100), (R(1, 2), 1, 1, 1), (R(-1, 2), 1, 0, 1), (R(175, 8), R(225, 4), 22, 56),
            (R(4, 3), R(1, 3), 1, 1), (5, 0, 5, 0),
            (5, -3, 5, 0), (R(.max), 1, 1 << 31, 1), (R(-.max), R(.max), -(1 << 31), 1 << 31),
            (R(.max - 1, .max), R(.max, .max - 1), 1, 1),
        ] as [(R, R, Int, Int)])
    func wholePixels(x: R, width: R, left: Int, pixels: Int) {
        let rounded = Self.rect(x, x, width, width).pixels
        #expect((rounded.x, rounded.width, rounded.y, rounded.height) == (left, pixels, left, pixels))
    }

    /// Rectangles that touch still touch.
    @Test func neighbours() {
        for n in 1..<40 as Range<Int64> {
            var edge = 0
            for part in 0..<n {
                let pixels = Self.rect(R(100 * part, n), 0, R(100, n), 1).pixels
                #expect(pixels.x == edge)
                edge += pixels.width
            }
            #expect(edge == 100)
        }
    }
}

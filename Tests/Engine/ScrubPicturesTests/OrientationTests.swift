internal import ScrubBase
@testable internal import ScrubPictures
internal import ScrubTestSupport
internal import Testing

@Suite struct OrientationTests {
    static let all = [false, true].flatMap { mirrored in
        (0..<4).map { Orientation(quarterTurns: $0, isMirrored: mirrored) }
    }

    /// A picture whose pixels are all different in some channel.
    static func noise(width: Int, height: Int, channels: Int, bitDepth: Int) -> RasterImage {
        var random = SplitMix(UInt64(width * 31 + height * 7 + channels))
        let bytes = (0..<width * height * channels * bitDepth / 8).map { _ in UInt8.random(in: 0...255, using: &random)
        }
        return RasterImage(
            width: width, height: height, channels: channels, bitDepth: bitDepth, bytes: bytes,
            color: ColorSpec(matrix: 0, isFullRange: true))
    }

    @Test(arguments: [8, 16], [1, 2, 3, 4]) func turningIsWhatThePixelByPixelDefinitionSays(
        bitDepth: Int, channels: Int
    ) {
        for (width, height) in [(1, 1), (3, 5), (33, 65), (70, 31)] {
            let image = Self.noise(width: width, height: height, channels: channels, bitDepth: bitDepth)
            for orientation in Self.all {
                let turned = image.turned(orientation)
                let size = PictureGeometry(orientation: orientation).outputSize(width: width, height: height)
                #expect(turned.width == size.width && turned.height == size.height)
                var isRight = true
                for y in 0..<height {
                    for x in 0..<width {
                        // One mirroring and then single clockwise turns: (x, y) goes to (height - 1 - y, x).
                        var (px, py, w, h) = (orientation.isMirrored ? width - 1 - x : x, y, width, height)
                        for _ in 0..<orientation.quarterTurns { (px, py, w, h) = (h - 1 - py, px, h, w) }
                        for k in 0..<channels {
                            let same = turned.sample(x: px, y: py, channel: k) == image.sample(x: x, y: y, channel: k)
                            isRight = isRight && same
                        }
                    }
                }
                #expect(isRight, "\(orientation) of \(width)x\(height)")
            }
        }
    }

    @Test func turnsAndMirrorsComeBack() {
        let image = Self.noise(width: 37, height: 50, channels: 3, bitDepth: 8)
        let quarter = Orientation(quarterTurns: 1, isMirrored: false)
        #expect(image.turned(quarter).turned(quarter).turned(quarter).turned(quarter).bytes == image.bytes)
        for turns in 0..<4 {
            // Every mirrored orientation is a reflection, which undoes itself.
            let mirror = Orientation(quarterTurns: turns, isMirrored: true)
            #expect(image.turned(mirror).turned(mirror).bytes == image.bytes)
        }
    }

    /// The signs of a, b, c and d as writers store them, and where they lead. The same eight, patched into a lossless
    /// clip, gave bit for bit the pictures that `ffmpeg` 5.1 makes with its automatic rotation.
    static let matrices: [(numbers: (Int32, Int32, Int32, Int32), turns: Int, isMirrored: Bool)] = [
        ((1, 0, 0, 1), 0, false), ((0, 1, -1, 0), 1, false), ((-1, 0, 0, -1), 2, false),
        ((0, -1, 1, 0), 3, false), ((-1, 0, 0, 1), 0, true), ((1, 0, 0, -1), 2, true), ((0, 1, 1, 0), 3, true),
        ((0, -1, -1, 0), 1, true),
    ]

    @Test(arguments: matrices) func displayMatrices(
        matrix: (numbers: (Int32, Int32, Int32, Int32), turns: Int, isMirrored: Bool)
    ) {
        for (scaleX, scaleY) in [(Int32(65536), Int32(65536)), (65536, 49152)] {
            let n = matrix.numbers
            let orientation = Orientation(displayMatrix: [
                n.0 * scaleX, n.1 * scaleY, 0, n.2 * scaleX, n.3 * scaleY, 0, 1_000_000, -7, 1 << 30,
            ])
            #expect(orientation == Orientation(quarterTurns: matrix.turns, isMirrored: matrix.isMirrored))
            #expect(orientation.degreesClockwise == matrix.turns * 90)
        }
    }

    @Test func otherAnglesAreNearestAndFlagged() {
        // Clockwise by 100 degrees.
        let orientation = Orientation(displayMatrix: [-11380, 64540, 0, -64540, -11380, 0, 0, 0, 1 << 30])
        #expect(orientation == Orientation(quarterTurns: 1, isMirrored: false, isApproximate: true))
        #expect(PictureGeometry(orientation: orientation).warnings(width: 4, height: 4).count == 1)
    }

    @Test(arguments: [[], [Int32](repeating: 0, count: 9), [65536, 0, 0]]) func nonsenseIsUpright(matrix: [Int32]) {
        #expect(Orientation(displayMatrix: matrix) == .upright)
    }

    @Test func squarePixelsOnlyEnlarge() {
        func size(_ n: Int64, _ d: Int64, turns: Int = 0, _ width: Int, _ height: Int) -> [Int] {
            let orientation = Orientation(quarterTurns: turns, isMirrored: false)
            let geometry = PictureGeometry(orientation: orientation, sampleAspectRatio: Rational(n, d))
            let size = geometry.outputSize(width: width, height: height)
            return [size.width, size.height]
        }
        #expect(size(64, 45, 720, 576) == [1024, 576])
        #expect(size(8, 9, 720, 480) == [720, 540])
        #expect(size(4, 3, 1440, 1080) == [1920, 1080])
        #expect(size(4, 3, turns: 1, 1440, 1080) == [1080, 1920])
        // 3 * 3/2 = 4.5: halves go up.
        #expect(size(3, 2, 3, 3) == [5, 3])
        #expect(size(17, 1, 100, 100) == [100, 100])
        #expect(size(1, 17, 100, 100) == [100, 100])
        #expect(size(16, 1, 5000, 10) == [5000, 10])
        let absurd = PictureGeometry(sampleAspectRatio: Rational(100))
        #expect(absurd.warnings(width: 10, height: 10).count == 1)
    }
}

import ScrubThumbnailsLogic
import ScrubTestSupport
import Testing

/// The vectors were made with the Python packages blurhash 1.1.5 and thumbhash-python 1.0.1 from the same pixels.
@Suite struct PlaceholderTests {
    struct Vector: CustomTestStringConvertible {
        let width: Int
        let height: Int
        let key: Int
        let components: (Int, Int)
        let blur: String
        let thumb: String

        var image: PosterImage {
            PosterImage(width, height) { x, y in
                (
                    (x * x * key + y * x + 9 * y) % 251, (y * y * 3 + x * x / 7 + key * y) % 241,
                    (x * 3 / 5 + y * y / 3) % 3 * 90 + key % 50
                )
            }
        }
        var testDescription: String { "\(width)x\(height), \(key)" }
    }

    static let vectors = [
        Vector(
            width: 32, height: 18, key: 3, components: (4, 3), blur: "LCGuXPWGGSX+mJH|JRIsL;VdXPV^",
            thumb: "da180614847467661055565278629400a1e1fc"),
        Vector(
            width: 18, height: 32, key: 7, components: (3, 4), blur: "TCGuUK#ZNFV4N1KdD.KLEhz3sUoJ",
            thumb: "da180614045427851646711887079551c0f6a8"),
        Vector(
            width: 100, height: 56, key: 11, components: (9, 9),
            blur: "|2HB#Zx?t4.3K_%]o^xGq$=OQ[Q@VLZnN1TFK{POVGQsZnQsiOZ,S{Xhtg.QTGKeTZTYP6J9IHMjmUQZ"
                + "QaQZIGQ?O.TXX$}uZ.m=v,nkoeTYTZtgp9TEtgX}TrTXf%m;mY[{mZq$q%m=RncSPiK_zrq#VKR9ihs,XPbrWW",
            thumb: "dc080204808187b92321220103778a1097fbfd"),
        Vector(
            width: 50, height: 50, key: 2, components: (1, 1), blur: "00H2Ae",
            thumb: "1b09020f0210a38353968433821721155444532034fb9b0c"),
        Vector(
            width: 7, height: 3, key: 31, components: (5, 2), blur: "DTBBl,S*JcSuS7;BS0FCwjw%",
            thumb: "913606338c0493e760c5b688f58946f696"),
        Vector(
            width: 64, height: 36, key: 201, components: (6, 5),
            blur: "f5HB-ek:S0r2QX#ry-P5c8NJVvW:KxO.O.RmVdnRtRVdafagS2m=v+NJg0tzxq+3",
            thumb: "1b090204827602e4896a65776842d99f470423"),
    ]

    @Test(arguments: vectors)
    func blurHashIsTheReferences(vector: Vector) {
        let (columns, rows) = vector.components
        let hash = BlurHash.encode(vector.image, componentsX: columns, componentsY: rows)
        #expect(hash == vector.blur)
        #expect(hash.utf8.count == 4 + 2 * columns * rows)
    }

    @Test(arguments: vectors)
    func thumbHashIsTheReferences(vector: Vector) {
        let hash = ThumbHash.encode(vector.image)
        #expect(hex(hash) == vector.thumb)
        #expect(hash.count <= 25)
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test func flatPicturesHaveNoAmplitudes() {
        // Black: no scale, no mean, and 9 for "nothing" in each of the components.
        #expect(BlurHash.encode(.flat(0)) == "L00000" + String(repeating: "fQ", count: 11))
        let hash = ThumbHash.encode(.flat(255))
        #expect(hash.dropFirst(5).allSatisfy { $0 == 0 })
    }

    /// One pixel has every second amplitude exactly 0, which the reference leaves to its rounding errors.
    @Test func aZeroAmplitudeIsTheUpperOfTwoSteps() {
        let pixel = PosterImage(width: 1, height: 1, bytes: [0, 0, 9])
        #expect(BlurHash.encode(pixel) == "L00009fZfZfZfZfZfZfZfZfZfZfZ")
        #expect(hex(ThumbHash.encode(pixel)) == "810702170008f808888888808f8088f80888808ff8000000")
    }

    @Test func largePicturesAreShrunkForThumbHash() {
        let large = PosterImage(320, 180) { x, y in (x * 255 / 319, y * 255 / 179, 90) }
        #expect(ThumbHash.encode(large) == ThumbHash.encode(large.fitting(100)))
        #expect(ThumbHash.encode(large).count <= 25)
    }

    @Test(arguments: [
        (320, 180, 100, 100, 56), (180, 320, 100, 56, 100), (100, 100, 100, 100, 100), (1000, 1, 100, 100, 1),
        (101, 100, 100, 100, 99), (1, 1, 1, 1, 1),
    ])
    func fittingKeepsTheShape(width: Int, height: Int, limit: Int, expectedWidth: Int, expectedHeight: Int) {
        let image = PosterImage(width, height) { _, _ in (10, 20, 30) }.fitting(limit)
        #expect(image.width == expectedWidth)
        #expect(image.height == expectedHeight)
        #expect(image == PosterImage(expectedWidth, expectedHeight) { _, _ in (10, 20, 30) })
    }

    @Test func misuseTraps() async {
        await #expect(processExitsWith: .failure) { _ = PosterImage(width: 2, height: 2, bytes: [0]) }
        await #expect(processExitsWith: .failure) { _ = PosterImage(width: 0, height: 2, bytes: []) }
        await #expect(processExitsWith: .failure) {
            _ = BlurHash.encode(PosterImage(width: 1, height: 1, bytes: [0, 0, 0]), componentsX: 10)
        }
    }
}

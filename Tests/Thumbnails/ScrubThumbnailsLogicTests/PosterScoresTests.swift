import ScrubThumbnailsLogic
import ScrubTestSupport
import Testing

@Suite struct PosterScoresTests {
    /// Pictures of every kind and of odd sizes.
    private static let pictures: [PosterImage] =
        [.flat(0), .flat(255), .flat(128), .checkerboard(), .gradient]
        + [(1, 1), (2, 2), (1, 50), (50, 1), (3, 3), (7, 11)].map { .noise(5, $0.0, $0.1) }
        + (0..<20).map { .noise(UInt64($0), 64, 36) } + (0..<20).map { .scene(UInt64($0)) }

    @Test func everyScoreIsInTheUnitInterval() {
        for picture in Self.pictures {
            let scores = PosterScores(picture)
            for criterion in PosterScores.Criterion.allCases {
                #expect((0...1).contains(scores[criterion]), "\(criterion) \(picture.width)x\(picture.height)")
            }
            #expect((0...1).contains(scores.score))
        }
    }

    @Test func theMeritsAddUpToOne() {
        let merits = PosterScores.Criterion.allCases.filter { !$0.isPenalty }
        #expect(abs(merits.map(\.weight).reduce(0, +) - 1) < 1e-12)
        #expect(PosterScores.Criterion.allCases.allSatisfy { (0...1).contains($0.weight) })
    }

    @Test(arguments: [
        (0, PosterScores.Blank.black), (16, .black), (32, .black), (33, .uniform), (128, .uniform), (234, .uniform),
        (235, .white), (255, .white),
    ])
    func flatPicturesAreBlank(value: Int, reason: PosterScores.Blank) {
        let scores = PosterScores(.flat(value))
        #expect(scores.blank == reason)
        #expect(scores.isBlank)
        #expect(scores.score == 0)
        #expect(scores.fade == 1)
        #expect(scores.entropy == 0)
        #expect(scores.sharpness == 0)
        #expect(scores.explanation == "0.0000: \(reason.reason)")
    }

    @Test func aFewBrightPixelsDoNotSaveABlackPicture() {
        let stars = PosterImage.flat(4).mapped { x, y, color in (x * 7 + y) % 97 == 0 ? (250, 250, 250) : color }
        #expect(PosterScores(stars).blank == .black)
    }

    @Test func oneLightnessInTwoColorsIsNotUniform() {
        // Red and blue of nearly the same luma.
        let picture = PosterImage(160, 90) { x, _ in x < 80 ? (200, 40, 40) : (40, 110, 150) }
        #expect(PosterScores(picture).blank == nil)
    }

    @Test func picturesWithContentAreNotBlank() {
        for picture in [PosterImage.gradient, .checkerboard(), .noise(1), .scene(1)] {
            #expect(PosterScores(picture).blank == nil)
            #expect(PosterScores(picture).score > 0)
        }
    }

    @Test(arguments: 0..<6)
    func blurNeverAddsSharpness(seed: UInt64) {
        for picture in [PosterImage.checkerboard(size: 3 + Int(seed)), .noise(seed), .scene(seed)] {
            let values = [picture, picture.blurred(1), picture.blurred(2), picture.blurred(4)]
                .map { PosterScores($0).sharpness }
            #expect(values == values.sorted(by: >))
            #expect(values[0] > values[3])
        }
    }

    @Test func aSharpSceneBeatsItsBlur() {
        let sharp = PosterImage.checkerboard()
        #expect(PosterScores(sharp).score > PosterScores(sharp.blurred(3)).score)
    }

    @Test func theLaplacianIsTheFormula() {
        // One bright pixel in a gray picture of 5 x 5: nine Laplacians, -860 once, 215 four times, 0 four times.
        let picture = PosterImage(5, 5) { x, y in x == 2 && y == 2 ? (255, 255, 255) : (40, 40, 40) }
        let variance = (860.0 * 860 + 4 * 215 * 215) / 9
        #expect(abs(PosterScores(picture).sharpness - variance / (variance + 400)) < 1e-9)
    }

    @Test func exposureIsBestInTheMiddle() {
        let values = [0, 20, 60, 100, 127].map { PosterScores(.flat($0)).exposure }
        #expect(values == values.sorted())
        #expect(values[0] == 0)
        #expect(values[4] > 0.99)
        // The same mean, all of it clipped.
        #expect(PosterScores(.checkerboard(low: 0, high: 255)).exposure < 0.01)
    }

    @Test func contrastIsTheSpread() {
        #expect(PosterScores(.checkerboard(low: 100, high: 151)).contrast == 0.25)
        #expect(PosterScores(.checkerboard(low: 10, high: 250)).contrast == 1)
        #expect(PosterScores(.flat(90)).contrast == 0)
    }

    @Test func entropyCountsValues() {
        #expect(PosterScores(.checkerboard(low: 60, high: 200, size: 5)).entropy == 0.125)
        #expect(PosterScores(.gradient).entropy > 0.9)
    }

    @Test func colorIsColorful() {
        let color = PosterImage(160, 90) { x, y in (x < 80 ? 220 : 30, y < 45 ? 200 : 40, x < 40 ? 230 : 20) }
        #expect(PosterScores(color).colorfulness > 0.9)
        #expect(PosterScores(.gradient).colorfulness == 0)
        // Pure red alone: rg = 255 and yb = 127.5 everywhere, so M = 0.3 · √(255² + 127.5²).
        let red = PosterScores(PosterImage(20, 20) { _, _ in (255, 0, 0) })
        #expect(abs(red.colorfulness - 0.3 * (255.0 * 255 + 127.5 * 127.5).squareRoot() / 109) < 1e-9)
    }

    @Test(arguments: [0, 6, 11, 20])
    func barsAreMeasuredAndLeftOut(bar: Int) {
        let scene = PosterImage.scene(3)
        let scores = PosterScores(scene.barred(top: bar, bottom: bar))
        #expect(abs(scores.letterbox - Double(2 * bar) / 90) < 1e-9)
        // The bars must not make the scene dark or sharp.
        let inside = PosterScores(PosterImage(160, 90 - 2 * bar) { x, y in scene.color(x, y + bar) })
        #expect(scores.sharpness == inside.sharpness)
        #expect(scores.exposure == inside.exposure)
        #expect(scores.colorfulness == inside.colorfulness)
        #expect(scores.fade == inside.fade)
        #expect(scores.subject == inside.subject && scores.skin == inside.skin)
    }

    @Test func barsComeInPairs() {
        let scene = PosterImage.scene(3)
        #expect(abs(PosterScores(scene.barred(side: 20)).letterbox - 0.25) < 1e-9)
        #expect(PosterScores(scene.barred(top: 12, bottom: 11)).letterbox > 0.2)
        #expect(PosterScores(scene.barred(top: 30)).letterbox == 0)
        #expect(PosterScores(scene.barred(top: 30, bottom: 6)).letterbox == 0)
        #expect(PosterScores(.flat(0)).letterbox == 0)
        let both = PosterScores(scene.barred(top: 9, bottom: 9, side: 16))
        #expect(abs(both.letterbox - (1 - 0.8 * 0.8)) < 1e-9)
    }

    @Test func captionsAreSeenAndTextureIsNot() {
        let scene = PosterImage.gradient
        #expect(PosterScores(scene).text == 0)
        let low = PosterScores(scene.captioned(row: 75, height: 6)).text
        let middle = PosterScores(scene.captioned(row: 40, height: 6)).text
        #expect(low > 0.7)
        #expect(middle > 0.3)
        #expect(low > middle)
        for texture in [PosterImage.noise(1), .checkerboard(size: 2), .scene(2)] {
            #expect(PosterScores(texture).text == 0)
        }
        // Half a picture of texture is not a line of text.
        #expect(PosterScores(scene.captioned(row: 40, height: 50)).text == 0)
    }

    /// Large letters are text too, wherever they stand and of whatever color; patterns all over the picture are not.
    @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6])
    func titlesAreText(_ seed: UInt64) {
        let scene = PosterImage.scene(seed).mapped { _, _, color in
            (color.0 / 2 + 40, color.1 / 2 + 40, color.2 / 2 + 40)
        }
        #expect(PosterScores(scene).text == 0)
        for (row, height) in [(30, 22), (5, 18), (60, 25)] {
            #expect(PosterScores(scene.titled(row: row, height: height)).text > 0.9)
            #expect(PosterScores(scene.titled(row: row, height: height, luma: 250)).text > 0.9)
        }
        #expect(PosterScores(scene.titled(row: 0, height: 90)).text == 0, "a fence")
        for texture in [PosterImage.noise(seed), .checkerboard(size: 5), .checkerboard(size: 9), .gradient] {
            #expect(PosterScores(texture).text == 0)
        }
    }

    /// The sharpness and contrast of letters do not count: a dull picture with text is worse than without.
    @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6])
    func lettersDoNotRaiseAScore(_ seed: UInt64) {
        let dull = PosterImage.scene(seed).blurred(2).mapped { _, _, color in
            (color.0 / 3 + 60, color.1 / 3 + 60, color.2 / 3 + 60)
        }
        let clean = PosterScores(dull)
        for lettered in [dull.titled(row: 30, height: 22), dull.captioned(row: 75, height: 6)] {
            let scores = PosterScores(lettered)
            #expect(scores.score < clean.score)
            #expect(abs(scores.sharpness - clean.sharpness) < 0.1 && abs(scores.contrast - clean.contrast) < 0.1)
        }
    }

    @Test func creditsAreText() {
        var page = PosterImage.flat(8)
        for line in 0..<8 { page = page.captioned(row: 6 + line * 10, height: 5) }
        #expect(PosterScores(page).text == 1)
    }

    @Test func jsonHasAFixedOrder() {
        let text = PosterScores(.checkerboard(low: 60, high: 200, size: 5)).json
        let keys = text.split(separator: "\"").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
        #expect(keys == PosterScores.Criterion.allCases.map(\.rawValue) + ["score"])
        #expect(text.contains("\"entropy\":0.1250,"))
        #expect(text.wholeMatch(of: /\{("[a-z]+":[01]\.\d{4},)+"score":[01]\.\d{4}\}/) != nil)
        #expect(
            PosterScores(.flat(0)).json
                == #"{"sharpness":0.0000,"exposure":0.0000,"contrast":0.0000,"colorfulness":0.0000,"entropy":0.0000,"#
                + #""skin":0.0000,"subject":0.0000,"fade":1.0000,"letterbox":0.0000,"text":0.0000,"score":0.0000}"#)
    }

    @Test func theExplanationAddsUp() {
        let text = PosterScores(.scene(4).barred(top: 9, bottom: 9)).explanation
        #expect(text.contains("letterbox x0.9400"))
        var (sum, factor) = (0.0, 1.0)
        for match in text.matches(of: /\+(\d\.\d+)/) { sum += Double(match.1) ?? 9 }
        for match in text.matches(of: /x(\d\.\d+)/) { factor *= Double(match.1) ?? 9 }
        #expect(abs(sum * factor - PosterScores(.scene(4).barred(top: 9, bottom: 9)).score) < 0.001)
    }
}

import ScrubThumbnailsLogic
import ScrubBase
import Testing

/// One thing before a ground is a poster to people; an empty ground, a texture and a pink plane are not.
@Suite struct SubjectTests {
    /// A field with a disc on it.
    private func disc(
        _ color: (Int, Int, Int) = (60, 30, 120), radius: Int = 28, x: Int = 80, y: Int = 45,
        on ground: PosterImage? = nil
    ) -> PosterImage {
        (ground ?? SubjectTests.field).mapped { column, row, old in
            (column - x) * (column - x) + (row - y) * (row - y) <= radius * radius ? color : old
        }
    }

    /// Sky above a meadow, with soft shades.
    private static let field = PosterImage(160, 90) { x, y in
        y < 50 ? (110 + x / 8, 150 + y / 2, 220) : (70 + x % 7 * 3, 140 + (x + y) % 5 * 4, 50)
    }

    /// Stones of many colors all over the picture, those at the edge like those within.
    private static let stones = PosterImage(160, 90) { x, y in
        let kind = ((x + 7) / 12 * 7 + (y + 7) / 12 * 5) % 6
        let isGap = (x + 7) % 12 < 2 || (y + 7) % 12 < 2
        return isGap ? (90, 80, 110) : (60 + 20 * kind, 180 - 15 * kind, 190)
    }

    /// A brook of the color of pink clouds, from edge to edge through the meadow.
    private static let brook = field.mapped { x, y, old in abs(x - y - 30) < 25 ? (225, 180, 165) : old }

    @Test func aSubjectBeatsItsGround() {
        let subject = PosterScores(disc())
        #expect(subject.subject > 0.5)
        for ground in [Self.field, Self.stones, Self.brook] {
            let scores = PosterScores(ground)
            #expect(scores.subject < 0.15)
            #expect(scores.skin < 0.1)
            #expect(subject.score > scores.score)
        }
    }

    /// Big Buck Bunny's opening: the brook was its poster, for its sharp plants and its pink water, and the bird was
    /// not.
    @Test func theDefaultPosterIsTheSubject() {
        let pictures = [Self.field, Self.brook, disc(), Self.stones, .gradient]
        let film = pictures.enumerated().map { place, picture in
            PosterCandidate(frame: place * 50, time: Rational(Int64(place) * 2), image: picture)
        }
        #expect(PosterSelection(1, of: film).posters.map(\.frame) == [100])
    }

    @Test func compactAndCenteredIsMore() {
        let whole = PosterScores(disc()).subject
        // The same area in nine parts.
        var scattered = Self.field
        for place in 0..<9 {
            scattered = disc(radius: 9, x: 30 + place % 3 * 50, y: 15 + place / 3 * 30, on: scattered)
        }
        #expect(PosterScores(scattered).subject < whole / 2)
        #expect(PosterScores(disc(x: 25, y: 25)).subject < whole)
        #expect(PosterScores(disc(radius: 4)).subject < whole / 2)
        // Cut by the edge it leads out of the picture and is ground.
        #expect(PosterScores(disc(x: 0)).subject < whole / 2)
    }

    @Test func graySubjectsCount() {
        let gray = disc((200, 200, 200), on: .flat(70))
        #expect(PosterScores(gray).subject > 0.5)
        #expect(PosterScores(gray).skin == 0)
        #expect(PosterScores(.gradient).subject < 0.05)
    }

    @Test(arguments: [
        ((224, 172, 140), true), ((141, 85, 54), true), ((92, 58, 42), true), ((128, 128, 128), false),
        ((60, 140, 60), false), ((90, 150, 220), false), ((255, 0, 0), false), ((250, 40, 60), false),
        ((225, 180, 195), false),
    ])
    func skinIsASubjectInABoxOfChroma(color: (Int, Int, Int), isSkin: Bool) {
        let ground = PosterImage(160, 90) { _, _ in (20, 90, 190) }
        let skin = PosterScores(disc(color, on: ground)).skin
        #expect(isSkin ? skin > 0.9 : skin == 0)
        // The whole picture, or what leads out of it, is not a person.
        #expect(PosterScores(PosterImage(160, 90) { _, _ in color }).skin == 0)
        #expect(PosterScores(ground.mapped { x, _, old in x < 60 ? color : old }).skin == 0)
    }

    @Test(arguments: [
        (1, 1), (2, 2), (3, 3), (1, 50), (50, 1), (4, 400), (400, 4), (47, 49), (49, 48), (7, 5), (1000, 3),
    ])
    func anySizeHasAnAnswer(width: Int, height: Int) {
        for picture in [PosterImage.noise(3, width, height), PosterImage(width, height) { _, _ in (90, 60, 40) }] {
            let scores = PosterScores(picture)
            #expect((0...1).contains(scores.subject) && (0...1).contains(scores.skin))
            #expect(PosterScores(picture) == scores)
        }
        #expect(PosterScores(PosterImage(width, height) { _, _ in (90, 60, 40) }).subject == 0)
    }

    /// Neither the direction of the sweeps nor the size decides.
    @Test func mirroredAndEnlargedItIsTheSame() {
        let picture = disc(x: 70, y: 50)
        let mirrored = PosterImage(160, 90) { x, y in picture.color(159 - x, 89 - y) }
        let large = PosterImage(320, 180) { x, y in picture.color(x / 2, y / 2) }
        let subject = PosterScores(picture).subject
        #expect(abs(PosterScores(mirrored).subject - subject) < 0.05)
        #expect(abs(PosterScores(large).subject - subject) < 0.05)
    }

    @Test func theExplanationNamesIt() {
        let scores = PosterScores(disc())
        #expect(scores.explanation.contains("subject +"))
        #expect(scores.json.contains("\"subject\":0."))
        #expect(scores[.subject] == scores.subject)
    }
}

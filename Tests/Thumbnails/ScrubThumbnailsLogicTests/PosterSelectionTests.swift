import ScrubThumbnailsLogic
import ScrubBase
import ScrubTestSupport
import Testing

@Suite struct PosterSelectionTests {
    private func candidate(_ frame: Int, _ image: PosterImage) -> PosterCandidate {
        PosterCandidate(frame: frame, time: Rational(Int64(frame), 25), image: image)
    }

    /// Different scenes, one a second.
    private func film(_ scenes: Int, seed: UInt64 = 0) -> [PosterCandidate] {
        (0..<scenes).map { candidate($0 * 25, .scene(seed * 1000 + UInt64($0))) }
    }

    @Test(arguments: 0..<10)
    func theOrderOfTheCandidatesDoesNotMatter(seed: UInt64) {
        var random = SplitMix(seed)
        let film = film(12, seed: seed) + [candidate(7, .flat(0)), candidate(8, .flat(255))]
        let expected = PosterSelection(5, of: film)
        #expect(expected.posters.count == 5)
        for _ in 0..<10 { #expect(PosterSelection(5, of: film.shuffled(using: &random)) == expected) }
    }

    @Test func theBestIsFirst() throws {
        let film = film(12)
        let best = try #require(film.map(\.scores.score).max())
        #expect(PosterSelection(3, of: film).posters[0].scores.score == best)
        #expect(PosterSelection(1, of: film).posters.count == 1)
        #expect(PosterSelection(3, of: film).note == nil)
    }

    @Test func equalsGoToTheEarlierFrame() {
        let film = [30, 10, 20].map { candidate($0, .scene(1)) }
        #expect(PosterSelection(1, of: film).posters.map(\.frame) == [10])
    }

    @Test func nearDuplicatesAreLeftOut() {
        let slightly = PosterImage.scene(1).mapped { _, _, color in (color.0 + 4, color.1 + 4, color.2 + 4) }
        let film = [candidate(0, .scene(1)), candidate(1000, slightly), candidate(2000, .scene(2))]
        let selection = PosterSelection(3, of: film)
        #expect(selection.posters.count == 2)
        #expect(selection.note == "2 of 3 posters: the other candidates are blank or look like a chosen poster")
        for (i, a) in selection.posters.enumerated() {
            for b in selection.posters[..<i] {
                #expect(a.signature.distance(to: b.signature) >= PosterSignature.nearDuplicate)
            }
        }
    }

    @Test func oneFrameIsTakenOnce() {
        let film = [candidate(5, .scene(1)), candidate(5, .scene(1)), candidate(5, .scene(2))]
        let selection = PosterSelection(2, of: film)
        #expect(selection.posters.map(\.frame) == [5])
        #expect(
            selection.note?.description
                == "1 of 2 posters: all other candidates are blank (examine more with Poster.Options.candidateCount)"
        )
    }

    /// Of pictures that are equally good and equally different, those far apart are taken.
    @Test func postersSpreadOverTheFilm() {
        let scene = PosterImage.scene(9)
        let variants: [(Int, PosterImage)] = [
            (0, scene), (10, scene.mapped { x, _, color in x < 80 ? (color.2, color.1, color.0) : color }),
            (2000, scene.mapped { x, _, color in x >= 80 ? (color.2, color.1, color.0) : color }),
        ]
        let scores = PosterScores(scene)
        let film = variants.map { frame, image in
            PosterCandidate(
                frame: frame, time: Rational(Int64(frame), 25), scores: scores, signature: PosterSignature(image))
        }
        #expect(PosterSelection(2, of: film, span: Rational(100)).posters.map(\.frame) == [0, 2000])
    }

    @Test func blankPicturesAreNeverTakenBesideOthers() {
        let film = [candidate(0, .flat(0)), candidate(1, .scene(1)), candidate(2, .flat(128))]
        let selection = PosterSelection(3, of: film)
        #expect(selection.posters.map(\.frame) == [1])
        #expect(!selection.isBlank)
        #expect(selection.note != nil)
    }

    @Test func aBlankFilmStillHasAPoster() {
        let film = [candidate(0, .flat(0)), candidate(1, .flat(120)), candidate(2, .flat(255))]
        let selection = PosterSelection(3, of: film)
        #expect(selection.posters.map(\.frame) == [1])
        #expect(selection.isBlank)
        #expect(
            selection.note == "all 3 candidates are blank; in the best one, frame 1, the picture is one color")
        #expect(PosterSelection(1, of: [film[2], film[0]]).note?.description.contains("blank") == true)
    }

    @Test func withoutCandidatesThereAreNoPosters() {
        #expect(PosterSelection(3, of: []).posters.isEmpty)
        #expect(PosterSelection(3, of: []).note == "there are no candidates")
        #expect(PosterSelection(0, of: film(3)).posters.isEmpty)
        #expect(PosterSelection(-1, of: film(3)).note == nil)
        #expect(PosterSelection(Int.max, of: film(3)).posters.count == 3)
    }

    @Test func signaturesMeasureDifference() {
        let (black, white) = (PosterSignature(.flat(0)), PosterSignature(.flat(255)))
        #expect(black.distance(to: white) == 1)
        #expect(white.distance(to: black) == 1)
        #expect(black.distance(to: black) == 0)
        #expect(PosterSignature(.noise(1, 3, 2)).distance(to: PosterSignature(.noise(2, 2, 3))) <= 1)
        // The size does not matter for a picture of the same content.
        let large = PosterImage(320, 180) { x, _ in (x < 160 ? 0 : 255, 0, 0) }
        let small = PosterImage(32, 18) { x, _ in (x < 16 ? 0 : 255, 0, 0) }
        #expect(PosterSignature(large) == PosterSignature(small))
    }
}

@Suite struct PosterCandidatesTests {
    @Test func timesAreTheMiddlesOfEqualParts() {
        #expect(PosterCandidates.times(count: 1, duration: Rational(100)) == [Rational(95, 2)])
        #expect(PosterCandidates.times(count: 2, duration: Rational(80)) == [Rational(21), Rational(55)])
    }

    @Test(arguments: [1, 2, 3, 10, 97, 1000])
    func timesAvoidTheEnds(count: Int) throws {
        for duration in [Rational(1, 25), Rational(1001, 24000), Rational(5400), Rational(1 << 40)] {
            let times = PosterCandidates.times(count: count, duration: duration)
            let known = min(duration, Rational(1 << 32))
            #expect(times.count == count)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
            #expect(try times[0] > #require(known.multiplied(by: Rational(1, 20))))
            #expect(try times[count - 1] < #require(known.multiplied(by: Rational(9, 10))))
            #expect(times == PosterCandidates.times(count: count, duration: duration))
        }
    }

    @Test func oddInputHasAnAnswer() {
        #expect(PosterCandidates.times(count: 0, duration: .one) == [])
        #expect(PosterCandidates.times(count: -5, duration: .one) == [])
        #expect(PosterCandidates.times(count: 9, duration: .zero) == [.zero])
        #expect(PosterCandidates.times(count: 9, duration: Rational(-3)) == [.zero])
        // A ratio that has no room for another factor is cut to microseconds.
        let odd = Rational(Int64.max, (1 << 61) - 1)
        let times = PosterCandidates.times(count: 7, duration: odd)
        #expect(times.count == 7)
        #expect(times.allSatisfy { 1_000_000 % $0.denominator == 0 && $0 > .zero && $0 < odd })
    }
}

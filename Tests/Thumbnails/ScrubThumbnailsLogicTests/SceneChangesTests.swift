import ScrubThumbnailsLogic
import ScrubBase
import ScrubTestSupport
import Testing

/// Scenes of made-up films: each frame a flat wash of gray over a pattern of its scene.
@Suite struct SceneChangesTests {
    /// A picture of a scene: a pattern that the number decides, with some noise, at a brightness of 0...1.
    private func picture(_ scene: UInt64, light: Double = 1, noise: UInt64 = 0, shift: Int = 0) -> PosterImage {
        var pattern = SplitMix(scene &+ 77)
        let cells = (0..<64).map { _ in Int.random(in: 20...235, using: &pattern) }
        var grain = SplitMix(noise &+ 1)
        var bytes: [UInt8] = []
        for y in 0..<32 {
            for x in 0..<32 {
                let cell = cells[y / 4 * 8 + (x + shift) / 4 % 8]
                let value = Double(cell) * light + Double(Int.random(in: -3...3, using: &grain))
                bytes += [UInt8](repeating: UInt8(min(255, max(0, value))), count: 3)
            }
        }
        return PosterImage(width: 32, height: 32, bytes: bytes)
    }

    private func looks(_ images: [PosterImage], every step: Int = 1) -> [SceneSample] {
        images.enumerated().map {
            SceneSample(frame: $0 * step, time: Rational(Int64($0 * step), 25), image: $1)
        }
    }

    private func places(_ looks: [SceneSample]) -> [Int] { SceneChanges().find(in: looks).map(\.place) }

    @Test func cutsAreFound() {
        let film = (0..<90).map { picture(UInt64($0 / 30), noise: UInt64($0)) }
        #expect(places(looks(film)) == [30, 60])
        #expect(places(looks((0..<60).map { picture(1, noise: UInt64($0)) })).isEmpty)
        #expect(places([]).isEmpty)
    }

    /// Black, white, one color and noise are scenes where they are asked for, and where a cut leads to them.
    @Test func blankPartsAreScenesWhereTheyAreAskedFor() {
        func flat(_ value: UInt8) -> PosterImage {
            PosterImage(width: 32, height: 32, bytes: [UInt8](repeating: value, count: 32 * 32 * 3))
        }
        func noise(_ number: UInt64, mean: Int) -> PosterImage {
            var random = SplitMix(number)
            let bytes = (0..<32 * 32 * 3).map { _ in UInt8(mean + Int.random(in: -mean...mean, using: &random)) }
            return PosterImage(width: 32, height: 32, bytes: bytes)
        }
        func found(_ film: [PosterImage], includesBlank: Bool) -> [Int] {
            SceneChanges(includesBlank: includesBlank).find(in: looks(film)).map(\.place)
        }
        for blank in [flat(255), flat(0), flat(90)] {
            var film = (0..<90).map { picture($0 < 60 ? 1 : 2, noise: UInt64($0)) }
            for frame in 30..<60 { film[frame] = blank }
            #expect(found(film, includesBlank: true) == [30, 60])
            #expect(found(film, includesBlank: false) == [60])
        }
        let noisy = (0..<120).map { frame in
            switch frame / 30 {
            case 0: picture(1, noise: UInt64(frame))
            case 1: noise(UInt64(frame), mean: 120)
            case 2: noise(UInt64(frame), mean: 60)
            default: picture(2, noise: UInt64(frame))
            }
        }
        #expect(found(noisy, includesBlank: true) == [30, 60, 90])
        // Flashes and fades are not scenes.
        var flash = (0..<60).map { picture(1, noise: UInt64($0)) }
        for frame in 20..<23 { flash[frame] = flat(255) }
        #expect(found(flash, includesBlank: true).isEmpty)
        let fade = (0..<120).map { frame in
            picture(1, light: min(1, abs(Double(frame) - 60) / 30), noise: UInt64(frame))
        }
        #expect(found(fade, includesBlank: true).isEmpty)
    }

    /// A higher threshold finds fewer cuts, a lower one more.
    @Test func thresholds() {
        let film = (0..<90).map { picture($0 < 60 ? 1 : 2, light: $0 < 30 ? 1 : 0.94, noise: UInt64($0)) }
        func found(_ least: Double) -> [Int] { SceneChanges(least: least).find(in: looks(film)).map(\.place) }
        #expect(found(0.06) == [60] && found(0.02) == [30, 60] && found(0.9).isEmpty)
    }

    /// A flash, white or of anything else, is not a scene: the picture before comes back.
    @Test(arguments: [1, 2, 5])
    func flashesAreNotCuts(_ length: Int) {
        for flash in [
            PosterImage(width: 32, height: 32, bytes: [UInt8](repeating: 255, count: 32 * 32 * 3)), picture(9),
        ] {
            var film = (0..<60).map { picture(1, noise: UInt64($0)) }
            for frame in 20..<20 + length { film[frame] = flash }
            #expect(places(looks(film)).isEmpty)
        }
    }

    /// A fade to black and back is not a cut; through black into another scene is one, where that begins.
    @Test func fades() {
        func film(_ second: UInt64) -> [PosterImage] {
            (0..<120).map { frame in
                let light =
                    frame < 40
                    ? 1.0 : frame < 55 ? Double(55 - frame) / 15 : frame < 65 ? 0 : min(1, Double(frame - 65) / 15)
                return picture(frame < 60 ? 1 : second, light: light, noise: UInt64(frame))
            }
        }
        #expect(places(looks(film(1))).isEmpty)
        let found = places(looks(film(2)))
        #expect(found.count == 1 && (60...70).contains(found.first ?? 0), "\(found)")
    }

    /// A movement of the camera changes step by step and is not a cut.
    @Test func pansAreNotCuts() {
        let film = (0..<60).map { picture(1, noise: UInt64($0), shift: $0 < 30 ? 0 : $0 - 30) }
        #expect(places(looks(film)).isEmpty)
    }

    /// A dissolve begins a scene in its middle, however long it takes; a picture that only becomes brighter does not.
    @Test(arguments: [6, 12, 25, 50])
    func dissolvesAreCuts(_ length: Int) {
        let (first, second) = (picture(1), picture(2))
        let film = (0..<150).map { frame -> PosterImage in
            let part = min(1, max(0, Double(frame - 50) / Double(length)))
            return mix(first, second, part)
        }
        let found = SceneChanges().find(in: looks(film))
        #expect(found.count == 1, "\(found)")
        let middle = 50 + length / 2
        #expect((middle - 3...middle + 3).contains(found.first?.place ?? 0), "\(found)")
        #expect(found.first.map { $0.settled >= 50 + length - 2 } == true)
        let fade = (0..<150).map { picture(1, light: 0.4 + 0.6 * min(1, max(0, Double($0 - 50) / Double(length)))) }
        #expect(places(looks(fade)).isEmpty)
        // A cut within it is a cut.
        let cut = film.indices.map { $0 < middle ? first : second }
        #expect(places(looks(cut)) == [middle])
    }

    private func mix(_ first: PosterImage, _ second: PosterImage, _ part: Double) -> PosterImage {
        PosterImage(
            width: 32, height: 32,
            bytes: zip(first.bytes, second.bytes).map { UInt8(Double($0) * (1 - part) + Double($1) * part) })
    }

    /// Looks with frames between them count when they differ much.
    @Test func gaps() {
        let film = (0..<9).map { picture(UInt64($0 / 3), noise: UInt64($0)) }
        #expect(places(looks(film, every: 50)) == [3, 6])
    }

    /// Scenes too short are added to a neighbor, and no more are left than asked for; the time stays whole.
    @Test func shortScenesAreJoined() throws {
        var random = SplitMix(5)
        for _ in 0..<200 {
            var spans: [SceneSpan] = []
            var start = Rational.zero
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                let end = try #require(start.adding(Rational(Int64.random(in: 1...90, using: &random), 25)))
                spans.append(SceneSpan(start: start, end: end, strength: 0.5))
                start = end
            }
            let limit = Int.random(in: 1...10, using: &random)
            let joined = SceneSpan.joined(spans, lasting: .one, limit: limit)
            #expect(joined.count <= limit && !joined.isEmpty)
            #expect(joined.first?.start == .zero && joined.last?.end == start)
            #expect(zip(joined, joined.dropFirst()).allSatisfy { $0.end == $1.start })
            let whole = SceneSpan.joined(spans, lasting: .one)
            #expect(whole.count == 1 || whole.allSatisfy { $0.end.subtracting($0.start).map { $0 >= .one } == true })
            for span in joined + whole { #expect(spans.contains { $0.start == span.core && $0.end == span.coreEnd }) }
        }
    }
}

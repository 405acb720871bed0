import ScrubBase
import Testing

/// Each face names options as it has them.
@Suite struct WordingTests {
    private static let terms: [Term] =
        [
            .help, .sameCall, .callAgain, .waitsForOtherRuns, .replacesFiles, .keepsNothing, .stream,
            .coverArt(stream: nil), .coverArt(stream: 2), .playlistFrames, .openAddress, .headers, .deniedHosts,
            .allowedHosts(nil), .allowedHosts("10.0.0.1"), .setFolder, .candidateCount, .jpegPictures,
            .convertsWithQuality, .freesCache, .reencoding, .previewSide(160), .previews, .verify,
            .numberedNames, .records, .y4m,
        ]
        + MediaLimits.Name.allCases.flatMap { [Term.raise($0, to: 2), .raise($0, to: nil), .limit($0)] }

    @Test(arguments: terms) func eachFaceHasItsOwnWords(_ term: Term) {
        let message: Wording = "first \(term: term), then \(3)"
        for face in Face.allCases {
            let text = message.text(for: face)
            #expect(text.hasPrefix("first ") && text.hasSuffix(", then 3") && text.count > 15)
            #expect(face == .command || !text.contains("--"), "\(text)")
            #expect(face == .library || !text.contains("MediaLimits.") && !text.contains("Options."), "\(text)")
        }
        #expect(message.description == message.text(for: .library))
    }

    @Test(arguments: [
        (Face.library, "raise MediaLimits.maximumPixelCount to 225000000"),
        (.command, "raise the limit with --limit pixels=225000000"),
        (.c, "raise pixel_limit to 225000000"),
        (.python, "raise the limit with limits={\"pixels\": 225000000}"),
    ])
    func aLimitSaysWhatWouldBeEnough(_ face: Face, _ words: String) {
        var limits = MediaLimits()
        limits.maximumPixelCount = 1
        let error = limits.refusal(.pixels, 225_000_000, "a picture")
        #expect(error.remedy(for: face) == "if you trust the file, \(words)")
        #expect(error.description(for: face).hasPrefix("a picture: 225000000 exceeds the pixels limit of 1 ("))
        #expect(error.fact == .limit(name: "pixels", allowed: 1, found: 225_000_000))
        #expect(error.code == .badData)
    }

    /// A message within a message keeps its terms, and so does an error.
    @Test func termsStayInLongerMessages() {
        let inner: Wording = "keep nothing (\(term: .keepsNothing))"
        let error = ScrubError(.unavailable, "no: \(inner)", file: "a.mp4", place: .byte(12), advice: "or \(inner)")
        let outer: Wording = "warning: \(error)"
        #expect(
            outer.text(for: .command)
                == "warning: a.mp4: byte 12: no: keep nothing (--no-cache) (or keep nothing (--no-cache))")
        #expect(error.cause == "no: keep nothing (VideoAsset.IndexCache.none)")
        #expect("\(error)" == error.description && error.description == error.description(for: .library))
        #expect(Wording.list(["a", "b", "c"]).description == "a, b, or c" && Wording.list(["a"]).description == "a")
        #expect(Wording("a b") == "a b" && Wording("a b") == "a \("b")" && Wording("a") != "b")
    }

    @Test(arguments: [
        (ScrubError.Place.byte(4711), "byte 4711"), (.line(3), "line 3"), (.frame(0), "frame 0"),
        (.codedPicture(7), "coded picture 7"), (.box("moov/trak"), "moov/trak"), ("a name", "a name"),
    ])
    func placesAreNamed(_ place: ScrubError.Place, _ text: String) {
        let error = ScrubError(.badData, "is wrong", file: "f", place: place)
        #expect(place.description == text && error.sentence == "f: \(text): is wrong")
    }

    /// A remedy that is known for a code, or for a refusal by the system, has terms as well.
    @Test func generalRemediesAreEachFacesOwn() {
        let error = ScrubError(.usage, "is not known")
        #expect(error.remedy(for: .command) == "change the request; see scrub help for the valid requests")
        #expect(!error.remedy.contains("scrub help") && error.remedy(for: .python).contains("help(scrub.open)"))
    }
}

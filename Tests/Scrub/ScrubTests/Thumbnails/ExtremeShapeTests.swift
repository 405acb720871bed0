import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// Pictures as high or as wide as no film is: without a given size there is a picture all the same.
@Suite struct ExtremeShapeTests {
    @Test(arguments: ["16x4000", "4000x16", "2x8000", "12000x2", "4x20000"])
    func eachVerbMakesAPicture(_ size: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "film.mkv")
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=\(size):r=10:d=1", "-c:v", "ffv1", "-g",
                "1", "-pix_fmt", "yuv444p", path,
            ])
        try #require(made.status == 0, "\(made.errors)")
        for words in [
            ["poster", path, "-o", folder.path(of: "p.png")], ["poster", path, "-o", folder.path(of: "p.jpg")],
            ["poster", path, "-o", folder.path(of: "posters/"), "--explain", "--count", "2"],
            ["sheet", path, "-o", folder.path(of: "s.jpg")], ["sheet", path, "-o", folder.path(of: "s.svg")],
            ["strip", path, "--count", "5", "-o", folder.path(of: "strip")],
            ["strip", path, "--scenes", "-o", folder.path(of: "scenes")],
            ["thumbs", path, "--every", "0.2", "--profile", "all", "-o", folder.path(of: "sets")],
        ] {
            let result = try Tool.run(CommandTests.program, words + ["--no-cache"])
            #expect(result.status == 0, "\(words): \(result.output)\(result.errors)")
        }
        let proof = try Tool.run(
            CommandTests.program, ["verify-set", folder.path(of: "sets"), "--against", path])
        #expect(proof.status == 0, "\(proof.output)\(proof.errors)")
        #expect(proof.output.split(separator: "\n").last?.hasSuffix("no problems") == true, "\(proof.output)")
    }

    /// A width that was given is kept or refused by its name.
    @Test func givenWidthsAreKept() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "film.mkv")
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=16x4000:r=10:d=1", "-c:v", "ffv1", "-g",
                "1", path,
            ])
        try #require(made.status == 0, "\(made.errors)")
        let refused = try Tool.run(
            CommandTests.program, ["poster", path, "--no-cache", "--width", "320", "-o", folder.path(of: "p.png")])
        #expect(refused.status == 64 && refused.errors.contains("320 pixels wide"), "\(refused.errors)")
        let kept = try Tool.run(
            CommandTests.program, ["poster", path, "--no-cache", "--width", "32", "-o", folder.path(of: "p.png")])
        #expect(kept.status == 0, "\(kept.errors)")
    }

    /// A film that takes more memory than a gesture may is refused with the amount; an animated WebP is called one.
    @Test func impossibleShapesAreReported() throws {
        let folder = try TemporaryFolder()
        for (name, arguments) in [
            ("large.mp4", ["testsrc2=s=3840x2160:r=5:d=1", "-c:v", "libx264", "-preset", "ultrafast"]),
            ("moving.webp", ["testsrc2=s=64x64:r=5:d=1", "-c:v", "libwebp_anim"]),
        ] {
            let made = try Tool.run(
                "ffmpeg", ["-v", "error", "-nostdin", "-f", "lavfi", "-i"] + arguments + [folder.path(of: name)])
            try #require(made.status == 0, "\(made.errors)")
        }
        func gesture(_ budget: Int) throws -> Tool.Result {
            try Tool.run(
                CommandTests.program,
                [
                    "gesture", folder.path(of: "large.mp4"), "--no-cache", "--made", "jump", "--seconds", "0.1",
                    "--threads", "8", "--budget", "\(budget)",
                ])
        }
        let refused = try gesture(16)
        let words = try #require(
            refused.errors.firstMatch(of: /(\d+) MiB with reduced pictures.*use --budget (\d+)\)/), "\(refused.errors)")
        let (reduced, least) = (try #require(Int(words.1)), try #require(Int(words.2)))
        #expect(refused.status == 69 && reduced < least)
        // On fewer threads than were asked for.
        let fitting = try gesture(least)
        #expect(fitting.status == 0 && fitting.errors.contains("on one thread"), "\(fitting.errors)")
        // Less shows reduced pictures, as long as these fit.
        for budget in [least - 1, reduced] {
            let small = try gesture(budget)
            #expect(small.status == 0 && small.errors.contains("showing reduced pictures"), "\(small.errors)")
        }
        #expect(try gesture(reduced - 1).status == 69)
        let moving = try Tool.run(CommandTests.program, ["info", folder.path(of: "moving.webp"), "--no-cache"])
        #expect(moving.status == 69 && moving.errors.contains("animated WebP"), "\(moving.errors)")
    }
}

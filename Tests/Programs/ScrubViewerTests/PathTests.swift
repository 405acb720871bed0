#if Viewer
import Foundation
import ScrubBase
import ScrubTestSupport
import Testing
import ScrubViewerLogic

@testable import ScrubViewer

/// No name in a request leads to a file that was not named at the start.
@Suite(.timeLimit(.minutes(20))) struct PathTests {
    @Test func pathsLeadNowhere() async throws {
        try await withViewer { viewer in
            let id = try await viewer.id()
            let paths = [
                "/../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
                "/./index.html/..",
                "/index.html%00", "/%00", "/index.html/", "/Package.swift", "/.git/config", "/api", "/api/",
                "/api/media/..",
                "/api/media/../../etc/passwd", "/api/media/%2e%2e", "/api/media/\(id)%2f..",
                "/api/media/\(id)/../../..",
                "/api/media/\(id)/sheet/..%2f0.webp", "/api/media/\(id)/sheet/-1.webp",
                "/api/media/\(id)/sheet/0.webp/x",
                "/api/media/\(id)/sheet/99999999999999999999.webp?v=1", "/api/media/\(id)/sheet/7.webp?v=1",
                "/api/media/\(id)/nothing", "/api/media/\(id)x", "/api/media/0",
                "/api/media/\(TestViewer.clips)demo.mp4",
                "/api/media/\(id)/frame/x", "/token/x/api/media",
            ]
            for path in paths {
                let answer = try await viewer.get(path)
                // Slashes at the end and doubled ones name nothing else than the page's own files.
                #expect(
                    answer.status == 404 || path == "/index.html/" && answer.status == 200, "\(path): \(answer.status)")
                #expect(!answer.text.contains("root:"), "\(path)")
            }
            #expect(try await viewer.object("status")["decodesBegun"] as? Int == 0)
        }
    }

    @Test func ofAFolderOnlyItsOwnFilesAreShown() async throws {
        let (folder, outside) = (try TemporaryFolder(), try TemporaryFolder())
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder.path(of: "inner"), withIntermediateDirectories: false)
        for name in ["a.mp4", "inner/b.MP4", ".hidden.mp4", "notes.txt"] {
            try manager.copyItem(atPath: TestViewer.clips + "h264-bf3.mp4", toPath: folder.path(of: name))
        }
        let secret = outside.path(of: "secret.mp4")
        try manager.copyItem(atPath: TestViewer.clips + "demo.mp4", toPath: secret)
        try manager.createSymbolicLink(atPath: folder.path(of: "link.mp4"), withDestinationPath: secret)
        try manager.createSymbolicLink(atPath: folder.path(of: "linked"), withDestinationPath: outside.path)
        try await withViewer([folder.path]) {
            // Nothing is open until it is asked for, so that a link can be put in a file's place.
            $0.limits.openMedia = 1
        } _: { viewer in
            let media = try await viewer.media()
            #expect(media.map { $0["name"] as? String } == ["a.mp4", "inner/b.MP4"])
            #expect(media.allSatisfy { $0["state"] as? String == "ready" })
            let first = try #require(media.first?["id"] as? String)
            let second = try #require(media.last?["id"] as? String)
            #expect(try await viewer.get("/api/media/\(second)/frame?at=f0").status == 200)
            try manager.removeItem(atPath: folder.path(of: "a.mp4"))
            try manager.createSymbolicLink(atPath: folder.path(of: "a.mp4"), withDestinationPath: secret)
            let answer = try await viewer.get("/api/media/\(first)/frame?at=f0")
            #expect(answer.status == 422 || answer.status == 404, "\(answer.status)")
            #expect(!answer.text.contains(outside.path) && !answer.text.contains(folder.path), "\(answer.text)")
            // A folder between does not lead out either.
            try manager.removeItem(atPath: folder.path(of: "inner"))
            try manager.createSymbolicLink(atPath: folder.path(of: "inner"), withDestinationPath: outside.path)
            try manager.copyItem(atPath: secret, toPath: outside.path(of: "b.MP4"))
            #expect(try await viewer.get("/api/media/\(first)").status != 200)
        }
        let empty = try TemporaryFolder()
        #expect(throws: ScrubError.self) { try ViewerServer(ViewerConfiguration(names: [empty.path])) }
    }

    @Test func thePagesFolderIsNotLeft() async throws {
        let (folder, outside) = (try TemporaryFolder(), try TemporaryFolder())
        try folder.write("<p>".utf8, to: "index.html")
        try folder.write("body".utf8, to: "style.css")
        try outside.write("secret".utf8, to: "secret.css")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(of: "link.css"), withDestinationPath: outside.path(of: "secret.css"))
        try await withViewer(["demo.mp4"]) {
            $0.pageFolder = folder.path
        } _: { viewer in
            let page = try await viewer.get("/")
            #expect(page.text == "<p>" && page["content-type"] == "text/html; charset=utf-8")
            let tag = try #require(page["etag"])
            #expect(try await viewer.get("/", ["If-None-Match: \(tag)"]).status == 304)
            #expect(try await viewer.get("/style.css")["content-type"] == "text/css; charset=utf-8")
            for name in ["link.css", "nothing.css", "../secret.css", "style.css~", "STYLE.CSS", "style.exe"] {
                #expect(try await viewer.get("/" + name).status == 404, "\(name)")
            }
        }
    }

    /// Whatever lies in the page's folder is in the program, and the other way round.
    @Test func everyFileOfThePageIsServed() async throws {
        let folder = Repository.root + "/Sources/Programs/ScrubViewer/Page"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        // And the element for people's own pages, which lies where the thumbnail sets have it from.
        #expect(PageFiles.table.keys.sorted() == (names + ["scrub-strip.js"]).sorted())
        let page = try PageFiles(folder: nil)
        for name in names {
            #expect(
                page.file(name)?.bytes == FileManager.default.contents(atPath: folder + "/" + name).map { [UInt8]($0) },
                "\(name)")
        }
    }

    @Test func targetsAreTakenApart() {
        let target = RequestTarget("/api//media/a%2fb/?at=42%&w=%31%32&x=a=b&&y#z")
        #expect(target?.parts == ["api", "media", "a%2fb"])
        #expect(target?["at"] == "42%" && target?["w"] == "12" && target?["x"] == "a=b" && target?["y"] == "")
        #expect(target?["z"] == nil)
        for text in ["", "x", "*", "http://a/", String(repeating: "/", count: 5000)] {
            #expect(RequestTarget(text) == nil, "\(text.prefix(20))")
        }
    }

    @Test func missingFilesAreInTheList() async throws {
        try await withViewer(["demo.mp4", "/nowhere/film.mp4", TestViewer.clips + "../manifest.json"]) { viewer in
            let media = try await viewer.media()
            #expect(media.map { $0["state"] as? String } == ["ready", "failed", "failed"])
            let error = try #require(media[1]["error"] as? String)
            #expect(error.contains("film.mp4") && !error.contains("/nowhere"), "\(error)")
            let missing = try await viewer.id(1)
            let answer = try await viewer.get("/api/media/\(missing)")
            #expect(answer.status == 404 && answer.text.contains("\"error\":"))
        }
    }
}
#endif

import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Every format of a set that lies: a wrong offset, an exchanged picture, a cut file, a wrong time. Each must be blamed
/// on the file that was changed, by its own name.
@Suite struct SetDamageTests {
    struct Lie: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var profile: ThumbnailSets.Profile
        var file: String
        /// A file that is blamed in place of the changed one.
        var blamed: String?
        /// The expected reason.
        var reason: String
        var change: @Sendable (Data) throws -> Data

        init(
            _ name: String, _ profile: ThumbnailSets.Profile, _ file: String, blamed: String? = nil, _ reason: String,
            _ change: @escaping @Sendable (Data) throws -> Data
        ) {
            (testDescription, self.profile, self.file, self.blamed) = (name, profile, file, blamed)
            (self.reason, self.change) = (reason, change)
        }
    }

    private static func text(_ change: @escaping @Sendable (String) throws -> String) -> @Sendable (Data) throws -> Data
    {
        { data in
            let text = String(decoding: data, as: UTF8.self)
            let changed = try change(text)
            #expect(changed != text, "the lie has to change something")
            return Data(changed.utf8)
        }
    }

    /// Exchanges the first two matches of a pattern.
    private static func exchange(_ pattern: String) -> @Sendable (Data) throws -> Data {
        text { text in
            let found = try text.ranges(of: Regex(pattern))
            try #require(found.count > 1)
            let (first, second) = (found[0], found[1])
            var changed = String(text[..<first.lowerBound])
            changed += text[second]
            changed += text[first.upperBound..<second.lowerBound]
            changed += text[first]
            changed += text[second.upperBound...]
            return changed
        }
    }

    private static func replace(_ old: String, _ new: String) -> @Sendable (Data) throws -> Data {
        text { $0.replacing(old, with: new, maxReplacements: 1) }
    }

    static let cut: @Sendable (Data) throws -> Data = { $0.prefix($0.count * 2 / 3) }

    typealias Change = @Sendable (Data) throws -> Data

    /// Adds to the byte at a place.
    private static func raise(_ place: Int, by count: UInt8) -> Change {
        { data in
            var data = data
            data[place] &+= count
            return data
        }
    }

    /// Spoils bytes behind the second box or chunk of a name.
    private static func spoil(_ name: String, _ bytes: Range<Int>) -> Change {
        { data in
            let found = try #require(data.ranges(of: Data(name.utf8)).dropFirst().first)
            var data = data
            for i in bytes { data[found.upperBound + i] ^= 0x55 }
            return data
        }
    }

    private static func pattern(_ old: String, _ new: String) -> Change {
        text { try $0.replacing(Regex(old), with: new) }
    }

    private static let secondRangeMoved: Change = text { text in
        let range = try #require(text.matches(of: #/#EXT-X-BYTERANGE:\d+@(\d+)/#).dropFirst().first)
        return text.replacing("@\(range.1)\n", with: "@\((Int(range.1) ?? 0) + 1)\n")
    }

    /// The second key picture a little later than it is.
    private static let laterTime: Change = text { text in
        let time = try #require(text.matches(of: #/<S t="(\d+)" d="(\d+)"/#).dropFirst().first)
        let (start, length) = (Int(time.1) ?? 0, Int(time.2) ?? 0)
        return text.replacing(time.0, with: "<S t=\"\(start + length / 2)\" d=\"\(length / 2)\"")
    }

    /// A sample entry that is one pixel narrower than its samples.
    private static let anotherSize: Change = { data in
        var data = data
        let entry = try #require(data.firstRange(of: Data("mjpg".utf8)))
        data[entry.upperBound + 25] -= 1
        return data
    }

    /// The second picture's bytes in the place of the last one's, cut off or filled up to its length.
    private static let exchangedPictures: Change = { data in
        let boxes = data.ranges(of: Data("mdat".utf8)).map(\.upperBound)
        try #require(boxes.count > 2)
        func sample(_ place: Int) -> Range<Int> {
            let size = data[place - 8..<place - 4].reduce(0) { $0 << 8 | Int($1) }
            return place..<place + size - 8
        }
        let (one, last) = (data[sample(boxes[1])], sample(boxes[boxes.count - 1]))
        var picture = Data(one.dropLast(2).prefix(last.count - 2))
        // Bytes before a marker that fill it up (ITU-T T.81, B.1.1.2).
        picture += Data(repeating: 0xFF, count: last.count - picture.count - 2) + [0xFF, 0xD9]
        var changed = data
        changed.replaceSubrange(last, with: picture)
        return changed
    }

    static let lies: [Lie] = {
        var lies: [Lie] = []
        func lie(
            _ name: String, _ profile: ThumbnailSets.Profile, _ file: String, _ reason: String, blamed: String? = nil,
            _ change: @escaping Change
        ) { lies.append(Lie(name, profile, file, blamed: blamed, reason, change)) }
        let (jpegs, jpegFile, track) = ("thumbnails.m3u8", "thumbnails.mp4", "hls/thumbnails.m3u8")
        let (iframes, page, sheets) = ("hls/iframes.m3u8", "web/manifest.json", "web/thumbnails.vtt")
        lie("manifest, exchanged pictures", .web, "manifest.json", "claims frame", exchange("\"x\":[0-9]+"))
        lie(
            "manifest, a wrong time", .web, "manifest.json", "on screen from",
            replace("\"seconds\":2,", "\"seconds\":2.1,"))
        lie(
            "manifest, not that frame", .web, "manifest.json", "is the exact frame",
            replace("\"requested\":2,", "\"requested\":2.5,"))
        lie(
            "manifest, another film", .web, "manifest.json", "is for a film",
            replace("\"frameCount\":210", "\"frameCount\":211"))
        lie("WebVTT, wrong times", .web, "thumbnails.vtt", page, pattern("00:00:02.000", "00:00:02.400"))
        lie(
            "WebVTT, wrong end of the film", .web, "thumbnails.vtt", page,
            pattern("film end 00:00:[0-9.]+", "film end 00:00:01.234"))
        lie("WebVTT, exchanged pictures", .web, "thumbnails.vtt", page, exchange("xywh=[0-9,]+"))
        let (images, board) = ("thumbnails.json", "storyboard.json")
        lie("images, exchanged pictures", .web, images, page, exchange("\"coords\":[^}]+\\}"))
        lie("images, a wrong time", .web, images, page, text { $0.replacing("Time\":2.000,", with: "Time\":2.4,") })
        lie("images, a gap", .web, images, "the previous one ends", replace("startTime\":2.000,", "startTime\":2.4,"))
        lie(
            "images, a wrong end", .web, images, "ends at 7.5 s, but at",
            replace("endTime\":8.000,", "endTime\":7.5,"))
        lie("images, a late end", .web, images, "ends at 8.5 s, but at", replace("\":8.000,", "\":8.5,"))
        lie("images, a missing sheet", .web, images, "no picture on the sheet", replace("sheet-000", "sheet-009"))
        lie("images, cut", .web, images, "byte", cut)
        lie("storyboard, exchanged pictures", .web, board, page, exchange("\"x\":[0-9]+"))
        lie("storyboard, a wrong time", .web, board, page, replace("\"start\":2.000,", "\"start\":2.4,"))
        lie("storyboard, a wrong end", .web, board, "ends at 7.5 s, but at", replace("ion\":7,", "ion\":7.5,"))
        lie("storyboard, a late first tile", .web, board, "tile 0 is shown", replace("\"start\":0,", "\"start\":0.5,"))
        lie("storyboard, a missing sheet", .web, board, "no picture on the sheet", replace("sheet-000", "sheet-009"))
        lie("storyboard, cut", .web, board, "byte", cut)
        lie("page, a wrong time", .web, "index.html", page, replace("data-start=\"2.000\"", "data-start=\"2.5\""))
        lie("page, another frame", .web, "index.html", "claims frame", replace("frame 60,", "frame 62,"))
        lie("preview, cut", .web, "preview.webp", "", cut)
        lie("sheet, cut", .web, "sheet-000.jpg", "differs", blamed: sheets, cut)
        lie("BIF, a wrong offset", .plex, "index-sd.bif", "", raise(64 + 8 * 3 + 4, by: 1))
        lie("BIF, a wrong interval", .plex, "index-sd.bif", "in its manifest", raise(16, by: 8))
        lie("BIF, cut", .plex, "index-sd.bif", "", cut)
        lie(
            "HLS images, a wrong duration", .hls, "images.m3u8", "hls/manifest.json",
            pattern("DURATION=1\\.000", "DURATION=1.100"))
        lie(
            "HLS master, too little bandwidth", .hls, "master.m3u8", "declares",
            pattern("BANDWIDTH=[0-9]+", "BANDWIDTH=100"))
        lie("I-frames, a wrong offset", .hls, "iframes.m3u8", "is not a fragment", secondRangeMoved)
        lie(
            "I-frames, exchanged ranges", .hls, "iframes.m3u8", "its fragment's time is",
            exchange("#EXT-X-BYTERANGE:[0-9@]+"))
        lie(
            "I-frames, a wrong time", .hls, "iframes.m3u8", "its fragment's time is",
            replace("#EXTINF:3.000", "#EXTINF:2.900"))
        lie("key pictures, cut", .hls, "keyframes.mp4", "is past the end", blamed: iframes, cut)
        lie(
            "key pictures, another time", .hls, "keyframes.mp4", "fragment's time is", blamed: iframes,
            spoil("tfdt", 11..<12))
        lie(
            "key pictures, another picture", .hls, "keyframes.mp4", "is not frame", blamed: iframes,
            spoil("mdat", 2000..<2200))
        lie(
            "HLS master, too little on average", .hls, "master.m3u8", "on average",
            pattern("AVERAGE-BANDWIDTH=[0-9]+", "AVERAGE-BANDWIDTH=100"))
        lie("JPEG I-frames, a wrong offset", .hls, jpegs, "is not a fragment", secondRangeMoved)
        lie(
            "JPEG I-frames, exchanged ranges", .hls, jpegs, "its fragment's time is",
            exchange("#EXT-X-BYTERANGE:[0-9@]+"))
        lie(
            "JPEG I-frames, a wrong time", .hls, jpegs, "its fragment's time is",
            replace("#EXTINF:1.000", "#EXTINF:0.900"))
        lie(
            "JPEG I-frames, one too few", .hls, jpegs, "but hls/manifest.json has 7 thumbnails that are not repeats",
            pattern("#EXTINF:[0-9.]+,\n[^\n]+\n[^\n]+\n#EXT-X-ENDLIST", "#EXT-X-ENDLIST"))
        lie("JPEG pictures, cut", .hls, jpegFile, "is past the end", blamed: track, cut)
        lie("JPEG pictures, another time", .hls, jpegFile, "fragment's time is", blamed: track, spoil("tfdt", 11..<12))
        lie("JPEG pictures, no JPEG", .hls, jpegFile, "is not a complete JPEG", blamed: track, spoil("mdat", 0..<1))
        lie("JPEG pictures, another size", .hls, jpegFile, "but its file declares", blamed: track, anotherSize)
        lie("JPEG pictures, exchanged", .hls, jpegFile, "claims frame", blamed: track, exchangedPictures)
        lie("DASH key pictures, a wrong time", .dash, "manifest.mpd", "its fragment's time is", laterTime)
        lie(
            "DASH key pictures, exchanged ranges", .dash, "manifest.mpd", "its fragment's time is",
            exchange("mediaRange=\"[0-9-]+\""))
        lie("DASH key pictures, cut", .dash, "keyframes.mp4", "is past the end", blamed: "dash/manifest.mpd", cut)
        lie(
            "DASH, a wrong duration", .dash, "manifest.mpd", "dash/manifest.json",
            pattern("duration=\"25\"", "duration=\"26\""))
        lie("contact sheet, exchanged pictures", .contact, "contact.svg", "claims frame", exchange("base64,[^\"]+"))
        lie(
            "contact sheet, a wrong time", .contact, "contact.svg", "on screen from",
            replace(">0:02.000<", ">0:02.300<"))
        lie("contact sheet, cut", .contact, "contact.svg", "is not a complete JPEG", cut)
        lie(
            "Jellyfin, a cut sheet", .jellyfin, "demo.trickplay/320 - 10x10/0.jpg", "is cut off",
            blamed: "jellyfin/manifest.json", cut)
        lie(
            "file manager, another file", .freedesktop, "normal/", "has a different name",
            replacedText("demo.mp4", "dem0.mp4"))
        lie(
            "file manager, changed since", .freedesktop, "normal/", "is for a file modified at",
            replacedText("Thumb::MTime\u{0}1", "Thumb::MTime\u{0}2"))
        lie("file manager, damaged", .freedesktop, "normal/", "is damaged") { data in
            var data = data
            data[data.count - 100] ^= 1
            return data
        }
        lie("file manager, cut", .freedesktop, "large/", "is cut", cut)
        return lies
    }()

    /// Changes a PNG file's text and makes its checksum good again.
    private static func replacedText(_ old: String, _ new: String) -> @Sendable (Data) throws -> Data {
        { data in
            var data = data
            let place = try #require(data.firstRange(of: Data(old.utf8)))
            data.replaceSubrange(place, with: Data(new.utf8))
            // The chunk around it: its length stands four bytes before its type.
            let type = try #require(data[..<place.lowerBound].ranges(of: Data("tEXt".utf8)).last)
            let length = data[type.lowerBound - 4..<type.lowerBound].reduce(0) { $0 << 8 | Int($1) }
            let end = type.upperBound + length
            var sum = UInt32.max
            for byte in data[type.lowerBound..<end] {
                sum ^= UInt32(byte)
                for _ in 0..<8 { sum = sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
            }
            for i in 0..<4 { data[end + i] = UInt8(truncatingIfNeeded: ~sum >> (24 - 8 * UInt32(i))) }
            return data
        }
    }

    /// A film with all its sets, made once.
    private static let made = Result { () throws -> (film: String, asset: VideoAsset, scratch: TemporaryFolder) in
        let scratch = try TemporaryFolder()
        // Of a time that begins with 1, whenever the clip was made.
        let film = scratch.path + "/demo.mp4"
        try FileManager.default.copyItem(atPath: Clip.folder + "/clips/demo.mp4", toPath: film)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_234_567_890)], ofItemAtPath: film)
        let asset = try VideoAsset(path: film, options: VideoAsset.OpenOptions(cache: .none))
        var options = ThumbnailSets.Options(ThumbnailSets.Profile.allCases)
        options.request = ThumbnailPlan.Request(.every(Rational(1)))
        // There is a storyboard with an absolute URL only.
        options.baseURL = "https://a.example/t"
        _ = try asset.writeThumbnailSets(into: scratch.path + "/out", options: options)
        let found = try asset.verifyThumbnailSets(in: scratch.path + "/out")
        try #require(found.isSound, "\(found.problems)")
        return (film, asset, scratch)
    }

    @Test(arguments: lies)
    func liesAreFound(_ lie: Lie) throws {
        let (_, asset, sets) = try Self.made.get()
        let scratch = try TemporaryFolder()
        let profile = lie.profile.rawValue
        let copied = try Tool.run("cp", ["-a", sets.path + "/out/" + profile, scratch.path])
        try #require(copied.status == 0, "\(copied.errors)")
        let file = try #require(scratch.files.first { $0.hasPrefix("\(profile)/\(lie.file)") && $0.contains(".") })
        // In its place, with the mode that it has.
        let handle = try FileHandle(forUpdating: URL(filePath: scratch.path + "/" + file))
        let changed = try lie.change(scratch.bytes(file))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: changed)
        try handle.close()
        let found = try asset.verifyThumbnailSets(in: scratch.path, sample: 3)
        let blamed = lie.blamed ?? (lie.profile == .freedesktop ? "freedesktop" : "\(profile)/\(lie.file)")
        #expect(!found.isSound)
        #expect(
            found.problems.contains { $0.file == blamed && (lie.reason.isEmpty || $0.reason.contains(lie.reason)) },
            "\(found.problems)")
    }

    /// Jellyfin's folder alone: the interval is told, or deduced; a wrong one is found.
    @Test func jellyfinAloneIsProven() throws {
        let clip = try KnownClip("vfr.mp4")
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailSets.Options([.jellyfin])
        options.request = ThumbnailPlan.Request(.every(Rational(2)))
        _ = try clip.asset.writeThumbnailSets(into: scratch.path, options: options)
        try FileManager.default.removeItem(atPath: scratch.path + "/jellyfin/manifest.json")
        let deduced = try clip.asset.verifyThumbnailSets(in: scratch.path)
        #expect(deduced.isSound && deduced.sets.map(\.format) == ["jellyfin"], "\(deduced.problems)")
        #expect(deduced.sets.first?.note?.contains("interval 2 s, deduced") == true)
        let told = try clip.asset.verifyThumbnailSets(in: scratch.path, jellyfinInterval: Rational(2))
        #expect(told.isSound && told.sets.first?.note?.contains("as specified") == true)
        for wrong in [Rational(1), Rational(3)] {
            #expect(try !clip.asset.verifyThumbnailSets(in: scratch.path, jellyfinInterval: wrong).isSound, "\(wrong)")
        }
        try FileManager.default.moveItem(
            atPath: scratch.path + "/jellyfin/vfr.trickplay/320 - 10x10/0.jpg",
            toPath: scratch.path + "/jellyfin/vfr.trickplay/320 - 10x10/1.jpg")
        #expect(try !clip.asset.verifyThumbnailSets(in: scratch.path).isSound)
    }

    /// Posters are the frames of their names, and so are the pictures that they were weighed against.
    @Test func postersAreProven() throws {
        let scratch = try TemporaryFolder()
        let film = Clip.folder + "/clips/demo.mp4"
        let made = try Tool.run(
            CommandTests.program,
            ["poster", film, "--no-cache", "--count", "3", "--explain", "--output", scratch.path + "/posters/"])
        #expect(made.status == 0, "\(made.errors)")
        let asset = try VideoAsset(path: film, options: VideoAsset.OpenOptions(cache: .none))
        let good = try asset.verifyThumbnailSets(in: scratch.path)
        #expect(good.isSound && Set(good.sets.map(\.format)) == ["posters", "contact"], "\(good.problems)")
        let posters = scratch.files.filter { $0.contains("-frame-") }
        try #require(posters.count > 1)
        try FileManager.default.removeItem(atPath: scratch.path + "/" + posters[0])
        try FileManager.default.copyItem(
            atPath: scratch.path + "/" + posters[1], toPath: scratch.path + "/" + posters[0])
        let bad = try asset.verifyThumbnailSets(in: scratch.path)
        #expect(bad.problems.map(\.file) == ["posters"], "\(bad.problems)")
    }
}

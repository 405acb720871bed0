import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubStoryboards

@Suite struct DASHKeyPictureTests {
    private func made() throws -> Storyboard.DASHKeyPictures {
        try Storyboard.DASHKeyPictures(
            path: "key pictures.mp4", codecs: "avc1.64001f", width: 640, height: 360, maxPlayoutRate: 24,
            timescale: 12_800, initialization: 0..<700,
            segments: [
                .init(time: 0, duration: 20_480, byteRange: 700..<2099),
                .init(time: 20_480, duration: 10_240, byteRange: 2099..<3145),
            ])
    }

    @Test func readsBack() throws {
        let set = try made()
        let text = Storyboard.DASHTiles.presentation([], keyPictures: set)
        #expect(try Storyboard.DASHKeyPictures.sets(parsing: text) == [set])
        #expect(try Storyboard.DASHTiles.sets(parsing: text).isEmpty)
        #expect(set.bandwidth == 10_460)
        // Numbers of bytes are inclusive (ISO/IEC 23009-1, Annex E): the first after the last.
        #expect(text.contains("range=\"0-699\"") && text.contains("mediaRange=\"700-2098\""))
        #expect(text.contains("media=\"key%20pictures.mp4\"") && text.contains("isoff-main"))
        // The same times as repeats.
        let short = text.replacing("<S t=\"0\" d=\"20480\"/>", with: "<S d=\"10240\"/>").replacing(
            "<S t=\"20480\" d=\"10240\"/>", with: "<S t=\"10240\" d=\"10240\" r=\"0\"/>")
        #expect(try Storyboard.DASHKeyPictures.sets(parsing: short).first?.segments.map(\.time) == [0, 10_240])
    }

    @Test func refusesDamagedPresentations() throws {
        let text = Storyboard.DASHTiles.presentation([], keyPictures: try made())
        for (old, new) in [
            ("700-2098", "2098-700"), ("mediaRange=\"700-2098\"", ""), ("range=\"0-699\"", ""),
            ("<S t=\"0\" d=\"20480\"/>", ""), ("d=\"20480\"", "d=\"0\""), ("d=\"20480\"", "d=\"9223372036854775807\""),
            ("t=\"20480\"", "t=\"20479\""), ("codecs=\"avc1.64001f\"", ""), ("timescale=\"12800\"", "timescale=\"0\""),
            ("d=\"20480\"", "d=\"1\" r=\"99999999\""),
            ("media=\"key%20pictures.mp4\" mediaRange=\"2", "media=\"other.mp4\" mediaRange=\"2"),
        ] {
            let damaged = text.replacing(old, with: new)
            #expect(damaged != text)
            #expect(throws: ScrubError.self, "\(new)") { try Storyboard.DASHKeyPictures.sets(parsing: damaged) }
        }
        #expect(throws: ScrubError.self) {
            try Storyboard.DASHKeyPictures(
                path: "k.mp4", codecs: "", width: 1, height: 1, maxPlayoutRate: 1, timescale: 1, initialization: 0..<1,
                segments: [])
        }
    }

    /// Bytes replaced, removed and doubled: an error or a set, never a trap.
    @Test func damageIsAnError() throws {
        let bytes = Array(Storyboard.DASHTiles.presentation([], keyPictures: try made()).utf8)
        var random = SplitMix(11)
        let spice = Array("0123456789-\"<>/=&{} eE".utf8) + [0, 0x80, 0xFF]
        var (errors, sets) = (0, 0)
        for _ in 0..<3000 {
            var broken = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: broken.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: broken.remove(at: place)
                case 1: broken.insert(contentsOf: [UInt8](repeating: broken[place], count: 20), at: place)
                default: broken[place] = try #require(spice.randomElement(using: &random))
                }
            }
            do {
                sets += try Storyboard.DASHKeyPictures.sets(parsing: String(decoding: broken, as: UTF8.self)).count
            } catch {
                #expect(error.code == .badData)
                errors += 1
            }
        }
        #expect(errors > 100 && sets > 100)
    }
}

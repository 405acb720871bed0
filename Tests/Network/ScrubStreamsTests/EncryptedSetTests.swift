import Foundation
import ScrubBase
import ScrubStreams
import ScrubTestSupport
import Testing

/// Segments with AES-128, and those that are not decrypted.
struct EncryptedSetTests {
    static let key: [UInt8] = (0..<16).map { $0 &* 37 &+ 5 }

    /// A set that ffmpeg encrypted, with a vector of its own or without one.
    static func set(vector: String?, _ options: [String] = []) throws -> StreamSet {
        let folder = try TemporaryFolder()
        let hashes = try StreamSet.film("film.mp4", in: folder)
        try folder.write(key, to: "film.key")
        let info = ["film.key", folder.path(of: "film.key")] + (vector.map { [$0] } ?? [])
        try folder.write((info.joined(separator: "\n") + "\n").utf8, to: "key.info")
        try FFmpeg.run(
            [
                "-i", "film.mp4", "-c", "copy", "-f", "hls", "-hls_time", "2", "-hls_list_size", "0",
                "-hls_key_info_file",
                "key.info",
            ] + options + ["index.m3u8"], in: folder.path)
        return StreamSet(folder: folder, hashes: hashes)
    }

    /// Changes the playlist's text.
    static func edit(_ set: StreamSet, _ change: (String) -> String) throws {
        try set.folder.write(change(try set.folder.text("index.m3u8")).utf8, to: "index.m3u8")
    }

    @Test func withVector() throws {
        let set = try EncryptedSetTests.set(vector: "0123456789abcdef0123456789abcdef")
        #expect(try set.folder.text("index.m3u8").contains("IV=0x0123456789abcdef"))
        print("AES with IV:", try set.check(seed: 21))
    }

    /// Without an IV it is the media sequence number, here one above 255.
    @Test func withoutVector() throws {
        let set = try EncryptedSetTests.set(vector: nil, ["-start_number", "258"])
        try EncryptedSetTests.edit(set) { text in
            text.split(separator: "\n").map { $0.replacing(/,IV=0x[0-9a-fA-F]+/, with: "") }.joined(separator: "\n")
        }
        let text = try set.folder.text("index.m3u8")
        #expect(text.contains("METHOD=AES-128") && !text.contains("IV="))
        print("AES without IV:", try set.check(seed: 22))
    }

    @Test func byteRanges() throws {
        let set = try EncryptedSetTests.set(
            vector: "00000000000000000000000000000007", ["-hls_flags", "single_file"])
        print("AES, one file:", try set.check(seed: 23))
    }

    /// Movie fragments, their initialization section encrypted too: ffmpeg writes none, so each file is encrypted here.
    @Test func movieFragments() throws {
        let set = try StreamSet(["-hls_segment_type", "fmp4"])
        let key = EncryptedSetTests.key.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let vector = "000102030405060708090a0b0c0d0e0f"
        for name in set.folder.contents where name.hasSuffix(".m4s") || name == "init.mp4" {
            try FFmpeg.run(
                [
                    "-f", "data", "-i", name, "-map", "0", "-c", "copy", "-f", "data", "-encryption_key", key,
                    "-encryption_iv", vector, "crypto:\(name).enc",
                ], in: set.folder.path)
        }
        try set.folder.write(EncryptedSetTests.key, to: "film.key")
        try EncryptedSetTests.edit(set) { text in
            text.replacing("init.mp4", with: "init.mp4.enc").replacing(".m4s", with: ".m4s.enc")
                .replacing("#EXT-X-MAP", with: "#EXT-X-KEY:METHOD=AES-128,URI=\"film.key\",IV=0x\(vector)\n#EXT-X-MAP")
        }
        print("AES, fMP4:", try set.check(seed: 24))
        // Encrypted without a vector of its own, which an initialization section must have.
        try EncryptedSetTests.edit(set) { $0.replacing(",IV=0x\(vector)", with: "") }
        #expect(throws: ScrubError.self) { try EncryptedSetTests.first(set) }
    }

    static func first(_ set: StreamSet) throws -> HLSVideo.Frame {
        var reader = HLSVideo.Reader(try HLSVideo(path: set.path))
        return try reader.frame(at: .first)
    }

    @Test func wrongAndMissingKeys() throws {
        let set = try EncryptedSetTests.set(vector: "00000000000000000000000000000007")
        func error() -> ScrubError? {
            do {
                _ = try EncryptedSetTests.first(set)
                return nil
            } catch { return error as? ScrubError }
        }
        try set.folder.write([UInt8](repeating: 1, count: 16), to: "film.key")
        #expect(error()?.code == .badData)
        try set.folder.write([UInt8](repeating: 1, count: 15), to: "film.key")
        #expect(error()?.cause.contains("15 bytes") == true)
        try set.folder.write([UInt8](repeating: 1, count: 1000), to: "film.key")
        #expect(error()?.code == .badData)
        try FileManager.default.removeItem(atPath: set.folder.path(of: "film.key"))
        #expect(error()?.code == .noInput)
    }

    @Test(arguments: [
        "METHOD=SAMPLE-AES,URI=\"film.key\"", "METHOD=SAMPLE-AES-CTR,URI=\"film.key\"",
        "METHOD=AES-128,URI=\"skd://film\",KEYFORMAT=\"com.apple.streamingkeydelivery\"",
    ])
    func rightsManagement(_ key: String) throws {
        let set = try EncryptedSetTests.set(vector: "00000000000000000000000000000007")
        try EncryptedSetTests.edit(set) { text in
            text.split(separator: "\n").map { $0.hasPrefix("#EXT-X-KEY") ? "#EXT-X-KEY:" + key : String($0) }
                .joined(separator: "\n")
        }
        let video = try HLSVideo(path: set.path)
        #expect(video.isEncrypted)
        let error = #expect(throws: ScrubError.self) {
            var reader = HLSVideo.Reader(video)
            _ = try reader.frame(at: .seconds(3))
        }
        #expect(error?.code == .unavailable && error?.code.exitStatus == 69, "\(String(describing: error))")
    }
}

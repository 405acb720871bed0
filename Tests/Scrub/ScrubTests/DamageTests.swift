import Scrub
import ScrubTestClips
import Testing

/// Damage that a decoder hides: the verdict must not depend on the decoder's messages, or on earlier requests.
@Suite struct DamageTests {
    private func asset(_ file: String) throws -> (asset: VideoAsset, hashes: [String]) {
        let clip = try #require(Clip.all.first { $0.file == file })
        return (try clip.open(), try clip.expectedHashes())
    }

    /// Concealment is announced as information only, and the picture that it is in was not asked for.
    @Test func picturesThatDependOnConcealmentAreNotExact() throws {
        let (asset, _) = try asset("damaged-concealed.mp4")
        var reader = FrameReader(asset)
        let answer = try reader.frame(at: .frame(41))
        #expect(answer.verdict.name == "damaged")
        #expect(answer.verdict.reason?.contains("conceal") == true)
        #expect(try reader.frame(at: .frame(31)).verdict == .exact)
    }

    /// A decoder that met damage would spoil the sound key picture that it is given next.
    @Test func aSoundPictureIsTheSameAfterADamagedOne() throws {
        let (asset, hashes) = try asset("damaged-flush.mp4")
        var reader = FrameReader(asset)
        #expect(try reader.frame(at: .frame(3)).verdict.name == "damaged")
        let after = try reader.frame(at: .frame(30))
        #expect(after.verdict == .exact)
        #expect(try after.picture?.md5() == hashes[30])
    }
}

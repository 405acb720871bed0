import ScrubISOMedia
import ScrubBase
import Testing

/// Files that have very much of something small: their cost is counted.
struct CrowdedMovieTests {
    private func film() -> MovieBuilder { FragmentTests().film() }

    /// Of unneeded boxes only the headers are read, many at once.
    @Test(arguments: ["emsg", "uuid", "free", "skip", "sidx"] as [FourCC]) func smallBoxesAreReadTogether(
        _ type: FourCC
    ) throws {
        var film = film()
        let count = 10_000
        film.tail = [[UInt8]](repeating: box(type, zeros(16)), count: count).flatMap(\.self)
        let source = CountingSource(film.bytes)
        _ = try Movie(reading: source)
        // A segment index is read, and refused here.
        #expect(source.readCount < (type == "sidx" ? count + count / 50 : count / 50))
        #expect(source.bytesRead < 3 * film.bytes.count)
    }

    /// A fragment that comes again and again shows nothing new: its samples are not packets of the film.
    @Test func repeatedFragmentsAreLeftOut() throws {
        var film = film()
        let tests = FragmentTests()
        let run = fullBox("trun", be32(6))
        let moof = tests.moof(
            box("traf", fullBox("tfhd", flags: 0x2_0000, be32(1)), fullBox("tfdt", be32(0)), run))
        film.tail = moof + box("mdat", zeros(60)) + [[UInt8]](repeating: moof, count: 1000).flatMap(\.self)
        let table = try tests.table(film)
        #expect(table.count == 6006)
        var sequence = try EditMapping.sequence(of: table, edits: [], movieTimescale: 1000, mediaTimescale: 1000)
        sequence.leaveOutRepeatedEnd(of: table)
        #expect(sequence.count == 6 && sequence.pts.count == 6 && sequence.dts.count == 6)
        #expect(sequence.discarded == [Bool](repeating: false, count: 6))

        // The packets behind it go on from the decoder's state.
        let next = tests.moof(
            box("traf", fullBox("tfhd", flags: 0x2_0000, be32(1)), fullBox("tfdt", be32(6000)), run))
        film.tail += next
        let longer = try tests.table(film)
        sequence = try EditMapping.sequence(of: longer, edits: [], movieTimescale: 1000, mediaTimescale: 1000)
        sequence.leaveOutRepeatedEnd(of: longer)
        #expect(sequence.count == 6012)
    }
}

@testable import ScrubIndex
import ScrubFileIO
import Testing

@Suite struct TiedPicturesTests {
    /// Pictures that share a time are tied only within a section.
    @Test(
        arguments: [
            ([5, 5], [], true), ([5, 5], [1], false), ([5, 6], [], false), ([], [], false), ([5], [], false),
            ([5, 5, 5], [1], true), ([5, 5, 5], [2], true), ([5, 5, 5], [1, 2], false),
            ([4, 5, 5, 6], [1, 3], true), ([4, 5, 5, 6], [1, 2], false), ([4, 5, 5, 6], [3], true),
        ] as [([Int64], [Int], Bool)])
    func tiesEndWhereSectionsDo(times: [Int64], sectionStarts: [Int], expected: Bool) {
        let ties = SameTimePictures(in: times.indices.map { UInt32($0) }, times: times, sectionStarts: sectionStarts)
        #expect(ties.isEmpty == !expected)
    }

    /// Among very many sections, such as an edit list of single frames makes, each is found without a walk.
    ///
    /// A walk would take 125 billion steps; only that meets the limit.
    @Test(.timeLimit(.minutes(10))) func manySectionsAreQuick() {
        let count = 500_000
        let starts = (1..<count).map { $0 }
        let order = (0..<count).map { UInt32($0) }
        let times = [Int64](repeating: 0, count: count)
        #expect(SameTimePictures(in: order, times: times, sectionStarts: starts).isEmpty)
        #expect(!SameTimePictures(in: order, times: times, sectionStarts: Array(starts.dropLast())).isEmpty)
    }
}

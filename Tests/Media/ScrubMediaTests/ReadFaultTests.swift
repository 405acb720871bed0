import Foundation
import ScrubMedia
import ScrubTestClips
import ScrubTestSupport
import Testing

/// A read that fails once, at many places in turn: the answer is the right one or says the failure, and nothing wrong
/// is kept.
@Suite struct ReadFaultTests {
    /// A source one read of which fails; the next one of the same bytes does not.
    private final class Failing: ByteSource {
        struct Fault: Error {}

        let bytes: [UInt8]
        let failing: Int
        let reads = Locked(0)

        init(_ bytes: [UInt8], failing: Int) { (self.bytes, self.failing) = (bytes, failing) }

        var byteCount: Int64 { Int64(bytes.count) }
        var contentIdentifier: String? { "the same" }

        func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let number = reads.withLock { reads in
                reads += 1
                return reads
            }
            guard number != failing else { throw Fault() }
            let part = bytes[Int(offset)...].prefix(buffer.count)
            buffer.copyBytes(from: part)
            return part.count
        }
    }

    @Test(arguments: ["h264-bf3-2ref.mp4", "h264-open-gop.ts", "vp9-altref.webm", "mpeg4-b.avi"])
    func aFailureIsReportedAndNotKept(_ clip: String) throws {
        let bytes = Array(try Data(contentsOf: URL(filePath: Clip.folder + "/clips/" + clip)))
        let folder = try TemporaryFolder()
        func info(_ source: Failing, _ place: String) throws(ScrubError) -> [Substring] {
            let options = VideoAsset.OpenOptions(cache: VideoAsset.IndexCache(path: folder.path(of: place)))
            // Tags are in no order.
            let words = "\(try VideoAsset(source: source, name: clip, options: options).info())"
            return words.split { " ,[]".contains($0) }.sorted()
        }
        let undisturbed = Failing(bytes, failing: .max)
        let expected = try info(undisturbed, "whole")
        let count = undisturbed.reads.withLock { $0 }
        var failures = 0
        for number in stride(from: 1, through: count, by: max(1, count / 24)) {
            do throws(ScrubError) {
                #expect(try info(Failing(bytes, failing: number), "\(number)") == expected, "read \(number)")
            } catch {
                failures += 1
                #expect(error.code == .inputOutput && error.file == clip, "read \(number): \(error)")
            }
            #expect(try info(Failing(bytes, failing: .max), "\(number)") == expected, "after read \(number)")
        }
        #expect(failures > 0)
    }

    /// A read that fails in a batch costs the other frames of the batch nothing, also when another batch follows: every
    /// position has a result, and those that are there are right.
    @Test(arguments: ["h264-intra.mp4", "mjpeg.avi"]) func aSeriesLosesNoResult(_ file: String) async throws {
        let clip = try KnownClip(file)
        let bytes = Array(try Data(contentsOf: URL(filePath: Clip.folder + "/clips/" + file)))
        let all = Array(clip.frames)
        func results(_ failing: Int) async throws -> (reads: Int, failures: Int) {
            let source = Failing(bytes, failing: failing)
            let asset = try await VideoAsset.open(
                source: source, name: file, options: VideoAsset.OpenOptions(cache: .none))
            let generator = try FrameGenerator(asset, options: .threads(1))
            var (places, failures): ([Int], Int) = ([], 0)
            for try await result in generator.frames(at: all.map { .frame($0) }, order: .asDecoded) {
                places.append(result.index)
                guard case .success(let answer) = result.result, answer.verdict == .exact else {
                    failures += 1
                    continue
                }
                let hash = try answer.picture?.md5()
                #expect(hash == clip.hashes[result.index], "read \(failing), frame \(result.index)")
            }
            #expect(places.sorted() == all, "read \(failing)")
            return (source.reads.withLock { $0 }, failures)
        }
        let (count, none) = try await results(.max)
        #expect(none == 0)
        var opened = 0
        for number in stride(from: 1, through: count, by: max(1, count / 40)) {
            do {
                #expect(try await results(number).failures <= 1)
                opened += 1
            } catch is ScrubError {
                // It could not be opened.
            }
        }
        #expect(opened > 0)
    }
}

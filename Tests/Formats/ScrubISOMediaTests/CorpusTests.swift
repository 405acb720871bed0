import Foundation
import ScrubISOMedia
import ScrubBase
import ScrubTestSupport
import Testing

/// Compares this module's reading with the packets that ffprobe demuxes, for every file of a folder.
///
/// Runs when `SCRUB_CORPUS` names the folder and `ffprobe` is installed. The reference is FFmpeg 5.1.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["SCRUB_CORPUS"] != nil))
struct CorpusTests {
    static var folder: String { ProcessInfo.processInfo.environment["SCRUB_CORPUS"] ?? "" }
    static var files: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { name in
            guard let source = source(name) else { return false }
            return Movie.isISOMedia(source)
        }.sorted()
    }

    static func source(_ name: String) -> MemorySource? {
        FileManager.default.contents(atPath: "\(folder)/\(name)").map { MemorySource([UInt8]($0)) }
    }

    /// One packet as ffprobe prints it: `pts,dts,size,pos,flags`.
    struct Packet: Equatable, CustomStringConvertible {
        var pts: String
        var dts: String
        var size: String
        var position: String
        var flags: String
        var description: String { "\(pts),\(dts),\(size),\(position),\(flags)" }
    }

    @Test(arguments: files)
    func packetsAreThoseOfFFprobe(file: String) throws {
        let source = try #require(Self.source(file))
        // Streams and packets of all of them, in one run.
        let rows = try Process.lines(
            "ffprobe",
            [
                "-v", "error", "-show_entries",
                "stream=index,id,codec_type:stream_disposition=attached_pic:packet=stream_index,pts,dts,size,pos,flags",
                "-of", "csv", "\(Self.folder)/\(file)",
            ]
        )
        .map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        let packets = Dictionary(grouping: rows.filter { $0[0] == "packet" }) { $0[1] }
        let streams = rows.filter { $0[0] == "stream" }
        guard !streams.isEmpty else {
            withKnownIssue("ffprobe does not open it") { #expect(Bool(false), "\(file)") }
            return
        }
        let movie = try Movie(reading: source)
        for warning in movie.warnings { print("\(file): \(warning)") }
        for stream in streams where stream.contains("video") && stream.last != "1" {
            let id = try #require(UInt32(stream[3].dropFirst(2), radix: 16))
            let track = try #require(movie.track(id: id))
            let table = try track.sampleTable()
            for warning in table.warnings { print("\(file): \(warning)") }
            let sequence = try EditMapping.sequence(
                of: table, edits: track.edits, movieTimescale: movie.timescale,
                mediaTimescale: track.mediaTimescale)
            let ours = (0..<sequence.count).map { entry in
                let sample = Int(sequence.sampleIndex[entry])
                return Packet(
                    pts: "\(sequence.pts[entry])", dts: "\(sequence.dts[entry])",
                    size: "\(table.sizes[sample])",
                    position: "\(table.offsets[sample])",
                    flags: (table.isKey(sample) ? "K" : "_") + (sequence.discarded[entry] ? "D" : "_"))
            }
            let theirs = (packets[stream[1]] ?? []).map { row in
                Packet(
                    pts: row[2], dts: row[3], size: row[4], position: row[5], flags: String(row[6].prefix(2)))
            }
            let isCut = table.wholeSampleCount(byteCount: source.byteCount) < table.count
            // Of a cut file ffprobe shows the packets up to the first incomplete one, of which it shows a part.
            if isCut { #expect(ours.starts(with: theirs.dropLast()), "\(file) track \(id)") }
            let difference = zip(ours, theirs).enumerated().first { $0.element.0 != $0.element.1 }
            #expect(
                isCut || ours == theirs,
                "\(file) track \(id): \(ours.count) and \(theirs.count) packets, first difference \(String(describing: difference))"
            )
        }
    }

    @Test(arguments: files)
    func slimHeaderDescribesTheSameStreams(file: String) throws {
        let source = try #require(Self.source(file))
        let path = "\(Self.folder)/\(file)"
        let entries =
            "stream=index,id,codec_name,codec_type,codec_tag_string,extradata_size:stream_disposition:stream_tags:format_tags:stream_side_data"
        let theirs = try Process.lines(
            "ffprobe", ["-v", "error", "-show_entries", entries, "-of", "flat", path])
        guard !theirs.isEmpty else { return }
        let movie = try Movie(reading: source)
        let folder = try TemporaryFolder()
        let slim = try folder.write(movie.slimHeader(), to: "slim.mp4")
        let ours = try Process.lines(
            "ffprobe", ["-v", "error", "-show_entries", entries, "-of", "flat", slim])
        // The timecode of a timecode track, and parameter sets in front of the first picture, are in the samples.
        let inSamples =
            file == "mediabunny__annex-b.mp4" ? ["tags.timecode", "extradata_size"] : ["tags.timecode"]
        let missing = theirs.filter { line in
            !ours.contains(line) && !inSamples.contains { line.contains($0) }
        }
        let added = ours.filter { !theirs.contains($0) }
        #expect(missing.isEmpty && added.isEmpty, "\(file): missing \(missing), added \(added)")
    }
}

extension Process {
    /// The lines that a tool prints.
    static func lines(_ tool: String, _ arguments: [String]) throws -> [String] {
        try Tool.run(tool, arguments).output.split(separator: "\n").map(String.init)
    }
}

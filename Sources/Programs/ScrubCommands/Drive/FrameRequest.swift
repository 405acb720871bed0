#if CommandLine
internal import ScrubBase
internal import Scrub

/// A line of `scrub drive --binary`: docs/drive.md has the protocol.
enum FrameRequest {
    /// A requested picture.
    struct Item {
        var position: FramePosition
        /// The item's offset in the shared memory; `nil` if the picture follows its record.
        var place: Int?
    }

    /// Frames anywhere; an invalid item fails alone.
    case get([Result<Item, ScrubError>])
    /// Consecutive frames.
    case read(FramePosition, count: Int)
    /// The times of consecutive frames, without pictures.
    case times(FramePosition, count: Int)
    /// The facts about the file.
    case facts
    case quit

    init(_ line: String) throws(ScrubError) {
        let words = line.split(separator: " ")
        switch (words.first, words.count) {
        case ("GET", 2...):
            self = .get(
                words.dropFirst().map { word in
                    do throws(ScrubError) { return .success(try Item(word)) } catch { return .failure(error) }
                })
        case ("READ", 3), ("TIMES", 3):
            guard let count = Int(words[2]), count > 0 else {
                throw ScrubError(
                    .usage, "\(words[0]) requires a frame count of at least 1, not '\(words[2])'",
                    advice: "use \(words[0]) POSITION COUNT, such as \(words[0]) f0 25")
            }
            let position = try FramePosition(String(words[1]))
            self = words[0] == "READ" ? .read(position, count: count) : .times(position, count: count)
        case ("INFO", 1): self = .facts
        case ("QUIT", 1): self = .quit
        default:
            throw ScrubError(
                .usage,
                "valid requests are 'GET POSITION...', 'READ POSITION COUNT', 'TIMES POSITION COUNT', 'INFO' and 'QUIT'",
                advice: "write one request per line, such as GET 0.5")
        }
    }
}

extension FrameRequest.Item {
    fileprivate init(_ word: Substring) throws(ScrubError) {
        let parts = word.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        position = try FramePosition(String(parts[0]))
        guard parts.count == 2 else { return }
        guard let offset = Int(parts[1]), offset >= 0 else {
            throw ScrubError(
                .usage, "'\(parts[1])' is not an offset in the shared memory",
                advice: "use a byte offset of 0 or more")
        }
        place = offset
    }
}
#endif

#if Viewer
internal import ScrubBase

/// A frame's picture as a file, and the known facts about the frame.
struct ServedFrame: Sendable {
    let frame: Int
    let form: PictureForm
    let bytes: [UInt8]
    /// The verdict on the picture for its own frame; `nil` if there is none.
    var verdict: Verdict?
    /// `I`, `P` or `B`; `?` if unknown.
    var type: Character = "?"
    /// The MD5 of its samples, if requested.
    var hash: String?
}

/// Encoded pictures, for later identical requests.
///
/// Thread safety: safe from any thread. Memory: at most the given bytes.
final class EncodedCache: Sendable {
    struct Key: Hashable, Sendable {
        let medium: String
        let frame: Int
        let form: PictureForm
    }

    private struct State {
        var frames: [Key: (frame: ServedFrame, use: Int)] = [:]
        var bytes = 0
        var clock = 0
    }

    private let state = Locked(State())
    private let byteLimit: Int

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// The entry for a frame.
    subscript(key: Key) -> ServedFrame? {
        state.withLock { state in
            state.clock += 1
            state.frames[key]?.use = state.clock
            return state.frames[key]?.frame
        }
    }

    /// Returns the nearest frame of a medium that is kept in a given form.
    func nearest(to key: Key) -> ServedFrame? {
        state.withLock { state in
            var best: ServedFrame?
            for (other, entry) in state.frames where other.medium == key.medium && other.form == key.form {
                if best.map({ abs(other.frame - key.frame) < abs($0.frame - key.frame) }) ?? true { best = entry.frame }
            }
            return best
        }
    }

    /// Keeps a frame.
    func insert(_ frame: ServedFrame, of medium: String) {
        guard frame.bytes.count <= byteLimit / 4 else { return }
        let key = Key(medium: medium, frame: frame.frame, form: frame.form)
        state.withLock { state in
            state.clock += 1
            state.bytes += frame.bytes.count - (state.frames[key]?.frame.bytes.count ?? 0)
            state.frames[key] = (frame, state.clock)
            guard state.bytes > byteLimit else { return }
            // An eighth at a time, so that sorting is rare.
            for (key, entry) in state.frames.sorted(by: { $0.value.use < $1.value.use }) {
                guard state.bytes > byteLimit / 8 * 7 else { break }
                state.frames[key] = nil
                state.bytes -= entry.frame.bytes.count
            }
        }
    }

    /// Releases a medium's frames.
    func forget(_ medium: String) {
        state.withLock { state in
            for (key, entry) in state.frames where key.medium == medium {
                state.frames[key] = nil
                state.bytes -= entry.frame.bytes.count
            }
        }
    }

    /// The number of kept bytes.
    var byteCount: Int { state.withLock { $0.bytes } }
}
#endif

#if Viewer
internal import ScrubBase

/// A frame's picture as a file, and the known facts of the frame.
struct ServedFrame: Sendable {
    let frame: Int
    let form: PictureForm
    let bytes: [UInt8]
    /// The verdict on the picture as that of its own frame; `nil` if that was not judged.
    var verdict: Verdict?
    /// `I`, `P` or `B`; `?` where it is unknown.
    var type: Character = "?"
    /// The MD5 of its samples, if it was asked for.
    var hash: String?
}

/// Pictures that were encoded, for later requests of the same.
///
/// Thread safety: safe from any thread. Memory: at most the bytes given.
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

    /// Returns the nearest frame of a medium that is kept in a form.
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
            // An eighth at a time, so that the order is made seldom.
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

    /// Bytes that are kept.
    var byteCount: Int { state.withLock { $0.bytes } }
}
#endif

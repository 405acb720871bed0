#if compiler(>=6.3)
internal import CScrub
internal import ScrubBase
internal import Synchronization

/// The names that messages use for options: those of scrub.h, or those of the Python package that is built on it.
enum CallWords {
    private static let isPython = Atomic(false)

    static var face: Face { isPython.load(ordering: .relaxed) ? .python : .c }

    static func set(_ words: Int32) { isPython.store(words == Int32(SCRUB_PYTHON_WORDS), ordering: .relaxed) }
}

@c @implementation func scrub_set_words(_ words: Int32) { CallWords.set(words) }
#endif

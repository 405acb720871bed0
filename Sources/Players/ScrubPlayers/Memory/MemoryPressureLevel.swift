extension MemoryPressure {
    /// The scarcity of the machine's memory for this program.
    public enum Level: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
        /// There is enough.
        case normal
        /// Work begins to wait for memory: time to release everything that can be made again.
        case warning
        /// All work waits for memory, or the program is about to be ended: keep only the pictures on screen.
        case critical

        private var rank: Int {
            switch self {
            case .normal: 0
            case .warning: 1
            case .critical: 2
            }
        }

        /// Whether memory is scarcer with the second one.
        public static func < (a: Level, b: Level) -> Bool { a.rank < b.rank }
    }
}

extension MemoryPressureMonitor {
    /// A level of memory pressure for this program.
    public enum Level: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
        /// There is enough memory.
        case normal
        /// Work is starting to wait for memory. Release everything that can be recreated.
        case warning
        /// All work is waiting for memory, or the program is about to be killed. Keep only the pictures on screen.
        case critical

        private var rank: Int {
            switch self {
            case .normal: 0
            case .warning: 1
            case .critical: 2
            }
        }

        /// Returns whether memory is scarcer at the second level than at the first.
        public static func < (a: Level, b: Level) -> Bool { a.rank < b.rank }
    }
}

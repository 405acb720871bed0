/// The time that a catalogue takes on many machines, and its cost.
///
/// Processors, the bytes that storage gives, and files that wait for its answers can each take longest. Each is worked
/// out by itself, and the slowest one is the answer, since they work side by side.
package struct Forecast: Hashable, Sendable {
    /// A file to be worked over.
    package struct File: Hashable, Sendable {
        /// Its shard's key.
        package var key: String
        /// Predicted processor seconds.
        package var cost: Double
        /// The part of ``cost`` that it has because it is a file.
        package var overhead: Double
        /// Bytes that are read of it: for its key, its index and its pictures.
        package var readBytes: Double
        /// Bytes of its results.
        package var writtenBytes: Double

        package init(key: String, cost: Double, overhead: Double = 0, readBytes: Double = 0, writtenBytes: Double = 0) {
            (self.key, self.cost, self.overhead) = (key, cost, overhead)
            (self.readBytes, self.writtenBytes) = (readBytes, writtenBytes)
        }
    }

    /// The machines that work.
    package struct Machines: Hashable, Sendable {
        /// Machines, 1 or more.
        package var count = 1
        /// Cores of each, 1 or more.
        package var cores = 1
        /// Shards, 1 or more; as many as machines unless more are given, which then are taken up one after the other.
        package var shards: Int?
        /// The most cores that one file keeps busy.
        package var coresOfOneFile: Int?
        /// Bytes per second that the storage gives to all machines together; `nil` if it is unlimited.
        package var readRate: Double?
        /// Bytes per second that one machine can read.
        package var machineReadRate: Double?
        /// Seconds that a file waits in the mean for the storage's answers about names, its index and its pictures.
        package var waitSeconds = 0.0
        /// Files that one machine has in work side by side; as many as cores unless it is given.
        package var filesAtOnce: Int?

        package init(count: Int = 1, cores: Int = 1) { (self.count, self.cores) = (max(1, count), max(1, cores)) }
    }

    /// The resource that takes longest.
    package enum Bound: String, Hashable, Sendable {
        /// All machines' processors.
        case processors
        /// One file that cannot be divided any further.
        case longestFile
        /// Bytes from the storage.
        case reading
        /// Files in work that wait for the storage's answers, so that processors have nothing to do.
        case waiting
    }

    /// Files.
    package let files: Int
    /// Processor seconds of all files.
    package let processorSeconds: Double
    /// Bytes read and written.
    package let readBytes: Double, writtenBytes: Double
    /// Seconds until the last shard is done.
    package let seconds: Double
    /// The resource that takes these seconds.
    package let bound: Bound
    /// Seconds that each of the four would take by itself. ``processors`` is without a core that has nothing to do,
    /// ``waiting`` with the calculations meanwhile.
    package let processors: Double, longestFile: Double, reading: Double, waiting: Double
    /// The busiest machine's processor seconds through the mean of all, 1 or more.
    package let imbalance: Double
    /// The part of all processor seconds that files cost because they are files.
    package let overheadShare: Double
    /// The least and the most seconds, by the errors of earlier predictions for eight of ten files; `seconds` without
    /// predictions.
    package let range: ClosedRange<Double>

    /// Works out how long files take.
    ///
    /// - Complexity: as ``ShardAssignment/balanced(_:count:)``.
    package init(_ files: [File], on machines: Machines, error: PredictionError? = nil) {
        let costs = files.map { max(0, $0.cost.isFinite ? $0.cost : 0) }
        let whole = costs.reduce(0, +)
        let (count, cores) = (max(1, machines.count), max(1, machines.cores))
        let ofOneFile = max(1, min(cores, machines.coresOfOneFile ?? cores))
        let (busiest, computing) = Forecast.busiest(
            files, costs, shards: max(count, machines.shards ?? count), machines: count, cores, ofOneFile)
        self.files = files.count
        processorSeconds = whole
        let toRead = files.reduce(0) { $0 + max(0, $1.readBytes) }
        readBytes = toRead
        writtenBytes = files.reduce(0) { $0 + max(0, $1.writtenBytes) }
        processors = busiest / Double(cores)
        longestFile = (costs.max() ?? 0) / Double(ofOneFile)
        let rates = [machines.readRate, machines.machineReadRate.map { $0 * Double(count) }].compactMap { $0 }
        let reads = rates.min().map { $0 > 0 ? toRead / $0 : .infinity } ?? 0
        // A file in work is being computed or waits; where more are in work than there are cores, others go on
        // meanwhile.
        let lanes = Double(max(1, machines.filesAtOnce ?? cores))
        let idle = Double(files.count) * max(0, machines.waitSeconds) / Double(count) / lanes
        let working = idle > 0 ? busiest / lanes : 0
        (reading, waiting) = (reads, working + idle)
        let bounds: [(Bound, Double)] = [
            longestFile > processors ? (.longestFile, max(computing, longestFile)) : (.processors, computing),
            (.reading, reading), (.waiting, waiting),
        ]
        (bound, seconds) = bounds.dropFirst().reduce(bounds[0]) { $1.1 > $0.1 ? $1 : $0 }
        imbalance = whole > 0 ? max(1, busiest * Double(count) / whole) : 1
        overheadShare = whole > 0 ? min(1, files.reduce(0) { $0 + max(0, $1.overhead) } / whole) : 0
        guard let error, error.tenth > 0, error.ninetieth >= error.tenth else {
            range = seconds...seconds
            return
        }
        // Wrong predictions of processors' time do not make storage slower or faster.
        let ends = [error.tenth, error.ninetieth].map { max(reads, computing * $0, working * $0 + idle) }
        // Where all earlier films took longer than was predicted, the prediction is not in the range by itself.
        range = min(ends[0], seconds)...max(ends[1], seconds)
    }

    /// Returns the processor seconds of the machine that has most, and seconds until the last machine has computed
    /// everything. Shards are balanced by cost, and each machine that is free takes the next one.
    private static func busiest(
        _ files: [File], _ costs: [Double], shards: Int, machines: Int, _ cores: Int, _ coresOfOneFile: Int
    ) -> (processorSeconds: Double, seconds: Double) {
        var parts = Array(repeating: [Double](), count: shards)
        let items = zip(files, costs).map { (key: $0.key, cost: $1) }
        for (shard, cost) in zip(ShardAssignment.balanced(items, count: shards), costs) { parts[shard].append(cost) }
        var busy = Array(repeating: (processorSeconds: 0.0, seconds: 0.0), count: machines)
        for part in parts {
            guard let next = busy.indices.min(by: { busy[$0].seconds < busy[$1].seconds }) else { return (0, 0) }
            busy[next].processorSeconds += part.reduce(0, +)
            busy[next].seconds += Makespan.seconds(part, cores: cores, coresOfOneFile: coresOfOneFile)
        }
        return (busy.map(\.processorSeconds).max() ?? 0, busy.map(\.seconds).max() ?? 0)
    }
}

/// The time and cost of processing a catalogue on many machines.
///
/// The processors, the storage's throughput, or files that wait for the storage's responses can take longest. Each is
/// computed separately, and the slowest is the answer, because they work in parallel.
package struct Forecast: Hashable, Sendable {
    /// A file to process.
    package struct File: Hashable, Sendable {
        /// The key that determines its shard.
        package var key: String
        /// The predicted processor seconds.
        package var cost: Double
        /// The fixed per-file part of ``cost``.
        package var overhead: Double
        /// The bytes read from it: for its key, its index and its pictures.
        package var readBytes: Double
        /// The bytes of its results.
        package var writtenBytes: Double

        package init(key: String, cost: Double, overhead: Double = 0, readBytes: Double = 0, writtenBytes: Double = 0) {
            (self.key, self.cost, self.overhead) = (key, cost, overhead)
            (self.readBytes, self.writtenBytes) = (readBytes, writtenBytes)
        }
    }

    /// The machines that work.
    package struct Machines: Hashable, Sendable {
        /// The number of machines, 1 or more.
        package var count = 1
        /// The cores of each machine, 1 or more.
        package var cores = 1
        /// The number of shards, 1 or more; by default as many as machines. If there are more, machines process them
        /// one after another.
        package var shards: Int?
        /// The maximum number of cores that one file keeps busy.
        package var coresOfOneFile: Int?
        /// The storage's bytes per second for all machines together; `nil` if unlimited.
        package var readRate: Double?
        /// Bytes per second that one machine can read.
        package var machineReadRate: Double?
        /// The mean seconds that a file waits for the storage's responses about names, its index and its pictures.
        package var waitSeconds = 0.0
        /// The number of files that one machine processes in parallel; by default as many as cores.
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
        /// Files in progress that wait for the storage's responses, leaving processors idle.
        case waiting
    }

    /// Files.
    package let files: Int
    /// The processor seconds for all files.
    package let processorSeconds: Double
    /// The bytes read and written.
    package let readBytes: Double, writtenBytes: Double
    /// The seconds until the last shard is finished.
    package let seconds: Double
    /// The resource that takes these seconds.
    package let bound: Bound
    /// The seconds that each of the four would take by itself. ``processors`` assumes no idle cores,
    /// ``waiting`` includes the computation in the meantime.
    package let processors: Double, longestFile: Double, reading: Double, waiting: Double
    /// The busiest machine's processor seconds divided by the mean of all, 1 or more.
    package let imbalance: Double
    /// The fixed per-file part of all processor seconds.
    package let overheadShare: Double
    /// The minimum and maximum seconds, from the errors of earlier predictions for eight of ten files; `seconds`
    /// without predictions.
    package let range: ClosedRange<Double>

    /// Computes how long files take.
    ///
    /// - Complexity: as for ``ShardAssignment/balanced(_:count:)``.
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
        // A file in progress is computing or waiting; if more files are in progress than there are cores, others
        // continue in the meantime.
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
        // Wrong predictions of processor time do not make storage slower or faster.
        let ends = [error.tenth, error.ninetieth].map { max(reads, computing * $0, working * $0 + idle) }
        // If all earlier films took longer than predicted, the range does not automatically include the prediction.
        range = min(ends[0], seconds)...max(ends[1], seconds)
    }

    /// Returns the processor seconds of the busiest machine, and the seconds until the last machine has finished
    /// computing. Shards are balanced by cost, and each free machine takes the next one.
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

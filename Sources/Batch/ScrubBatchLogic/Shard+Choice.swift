package import ScrubBase

extension Shard {
    /// The shard that this process processes; `nil` for all files.
    ///
    /// `I/N` is used as it is. Otherwise, the scheduler says which task this is: Slurm (job arrays), Cloud Run jobs,
    /// AWS Batch (array jobs) and Kubernetes (indexed jobs). Slurm, Cloud Run and AWS Batch also say how many tasks
    /// there are; Kubernetes does not, so a number alone must. The scheduler's facts and `word` must not
    /// contradict each other: with a wrong count, no task would process some of the files.
    ///
    /// - Parameters:
    ///   - word: the text after `--shard`: `I/N`, `N`, or nothing.
    ///   - environment: the variables of this process; empty variables count as absent.
    /// - Throws: ``ScrubError/Code/usage`` with the remedy.
    package static func choice(word: String?, environment: [String: String]) throws(ScrubError) -> Shard? {
        var wanted: Int?
        if let word {
            switch try Word(word) {
            case .shard(let shard): return shard
            case .count(let count): wanted = count
            }
        }
        guard let task = try ScheduledTask.only(in: environment) else {
            guard let wanted else { return nil }
            throw ScrubError(
                .usage, "no scheduler specifies which of the \(wanted) shards to process", place: "--shard",
                advice:
                    "use 1/\(wanted) to \(wanted)/\(wanted); a count without a shard number needs a scheduler task"
            )
        }
        if let wanted, let count = task.count, wanted != count {
            throw ScrubError(
                .usage, "\(wanted) shards are requested, but \(task.scheduler) runs \(count) tasks", place: "--shard",
                advice: "omit --shard, or specify the shard explicitly, as in \(task.scheduler.example)/\(wanted)")
        }
        guard let count = wanted ?? task.count else {
            throw ScrubError(
                .usage, "\(task.scheduler) provides the task number, but not the number of tasks", place: task.variable,
                advice: "specify the job's number of tasks ('completions'), as in --shard 16")
        }
        guard let shard = Shard(number: task.index + 1, count: count) else {
            throw ScrubError(
                .usage, "\(task.scheduler) task \(task.index), counted from 0, is out of range for \(count) tasks",
                place: task.variable, advice: "run the job with as many tasks as there are shards")
        }
        return shard
    }
}

/// The task of a job that a process is, according to its scheduler.
struct ScheduledTask: Hashable {
    let scheduler: Scheduler
    /// The variable that says so.
    let variable: String
    /// Counted from 0.
    let index: Int
    /// The number of tasks of the job; `nil` if the scheduler does not give it.
    let count: Int?

    enum Scheduler: String, CaseIterable, CustomStringConvertible {
        case slurm = "Slurm"
        case cloudRun = "Cloud Run"
        case awsBatch = "AWS Batch"
        case kubernetes = "Kubernetes"

        var description: String { rawValue }

        /// The text that a script writes for its task number.
        var example: String {
            switch self {
            case .slurm: "$SLURM_ARRAY_TASK_ID"
            case .cloudRun: "$((CLOUD_RUN_TASK_INDEX + 1))"
            case .awsBatch: "$((AWS_BATCH_JOB_ARRAY_INDEX + 1))"
            case .kubernetes: "$((JOB_COMPLETION_INDEX + 1))"
            }
        }
    }

    /// Returns the one task that an environment names, or `nil`.
    ///
    /// AWS Batch runs tasks as pods of Kubernetes, and Slurm's nodes can be pods: two schedulers that agree count as
    /// one.
    ///
    /// - Throws: if a variable is not a number, if tasks of an array are missing, or if two schedulers contradict each
    ///   other.
    static func only(in environment: [String: String]) throws(ScrubError) -> ScheduledTask? {
        var first: ScheduledTask?
        for scheduler in Scheduler.allCases {
            guard let task = try ScheduledTask(scheduler, environment) else { continue }
            guard let known = first else {
                first = task
                continue
            }
            guard known.index == task.index, known.count == task.count || known.count == nil || task.count == nil else {
                throw ScrubError(
                    .usage, "\(known.variable) and \(task.variable) identify different tasks", place: "--shard",
                    advice: "specify which one to use: --shard \(known.scheduler.example)/16 for sixteen tasks")
            }
            if known.count == nil { first = task }
        }
        return first
    }

    private init?(_ scheduler: Scheduler, _ environment: [String: String]) throws(ScrubError) {
        func number(_ name: String) throws(ScrubError) -> Int? {
            guard let text = environment[name], !text.isEmpty else { return nil }
            guard let number = Shard.natural(text), number < Int.max / 2 else {
                throw ScrubError(
                    .usage, "'\(text.shown)' is not a task number", place: name,
                    advice: "unset it, or specify the shard explicitly, as in --shard 3/16")
            }
            return number
        }
        self.scheduler = scheduler
        switch scheduler {
        case .slurm:
            variable = "SLURM_ARRAY_TASK_ID"
            guard let id = try number(variable) else { return nil }
            guard let least = try number("SLURM_ARRAY_TASK_MIN"), let count = try number("SLURM_ARRAY_TASK_COUNT")
            else {
                throw ScrubError(
                    .usage, "it is set, but SLURM_ARRAY_TASK_MIN or SLURM_ARRAY_TASK_COUNT is not",
                    place: variable,
                    advice: "keep all of Slurm's variables set, or specify the shard explicitly: "
                        + "--shard $SLURM_ARRAY_TASK_ID/16")
            }
            let most = try number("SLURM_ARRAY_TASK_MAX") ?? least + count - 1
            let step = try number("SLURM_ARRAY_TASK_STEP") ?? 1
            // A list such as 1-3,7 and a step such as 1-15:2 both have fewer tasks than numbers.
            guard count >= 1, most - least == count - 1, step == 1 || count == 1 else {
                throw ScrubError(
                    .usage,
                    "the job array has \(count) tasks, but its numbers go from \(least) to \(most): some numbers are missing",
                    place: variable,
                    advice: "submit the job with --array=1-\(max(1, count)); to rerun some shards, specify each one: "
                        + "--shard $SLURM_ARRAY_TASK_ID/16")
            }
            guard (least...most).contains(id) else {
                throw ScrubError(
                    .usage, "task \(id) is outside the job array, which has the numbers \(least) to \(most)",
                    place: variable, advice: "specify the shard explicitly, as in --shard 3/16")
            }
            (index, self.count) = (id - least, count)
        case .cloudRun:
            variable = "CLOUD_RUN_TASK_INDEX"
            guard let index = try number(variable) else { return nil }
            (self.index, count) = (index, try number("CLOUD_RUN_TASK_COUNT"))
        case .awsBatch:
            variable = "AWS_BATCH_JOB_ARRAY_INDEX"
            guard let index = try number(variable) else { return nil }
            (self.index, count) = (index, try number("AWS_BATCH_JOB_ARRAY_SIZE"))
        case .kubernetes:
            variable = "JOB_COMPLETION_INDEX"
            guard let index = try number(variable) else { return nil }
            (self.index, count) = (index, nil)
        }
    }
}

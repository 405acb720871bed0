import ScrubBatchLogic
import ScrubBase
import Testing

struct ShardTests {
    @Test(arguments: [("1/1", 1, 1), ("3/16", 3, 16), ("16/16", 16, 16), ("1000000/1000000", 1_000_000, 1_000_000)])
    func words(word: String, number: Int, count: Int) throws {
        let shard = try #require(try Shard.choice(word: word, environment: [:]))
        #expect(
            shard.number == number && shard.count == count && shard.description == word && shard.index == number - 1)
    }

    @Test(arguments: [
        "", "/", "0/4", "5/4", "1/0", "0", "-1/4", "+1/4", "1/-4", "1/4/4", "a/4", "1/b", "1 /4", " 1/4", "1/4\n",
        "½/4", "１/4",
        "1/1000001", "1000001", "99999999999999999999/4", "1/99999999999999999999", "0x1/4", "1.0/4", "1/4\u{301}",
    ])
    func wrongWords(word: String) throws {
        let environment = ["CLOUD_RUN_TASK_INDEX": "0", "CLOUD_RUN_TASK_COUNT": "0"]
        let error = #expect(throws: ScrubError.self) { try Shard.choice(word: word, environment: environment) }
        #expect(error?.code == .usage && error?.advice != nil)
    }

    static func slurm(_ id: Int, _ least: Int, _ most: Int, count: Int? = nil, step: Int = 1) -> [String: String] {
        [
            "SLURM_ARRAY_TASK_ID": "\(id)", "SLURM_ARRAY_TASK_MIN": "\(least)", "SLURM_ARRAY_TASK_MAX": "\(most)",
            "SLURM_ARRAY_TASK_COUNT": "\(count ?? most - least + 1)", "SLURM_ARRAY_TASK_STEP": "\(step)",
        ]
    }

    static let kubernetes = ["JOB_COMPLETION_INDEX": "3"]
    static let cloudRun = ["CLOUD_RUN_TASK_INDEX": "3", "CLOUD_RUN_TASK_COUNT": "8"]
    static let batch = ["AWS_BATCH_JOB_ARRAY_INDEX": "3", "AWS_BATCH_JOB_ARRAY_SIZE": "8"]
    static let oldBatch = ["AWS_BATCH_JOB_ARRAY_INDEX": "3"]

    private static let sound: [(String?, [String: String])] = [
        (nil, slurm(4, 1, 8)), (nil, slurm(3, 0, 7)), (nil, slurm(103, 100, 107)), ("8", slurm(4, 1, 8)),
        (nil, cloudRun),
        ("8", cloudRun), ("8", kubernetes), (nil, batch), ("8", oldBatch), (nil, batch.merging(kubernetes) { $1 }),
        (nil, slurm(4, 1, 8).merging(kubernetes) { $1 }), ("4/8", slurm(1, 1, 2, count: 9)),
        ("4/8", ["JOB_COMPLETION_INDEX": "x"]),
        ("4/8", [:]), (nil, cloudRun.merging(["SLURM_ARRAY_TASK_ID": ""]) { $1 }),
    ]

    @Test(arguments: sound) func environments(word: String?, environment: [String: String]) throws {
        #expect(try Shard.choice(word: word, environment: environment)?.description == "4/8")
    }

    private static let contradictory: [(String?, [String: String])] = [
        (nil, kubernetes), (nil, oldBatch), ("3", kubernetes), ("8", [:]), ("7", cloudRun), ("16", slurm(4, 1, 8)),
        // Gaps: a step, a list, both; and tasks outside of their array.
        (nil, slurm(5, 1, 7, count: 4, step: 2)), (nil, slurm(7, 1, 7, count: 4)),
        (nil, slurm(0, 0, 12, count: 4, step: 4)),
        (nil, slurm(9, 1, 8)), (nil, slurm(0, 1, 8)), (nil, slurm(1, 1, 8, count: 0)), (nil, slurm(1, 8, 1, count: 1)),
        // An array without tasks: found by the fuzzer.
        (nil, ["SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_MIN": "5", "SLURM_ARRAY_TASK_COUNT": "0"]),
        (nil, ["SLURM_ARRAY_TASK_ID": "4"]), ("8", ["SLURM_ARRAY_TASK_ID": "4"]), (nil, ["JOB_COMPLETION_INDEX": "-1"]),
        ("8", ["JOB_COMPLETION_INDEX": "8"]), ("8", ["JOB_COMPLETION_INDEX": "9223372036854775807"]),
        (nil, ["CLOUD_RUN_TASK_INDEX": "0"]),
        (nil, ["CLOUD_RUN_TASK_INDEX": "8", "CLOUD_RUN_TASK_COUNT": "8"]),
        ("8", cloudRun.merging(["JOB_COMPLETION_INDEX": "4"]) { $1 }),
        (nil, ["CLOUD_RUN_TASK_INDEX": "0", "CLOUD_RUN_TASK_COUNT": "1000001"]),
        (nil, ["CLOUD_RUN_TASK_INDEX": "0", "CLOUD_RUN_TASK_COUNT": "99999999999999999999"]),
        (nil, slurm(1, 1, 8).merging(["SLURM_ARRAY_TASK_MIN": ""]) { $1 }),
    ]

    @Test(arguments: contradictory) func contradictions(word: String?, environment: [String: String]) throws {
        let error = #expect(throws: ScrubError.self) { try Shard.choice(word: word, environment: environment) }
        #expect(error?.code == .usage && error?.advice != nil && error?.place != nil, "\(error?.description ?? "")")
    }

    @Test func withoutAnything() throws {
        #expect(try Shard.choice(word: nil, environment: ["HOME": "/root", "SLURM_JOB_ID": "7"]) == nil)
    }

    /// One task of a list is all of them: nothing is left out.
    @Test func oneTask() throws {
        #expect(try Shard.choice(word: nil, environment: ShardTests.slurm(5, 5, 5))?.description == "1/1")
        #expect(try Shard.choice(word: nil, environment: ShardTests.slurm(5, 5, 5, step: 4))?.description == "1/1")
    }

    @Test func noSuchShard() {
        for (number, count) in [(0, 1), (2, 1), (1, 0), (.max, .max), (.min, .min), (1, Shard.largestCount + 1)] {
            #expect(Shard(number: number, count: count) == nil)
        }
    }
}

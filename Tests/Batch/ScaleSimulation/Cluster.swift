import ScrubBatchLogic

/// Machines that work over shards of a catalogue, with one storage for all of them.
///
/// Time goes in steps. In each step every machine's lanes go on as fast as processors, their machine's link and the
/// storage allow. A lane has one file, on one core, or on more if fewer files are left than cores. The storage's bytes
/// are shared by a limit for each lane that follows its use. So lanes with little need are not slowed down by those
/// with much.
struct Cluster {
    var machines = 1
    var cores = 16
    /// Shards; each machine that is free takes the next one.
    var shards = 1
    /// Bytes per second of the storage, and of one machine's link.
    var storage = Double.infinity
    var link = 1.25e9
    /// Seconds that the storage takes to answer, and answers per second that it gives at most.
    var latency = 0.001
    var answers = 200_000.0
    /// The most cores that one film keeps busy.
    var coresOfOneFilm = 16
    /// Seconds before a shard's first film: reading the list, and the program's start.
    var start = 2.0
    /// Whether a shard's longest films come first; else in the list's order.
    var longestFirst = true
    /// Whether shards are balanced by predicted costs, or divided by a hash of names.
    var isBalanced = true
    /// The first machine's speed.
    var speedOfFirst = 1.0
    /// The time at which the last machine dies, in seconds; its shard is begun again after a minute.
    var death: Double?

    /// The outcome.
    struct Outcome {
        var seconds = 0.0
        /// Parts of all cores' and of the storage's time that were used.
        var coreUse = 0.0, storageUse = 0.0, answerUse = 0.0, linkUse = 0.0
        /// The time at which half of the machines had nothing more to do.
        var halfIdle = 0.0
        /// Processor seconds that were done twice.
        var wasted = 0.0
        var bound: String {
            let uses = [("storage", storageUse), ("answers", answerUse), ("processors", coreUse), ("links", linkUse)]
            guard let most = uses.max(by: { $0.1 < $1.1 }), most.1 > 0.8 else { return "waiting for answers" }
            return most.0
        }
    }

    func run(_ films: [Film]) -> Outcome {
        let shardOf = assignment(films)
        var lists = Array(repeating: [Int](), count: shards)
        for (film, shard) in shardOf.enumerated() { lists[shard].append(film) }
        if longestFirst {
            for shard in lists.indices { lists[shard].sort { films[$0].predicted > films[$1].predicted } }
        }
        var state = Running(cluster: self, films: films, lists: lists)
        return state.run()
    }

    private func assignment(_ films: [Film]) -> [Int] {
        guard isBalanced else {
            return films.indices.map { ShardAssignment.shard(ofKey: "\($0).mkv", count: shards) }
        }
        let items = films.enumerated().map { (key: "\($0).mkv", cost: $1.predicted) }
        return ShardAssignment.balanced(items, count: shards)
    }

    /// A guess of how long it takes, for the length of steps.
    func guess(_ films: [Film]) -> Double {
        let cpu = films.reduce(0) { $0 + $1.actual } / Double(machines * cores)
        let reading = films.reduce(0) { $0 + $1.readBytes } / min(storage, link * Double(machines))
        let trips = films.reduce(0) { $0 + $1.trips }
        let asking = max(trips * latency / Double(machines * cores), trips / answers)
        return max(cpu + trips * latency / Double(machines * cores), max(reading, asking)) + start
    }
}

/// A cluster at work.
private struct Running {
    let cluster: Cluster
    let films: [Film]
    let lists: [[Int]]
    var nextShard = 0
    var machines: [Machine]
    /// Bytes per second that a lane gets.
    var cap: Double
    /// The factor by which answers come slower because too many are asked for.
    var crowd = 1.0
    var isDead = false
    /// Films that are done; a shard that is begun again only checks them.
    var isDone: [Bool]

    struct Machine {
        var shard: Int?
        /// The next film of the shard's list.
        var next = 0
        /// Seconds until the shard's first film.
        var waiting = 0.0
        /// Films in work, and the parts of them that are to be done yet.
        var lanes: [(film: Int, rest: Double)] = []
        var speed = 1.0
    }

    init(cluster: Cluster, films: [Film], lists: [[Int]]) {
        (self.cluster, self.films, self.lists) = (cluster, films, lists)
        machines = Array(repeating: Machine(), count: cluster.machines)
        machines[0].speed = cluster.speedOfFirst
        cap = cluster.link
        isDone = Array(repeating: false, count: films.count)
    }

    mutating func run() -> Cluster.Outcome {
        var outcome = Cluster.Outcome()
        let guess = cluster.guess(films)
        let step = max(guess / 4000, 0.01)
        var (time, used, asked, computed, debt) = (0.0, 0.0, 0.0, 0.0, 0.0)
        while true {
            var (bytes, answers, cpu, working) = (0.0, 0.0, 0.0, 0)
            if let death = cluster.death, !isDead, time > death { outcome.wasted += die() }
            for number in machines.indices {
                // The first to be served changes, so that none is always last.
                let machine = (number + Int(time / step)) % machines.count
                if advance(machine, step, time, &bytes, &answers, &cpu) { working += 1 }
            }
            time += step
            (used, asked, computed) = (used + bytes, asked + answers, computed + cpu)
            if working * 2 < machines.count, outcome.halfIdle == 0 { outcome.halfIdle = time }
            if working == 0 { break }
            // The excess of a step is given back in the next ones.
            let allowed = cluster.storage * step
            if allowed.isFinite {
                debt = max(0, debt + bytes - allowed)
                let target = max(allowed - debt, allowed / 10)
                cap = min(cluster.link, max(cap * min(1.5, max(0.5, target / max(bytes, 1))), 1000))
            }
            crowd = max(1, crowd * min(2, max(0.5, answers / step / cluster.answers)))
        }
        outcome.seconds = time
        outcome.coreUse = computed / (time * Double(cluster.machines * cluster.cores))
        outcome.storageUse = cluster.storage.isFinite ? used / time / cluster.storage : 0
        outcome.linkUse = used / time / (cluster.link * Double(cluster.machines))
        outcome.answerUse = asked / time / cluster.answers
        if outcome.halfIdle == 0 { outcome.halfIdle = time }
        return outcome
    }

    /// Ends the last machine: its work is lost, and the shard is begun again; finished films are only looked at.
    private mutating func die() -> Double {
        isDead = true
        let last = machines.count - 1
        let lost = machines[last].lanes.reduce(0) { $0 + films[$1.film].actual * (1 - $1.rest) }
        machines[last].next = 0
        machines[last].lanes = []
        machines[last].waiting = 60 + cluster.start
        return lost
    }

    /// One step of one machine; false when there is nothing to do for it.
    private mutating func advance(
        _ number: Int, _ step: Double, _ time: Double, _ bytes: inout Double, _ answers: inout Double,
        _ cpu: inout Double
    ) -> Bool {
        if machines[number].shard == nil {
            guard nextShard < lists.count else { return false }
            machines[number].shard = nextShard
            machines[number].waiting = cluster.start
            machines[number].next = 0
            nextShard += 1
        }
        guard let shard = machines[number].shard else { return false }
        let waited = min(step, machines[number].waiting)
        machines[number].waiting -= waited
        let time = step - waited
        guard time > 0 else { return true }
        let list = lists[shard]
        var machine = machines[number]
        var lane = 0
        // Lanes beside the one that is looked at share the link.
        let limit = min(cap, cluster.link / Double(max(1, min(cluster.cores, machine.lanes.count))))
        while lane < cluster.cores {
            var rest = time
            while rest > 0 {
                if lane >= machine.lanes.count {
                    guard machine.next < list.count else { break }
                    machine.lanes.append((list[machine.next], 1))
                    machine.next += 1
                }
                let (film, part) = machine.lanes[lane]
                let isKept = isDone[film]
                let left = machine.lanes.count + list.count - machine.next
                let share =
                    left >= cluster.cores ? 1 : max(1, min(cluster.coresOfOneFilm, cluster.cores / max(1, left)))
                let whole = duration(films[film], isKept, limit, Double(share) * machine.speed)
                let taken = min(rest, whole * part)
                let done = whole > 0 ? taken / whole : part
                rest -= taken
                if !isKept {
                    bytes += films[film].readBytes * done
                    cpu += films[film].actual * done / machine.speed
                }
                answers += (isKept ? 3 : films[film].trips) * done
                guard done >= part * (1 - 1e-9) else {
                    machine.lanes[lane].rest = part - done
                    break
                }
                isDone[film] = true
                guard machine.next < list.count else {
                    machine.lanes.remove(at: lane)
                    lane -= 1
                    break
                }
                machine.lanes[lane] = (list[machine.next], 1)
                machine.next += 1
            }
            lane += 1
            if lane >= machine.lanes.count, machine.next >= list.count { break }
        }
        if machine.lanes.isEmpty, machine.next >= list.count { machine.shard = nil }
        machines[number] = machine
        return true
    }

    private func duration(_ film: Film, _ isKept: Bool, _ limit: Double, _ speed: Double) -> Double {
        let wait = (isKept ? 3 : film.trips) * cluster.latency * crowd
        guard !isKept else { return wait }
        return wait + max(film.actual / speed, film.readBytes / limit)
    }
}

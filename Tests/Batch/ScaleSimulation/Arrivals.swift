import ScrubBatchLogic
import Glibc
import ScrubTestSupport

/// Films that come all day, to machines that watch their shards of the folder.
struct Arrivals {
    var filesOfDay = 100_000
    var machines = 1
    var cores = 16
    var latency = 0.001
    /// The factor by which arrivals in the busiest hour exceed the mean.
    var peak = 3.0
    var days = 3

    /// Seconds from a film's arrival to its thumbnails, without the seconds that it has to be left alone to count as
    /// complete.
    struct Outcome {
        var median = 0.0, ninetyNinth = 0.0, worst = 0.0
        /// Part of all cores' time.
        var use = 0.0
    }

    func run(_ films: [Film], seed: UInt64) -> Outcome {
        var random = SplitMix(seed)
        // When each core of each machine is free.
        var free = Array(repeating: Array(repeating: 0.0, count: cores), count: machines)
        var (time, busy) = (0.0, 0.0)
        var waits: [Double] = []
        let mean = Double(filesOfDay) / 86_400
        for number in 0..<(filesOfDay * days) {
            // Arrivals by chance, more of them in the evening: thinned out from the busiest rate.
            repeat {
                time -= log(1 - Double.random(in: 0..<1, using: &random)) / (mean * peak)
            } while Double.random(in: 0..<peak, using: &random) > rate(time)
            let film = films[Int.random(in: films.indices, using: &random)]
            let machine = ShardAssignment.shard(ofKey: "\(number).mkv", count: machines)
            guard let core = free[machine].indices.min(by: { free[machine][$0] < free[machine][$1] }) else { continue }
            let done = max(time, free[machine][core]) + film.actual + film.trips * latency
            busy += film.actual
            free[machine][core] = done
            waits.append(done - time)
        }
        waits.sort()
        return Outcome(
            median: waits[waits.count / 2], ninetyNinth: waits[waits.count * 99 / 100], worst: waits[waits.count - 1],
            use: busy / (time * Double(machines * cores)))
    }

    /// The rate at a time of the day, 1 in the mean: a wave whose top is `peak`.
    private func rate(_ time: Double) -> Double {
        let phase = time / 86_400
        let wave = max(0, cos(2 * .pi * (phase - phase.rounded(.down) - 0.85)))
        // Half a wave has a mean of 1 / pi.
        let ground = (1 - peak / .pi) / (1 - 1 / .pi)
        return max(0, ground) + (peak - max(0, ground)) * wave
    }
}

import GRDB

/// The state of a catalogue in SQLite: how long a run that finds nothing to do looks there, and how large it is.
///
/// The table has the columns that such a state needs: a file's identity in the file system, its key, its outcome, and
/// when.
struct StateTable {
    let path: String

    struct Outcome {
        var filling = 0.0, reading = 0.0, looking = 0.0
        var byteCount: Int64 = 0
        var unchanged = 0
    }

    /// Fills a table, reads all of it as a run's beginning does, and looks up each file by itself.
    func run(files: Int) throws -> Outcome {
        var outcome = Outcome()
        let clock = ContinuousClock()
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
        }
        let queue = try DatabasePool(path: path, configuration: configuration)
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS file (path BLOB PRIMARY KEY, device INTEGER, inode INTEGER, size INTEGER,
                    modified INTEGER, changed INTEGER, key BLOB, status INTEGER, code INTEGER, reason TEXT, failures INTEGER,
                    failedAt INTEGER, cpu REAL, predicted REAL, bytes INTEGER) WITHOUT ROWID
                    """)
        }
        let start = clock.now
        // As a run does it: a transaction for every hundred files.
        for first in stride(from: 0, to: files, by: 100) {
            try queue.write { database in
                let insert = try database.cachedStatement(
                    sql: "INSERT OR REPLACE INTO file VALUES (?, 64768, ?, ?, ?, ?, ?, 1, 0, NULL, 0, NULL, ?, ?, ?)")
                for number in first..<min(first + 100, files) {
                    let row = StateTable.row(number)
                    try insert.execute(arguments: [
                        row.path, number, row.size, row.modified, row.modified, row.key, 1.25, 1.5, 300_000,
                    ])
                }
            }
        }
        outcome.filling = seconds(clock.now - start)
        let read = clock.now
        outcome.unchanged = try queue.read { database in
            var known: [String: Int64] = [:]
            known.reserveCapacity(files)
            let rows = try Row.fetchCursor(database, sql: "SELECT path, size, modified, changed, inode FROM file")
            while let row = try rows.next() { known[row[0]] = row[1] }
            return (0..<files).count { known[StateTable.row($0).path] == StateTable.row($0).size }
        }
        outcome.reading = seconds(clock.now - read)
        let look = clock.now
        try queue.read { database in
            let select = try database.cachedStatement(sql: "SELECT size FROM file WHERE path = ?")
            for number in stride(from: 0, to: files, by: 10) {
                _ = try Int64.fetchOne(select, arguments: [StateTable.row(number).path])
            }
        }
        outcome.looking = seconds(clock.now - look) / Double(max(1, files / 10))
        outcome.byteCount = try queue.read { database in
            let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            return pages * (try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
        }
        return outcome
    }

    private static func row(_ number: Int) -> (path: String, size: Int64, modified: Int64, key: String) {
        // Paths as libraries have them, 60 bytes or so.
        let path = "films/\(number % 997)/A film of \(1920 + number % 100)/A film of that year, part \(number).mkv"
        return (
            path, Int64(number) * 7919, 1_700_000_000_000_000_000 + Int64(number), "00112233445566778899aabbccddeeff"
        )
    }
}

/// A duration in seconds.
func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
}

internal import ScrubBatchLogic
package import ScrubFileIO
internal import GRDB
package import ScrubBase

/// A batch's record of its files from one run to the next: an SQLite database on a local disk.
///
/// It is a cache. Its facts about results are trusted only while the record beside them is the one that was written, by
/// its number and time. It can be deleted at any time: records are then read, and nothing is decoded again. Commits are
/// not synced.
///
/// Thread safety: safe from any thread; one transaction after another.
package final class BatchState: Sendable {
    /// One film's row.
    package struct Row: Sendable {
        /// The path of its results below the folder of all results.
        package var place: String
        package var path: String
        package var facts: FileFacts?
        package var key: String?
        package var options: String?
        package var status: Status
        package var code: Int?
        package var reason: String?
        /// The number of failed attempts with this key.
        package var attempts = 0
        /// The earliest time of the next attempt, in seconds since 1970; below 0 means not in this run, and at once in
        /// the next.
        package var notBefore: Int64 = 0
        package var pictures = 0
        package var seconds = 0.0
        package var cpu = 0.0
        package var predicted: Double?
        /// The features from which the cost is predicted, as text.
        package var features: String?
        package var byteCount = 0
        package var finished: Int64 = 0
        /// The number and time of this exact record.
        package var recordMark: String?
        /// For a permanent failure, the program that failed, as in the record. Another release may succeed.
        package var program: String?

        package init(place: String, path: String, status: Status) {
            (self.place, self.path, self.status) = (place, path, status)
        }
    }

    package enum Status: String, Sendable, CaseIterable {
        /// Its results exist.
        case done
        /// It cannot be processed, or no longer can.
        case failed
        /// It failed for a temporary reason and will be retried.
        case waiting
        /// It is not a film.
        case other
        /// Another program's pictures are where its results would be, and were left untouched.
        case left
        /// A run is processing it, or ended while doing so.
        case working
    }

    /// The path of the state.
    package let path: String
    private let queue: DatabaseQueue

    /// "SCRT" in big-endian order.
    private static let applicationID: Int64 = 0x5343_5254
    private static let version: Int64 = 2

    /// Opens or creates the state of a folder of results.
    ///
    /// - Parameter isOwn: whether the batch chose the name, so that a file there that is not a state is replaced. A
    ///   file at a name that the user chose may be anything.
    /// - Throws: `usage` for another machine's disk, where SQLite's locks do not work, and for a file that is not a
    ///   state. `unavailable` if it cannot be used.
    package init(path: String, isOwn: Bool) throws(ScrubError) {
        self.path = path
        if let folder = Folder.folder(of: path) { try Folder.make(folder, isPrivate: true) }
        if Folder.isRemote(Folder.folder(of: path) ?? ".") {
            throw ScrubError(
                .usage, "the state file is on another machine's disk, where a database could be damaged", file: path,
                advice: "specify a file on this machine with --state; the results can be anywhere")
        }
        queue = try BatchState.open(path, isOwn)
    }

    /// Opens an existing state unchanged; creates one, or replaces a damaged one, under a lock. SQLite does not wait
    /// for another process that is switching a new database to WAL. In the middle of that switch, the database may look
    /// damaged.
    private static func open(_ path: String, _ isOwn: Bool) throws(ScrubError) -> DatabaseQueue {
        if Folder.number(of: path) != nil, let found = try? connect(path), (try? isMade(found)) == true { return found }
        let lock = try FileLock(path: path + "-lock")
        defer { withExtendedLifetime(lock) {} }
        var (tries, isReplaced) = (0, false)
        while true {
            do {
                let queue = try connect(path)
                if try !isMade(queue) { try make(queue) }
                return queue
            } catch {
                tries += 1
                switch (error as? DatabaseError)?.resultCode {
                // A state that is damaged or of another version: the records contain everything that matters. A state
                // that is only in use, or may not be opened, is left untouched.
                case .SQLITE_NOTADB?, .SQLITE_CORRUPT?:
                    guard isOwn else {
                        throw ScrubError(
                            .usage, "is not a state file of scrub batch, or is damaged", file: path,
                            advice:
                                "use another file for --state; if this was a state file, remove it, and it will be rebuilt from the results"
                        )
                    }
                    guard !isReplaced else { throw failure(error, path) }
                    isReplaced = true
                    for suffix in ["-wal", "-shm", ""] { Folder.removeTree(path + suffix) }
                // SQLite itself does not always wait for recovery after a killed process, or for another process to
                // finish.
                case .SQLITE_BUSY? where tries < 20, .SQLITE_IOERR? where tries < 20: PollingDelay.take()
                default: throw failure(error, path)
                }
            }
        }
    }

    private static func connect(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(60)
        configuration.label = "scrub.batch"
        configuration.prepareDatabase { database in
            // Before a journal is requested, so that another program's file is not changed.
            try check(database)
            try database.execute(sql: "PRAGMA synchronous=NORMAL; PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY")
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Whether the file is a state, and not only an empty file.
    private static func isMade(_ queue: DatabaseQueue) throws -> Bool { try queue.inDatabase(check) }

    @discardableResult private static func check(_ database: Database) throws -> Bool {
        let kind = try Int64.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let version = try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        switch (kind, version) {
        case (0, 0):
            // Most programs set neither number in their databases.
            guard try Int64.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0 else {
                throw DatabaseError(resultCode: .SQLITE_NOTADB, message: "it belongs to another program")
            }
            return false
        case (applicationID, self.version): return true
        // Filled under the lock.
        case (applicationID, 1): return false
        default: throw DatabaseError(resultCode: .SQLITE_NOTADB, message: "it was written by another version")
        }
    }

    /// Fills an empty database; called under the lock.
    private static func make(_ queue: DatabaseQueue) throws {
        try queue.inDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode=WAL")
            let isOld = try Int64.fetchOne(database, sql: "PRAGMA user_version") == 1
            try database.inTransaction(.immediate) {
                for statement in isOld ? additions : schema { try database.execute(sql: statement) }
                try database.execute(sql: "PRAGMA application_id=\(applicationID)")
                try database.execute(sql: "PRAGMA user_version=\(version)")
                return .commit
            }
        }
    }

    private static let schema = [
        """
        CREATE TABLE file (
            place TEXT PRIMARY KEY, path TEXT NOT NULL, device INTEGER, inode INTEGER, size INTEGER, modified INTEGER,
            changed INTEGER, key TEXT, options TEXT, status TEXT NOT NULL, code INTEGER, reason TEXT,
            attempts INTEGER NOT NULL DEFAULT 0, not_before INTEGER NOT NULL DEFAULT 0, pictures INTEGER NOT NULL DEFAULT 0,
            seconds REAL NOT NULL DEFAULT 0, cpu REAL NOT NULL DEFAULT 0, predicted REAL, features TEXT,
            bytes INTEGER NOT NULL DEFAULT 0, finished INTEGER NOT NULL DEFAULT 0, record TEXT, program TEXT) WITHOUT ROWID
        """,
        "CREATE INDEX file_status ON file (status)",
        """
        CREATE TABLE working (place TEXT PRIMARY KEY, owner TEXT NOT NULL, ends INTEGER NOT NULL DEFAULT 0, path TEXT NOT NULL DEFAULT '')
        WITHOUT ROWID
        """,
    ]

    /// The parts that version 1 lacks.
    private static let additions = [
        "ALTER TABLE file ADD COLUMN program TEXT", "ALTER TABLE working ADD COLUMN path TEXT NOT NULL DEFAULT ''",
    ]

    private static func failure(_ error: any Error, _ path: String) -> ScrubError {
        let words = (error as? DatabaseError)?.message ?? "\(error)"
        let advice: Wording? =
            switch (error as? DatabaseError)?.resultCode {
            case .SQLITE_BUSY?, .SQLITE_LOCKED?: "another run is using it: try again when that run has ended"
            case .SQLITE_FULL?: "free some space, or use --state with a file on another disk"
            case .SQLITE_CANTOPEN?, .SQLITE_READONLY?, .SQLITE_PERM?:
                "check its permissions, or use another file for --state"
            default: "try again; if it fails again, remove the file, and it will be rebuilt from the results"
            }
        let isDisk = [.SQLITE_FULL, .SQLITE_IOERR].contains((error as? DatabaseError)?.resultCode)
        return ScrubError(
            isDisk ? .inputOutput : .unavailable, "the batch's state cannot be used: \(words)", file: path,
            advice: advice)
    }

    func transaction<Value>(_ body: (Database) throws -> Value) throws(ScrubError) -> Value {
        do {
            return try queue.inDatabase { database in
                var result: Value?
                try database.inTransaction(.immediate) {
                    result = try body(database)
                    return .commit
                }
                guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
                return result
            }
        } catch {
            throw BatchState.failure(error, path)
        }
    }

    func query<Value>(_ body: (Database) throws -> Value) throws(ScrubError) -> Value {
        do { return try queue.inDatabase(body) } catch { throw BatchState.failure(error, path) }
    }

    // MARK: Rows

    static let columns =
        "place, path, device, inode, size, modified, changed, key, options, status, code, reason, attempts, not_before, "
        + "pictures, seconds, cpu, predicted, features, bytes, finished, record, program"

    /// Returns a film's row, if there is one.
    package func row(_ place: String) throws(ScrubError) -> Row? {
        try query { database in
            let statement = try database.cachedStatement(
                sql: "SELECT \(BatchState.columns) FROM file WHERE place = ?")
            return try GRDB.Row.fetchOne(statement, arguments: [place]).map(BatchState.row)
        }
    }

    /// Returns all rows with a given status, in the order of their places.
    package func rows(_ status: Status? = nil) throws(ScrubError) -> [Row] {
        try query { database in
            let rest = status.map { " WHERE status = '\($0.rawValue)'" } ?? ""
            return try GRDB.Row.fetchAll(database, sql: "SELECT \(BatchState.columns) FROM file\(rest) ORDER BY place")
                .map(BatchState.row)
        }
    }

    static func row(_ found: GRDB.Row) -> Row {
        var row = Row(
            place: found[0] ?? "", path: found[1] ?? "", status: Status(rawValue: found[9] ?? "") ?? .waiting)
        if let device: Int64 = found[2], let inode: Int64 = found[3], let size: Int64 = found[4],
            let modified: Int64 = found[5], let changed: Int64 = found[6]
        {
            row.facts = FileFacts(
                kind: .file, device: UInt64(bitPattern: device), inode: UInt64(bitPattern: inode), byteCount: size,
                modified: modified, changed: changed)
        }
        (row.key, row.options, row.code, row.reason) = (found[7], found[8], found[10], found[11])
        (row.attempts, row.notBefore, row.pictures) = (found[12] ?? 0, found[13] ?? 0, found[14] ?? 0)
        (row.seconds, row.cpu, row.predicted, row.features) = (found[15] ?? 0, found[16] ?? 0, found[17], found[18])
        (row.byteCount, row.finished, row.recordMark) = (found[19] ?? 0, found[20] ?? 0, found[21])
        row.program = found[22]
        return row
    }

    /// Records rows in one transaction, and marks them as no longer in progress.
    package func record(_ rows: [Row]) throws(ScrubError) {
        guard !rows.isEmpty else { return }
        try transaction { database in
            let statement = try database.cachedStatement(
                sql:
                    "INSERT OR REPLACE INTO file (\(BatchState.columns)) VALUES (\(Array(repeating: "?", count: 23).joined(separator: ", ")))"
            )
            let ending = try database.cachedStatement(sql: "DELETE FROM working WHERE place = ?")
            for row in rows {
                let facts = row.facts
                let values: [(any DatabaseValueConvertible)?] = [
                    row.place, row.path, facts.map { Int64(bitPattern: $0.device) },
                    facts.map { Int64(bitPattern: $0.inode) }, facts?.byteCount, facts?.modified, facts?.changed,
                    row.key,
                    row.options, row.status.rawValue, row.code, row.reason, row.attempts, row.notBefore, row.pictures,
                    row.seconds, row.cpu, row.predicted, row.features, row.byteCount, row.finished, row.recordMark,
                    row.program,
                ]
                try statement.execute(arguments: StatementArguments(values))
                try ending.execute(arguments: [row.place])
            }
        }
    }

    /// Returns the processor time of films, with predictions: at most this many, the most recent ones.
    func costs(limit: Int = 20_000) throws(ScrubError) -> [(sample: CostSample, predicted: Double?)] {
        try query { database in
            try GRDB.Row.fetchAll(
                database,
                sql:
                    "SELECT features, cpu, predicted FROM file WHERE status = 'done' AND features IS NOT NULL ORDER BY finished DESC LIMIT ?",
                arguments: [limit]
            ).compactMap { row in
                guard let text: String = row[0], let features = CostFeatures(text: text), let cpu: Double = row[1]
                else {
                    return nil
                }
                return (CostSample(features, seconds: cpu), row[2])
            }
        }
    }

    // MARK: Work in progress

    /// Records that a run is processing a film.
    ///
    /// - Parameters:
    ///   - path: the film's path, by which the rest of the work is found.
    ///   - owner: the run, so that its end can be detected.
    package func begin(_ place: String, path: String, owner: String) throws(ScrubError) {
        try transaction { database in
            let statement = try database.cachedStatement(
                sql:
                    "INSERT INTO working (place, owner, path) VALUES (?, ?, ?) ON CONFLICT (place) DO UPDATE SET owner = excluded.owner, path = excluded.path"
            )
            try statement.execute(arguments: [place, owner, path])
        }
    }

    /// Returns the paths of existing films that runs are processing.
    package func inHand() throws(ScrubError) -> [String] {
        let owners = try query { database in
            try GRDB.Row.fetchAll(database, sql: "SELECT place, owner FROM working ORDER BY place").map {
                (place: $0[0] as String? ?? "", owner: $0[1] as String? ?? "")
            }
        }
        return owners.filter { BatchOwner.isAlive($0.owner) }.map(\.place)
    }

    /// Records that the run stopped processing the film, without a result.
    package func drop(_ place: String) throws(ScrubError) {
        try transaction { database in
            try database.cachedStatement(sql: "DELETE FROM working WHERE place = ?").execute(arguments: [place])
        }
    }

    /// Films that runs were processing when they ended: their paths, by place.
    ///
    /// - Parameter isAlive: whether an owner still exists.
    package func takeAbandoned(_ isAlive: (String) -> Bool) throws(ScrubError) -> [String: String] {
        try transaction { database in
            var found: [String: String] = [:]
            for row in try GRDB.Row.fetchAll(database, sql: "SELECT place, owner, ends, path FROM working") {
                guard let place: String = row[0], let owner: String = row[1], let ends: Int = row[2] else { continue }
                if owner.isEmpty || !isAlive(owner) { found[place] = row[3] ?? "" }
                if !owner.isEmpty, !isAlive(owner) {
                    try database.execute(
                        sql: "UPDATE working SET owner = '', ends = ? WHERE place = ?", arguments: [ends + 1, place])
                }
            }
            return found
        }
    }
}

internal import GRDB
package import ScrubBase

extension BatchState {
    /// Returns rows in the order of their places, in batches.
    ///
    /// - Parameter place: the last place that was returned; empty at first.
    func rows(after place: String, limit: Int = 1000) throws(ScrubError) -> [Row] {
        try query { database in
            let statement = try database.cachedStatement(
                sql: "SELECT \(BatchState.columns) FROM file WHERE place > ? ORDER BY place LIMIT ?")
            return try GRDB.Row.fetchAll(statement, arguments: [place, limit]).map(BatchState.row)
        }
    }

    /// Returns, in batches, the paths of films that failed for a temporary reason and may be retried now. Films that
    /// wait for another run (``Row/notBefore``) are omitted.
    ///
    /// - Parameter place: as for ``rows(after:limit:)``.
    func retries(after place: String, now: Int64, limit: Int = 1000) throws(ScrubError) -> [(
        place: String, path: String
    )] {
        try query { database in
            let statement = try database.cachedStatement(
                sql:
                    "SELECT place, path FROM file WHERE status = 'waiting' AND place > ? AND not_before >= 0 AND (not_before <= ? OR not_before > ?) ORDER BY place LIMIT ?"
            )
            // A delay longer than the maximum means that the clock was wrong.
            return try GRDB.Row.fetchAll(statement, arguments: [place, now, now + 86_400, limit]).map {
                ($0[0] as String? ?? "", $0[1] as String? ?? "")
            }
        }
    }

    /// Forgets films.
    func forget(_ places: [String]) throws(ScrubError) {
        guard !places.isEmpty else { return }
        try transaction { database in
            let statement = try database.cachedStatement(sql: "DELETE FROM file WHERE place = ?")
            for place in places { try statement.execute(arguments: [place]) }
        }
    }

    /// Schedules failed films for another attempt: all, or those whose path or place is among some names.
    ///
    /// - Returns: the number of films.
    package func retry(_ names: [String]) throws(ScrubError) -> Int {
        try transaction { database in
            var sql =
                "UPDATE file SET status = 'waiting', attempts = 0, not_before = 0 WHERE status IN ('failed', 'waiting')"
            if !names.isEmpty {
                let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
                sql += " AND (place IN (\(marks)) OR path IN (\(marks)))"
            }
            try database.execute(sql: sql, arguments: StatementArguments(names + names))
            return database.changesCount
        }
    }
}

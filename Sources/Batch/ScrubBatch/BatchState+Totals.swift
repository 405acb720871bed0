internal import GRDB
package import ScrubBase

extension BatchState {
    /// The totals of the films with one status.
    package struct Totals: Hashable, Sendable {
        package var films = 0
        package var pictures = 0
        package var bytes = 0
        /// The processor time in seconds.
        package var cpu = 0.0

        package init() {}
    }

    /// Returns the totals by status. A status without films has no entry.
    ///
    /// They are computed in the database, because each row takes a kilobyte.
    package func totals() throws(ScrubError) -> [Status: Totals] {
        try query { database in
            let sql = "SELECT status, count(*), total(pictures), total(bytes), total(cpu) FROM file GROUP BY status"
            var found: [Status: Totals] = [:]
            for row in try GRDB.Row.fetchAll(database, sql: sql) {
                guard let status = (row[0] as String?).flatMap(Status.init) else { continue }
                var totals = Totals()
                (totals.films, totals.cpu) = (row[1] ?? 0, row[4] ?? 0)
                // In floating point, which a damaged row cannot overflow; exact up to 2^53.
                totals.pictures = Int(exactly: row[2] ?? 0.0) ?? .max
                totals.bytes = Int(exactly: row[3] ?? 0.0) ?? .max
                found[status] = totals
            }
            return found
        }
    }
}

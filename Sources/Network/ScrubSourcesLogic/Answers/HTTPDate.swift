/// Times in HTTP's format: `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    private static let months = [
        "Jan": 1, "Feb": 2, "Mar": 3, "Apr": 4, "May": 5, "Jun": 6, "Jul": 7, "Aug": 8, "Sep": 9, "Oct": 10, "Nov": 11,
        "Dec": 12,
    ]

    /// Returns the seconds since 1970; `nil` for the two formats that have been obsolete for decades, and for invalid
    /// times.
    package static func seconds(_ text: String) -> Int64? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT", parts[1].utf8.count == 2,
            let day = DecimalText.int64(parts[1]), let month = months[String(parts[2])], parts[3].utf8.count == 4,
            let year = DecimalText.int64(parts[3]), (1...31).contains(day)
        else { return nil }
        let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        let numbers = clock.compactMap { $0.utf8.count == 2 ? DecimalText.int64($0) : nil }
        guard clock.count == 3, numbers.count == 3, numbers[0] < 24, numbers[1] < 60, numbers[2] <= 60 else {
            return nil
        }
        return daysSince1970(year: year, month: Int64(month), day: day) * 86400 + numbers[0] * 3600 + numbers[1] * 60
            + numbers[2]
    }

    /// Returns the days in the Gregorian calendar, computed with years that begin in March so that leap days are last.
    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + ofYear - 719_468
    }
}

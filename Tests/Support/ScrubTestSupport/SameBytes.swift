/// Whether megabytes are the same. Tests are compiled without optimization, and their `==` takes a call for each byte.
package func areSame(_ some: [UInt8], _ others: ArraySlice<UInt8>) -> Bool { some[...] == others }

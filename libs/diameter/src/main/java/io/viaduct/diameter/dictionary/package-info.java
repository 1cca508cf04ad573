/// The dictionary: AVPs and commands with their codes, types and flags, read from the data file
/// `diameter.dictionary`.
@NullMarked
package io.viaduct.diameter.dictionary;

import org.jspecify.annotations.NullMarked;

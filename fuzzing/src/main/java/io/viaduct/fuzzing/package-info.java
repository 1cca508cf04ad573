/// Fuzz targets and their corpora. A target is a class `…Fuzz` among a module's tests, beside the
/// parser that it feeds, with `public static void fuzzerTestOneInput(byte[])`, which throws when a
/// rule of the parser is broken. Its corpus is what its `seeds()` makes and what lies beside it in
/// `<name>.hex`, one input per line.
@NullMarked
package io.viaduct.fuzzing;

import org.jspecify.annotations.NullMarked;

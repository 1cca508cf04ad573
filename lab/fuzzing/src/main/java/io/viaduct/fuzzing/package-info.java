/// Fuzz targets and their corpora. A target is a class `…Fuzz` among a module's tests, beside the
/// parser that it tests. Its method `public static void fuzzerTestOneInput(byte[])` throws when a
/// rule of the parser is broken. Its corpus consists of its `seeds()` and of the file `<name>.hex`
/// beside it, which has one input per line.
@NullMarked
package io.viaduct.fuzzing;

import org.jspecify.annotations.NullMarked;

/// Fuzz targets and their corpora. A target is a class `…Fuzz` among a module's tests, beside the
/// parser that it tests. Its `@FuzzTest` throws when a rule of the parser is broken. A target with
/// state has the lifecycle `PER_EXECUTION`, so each input gets a new instance; the others are
/// faster without it. A corpus consists of the target's `seeds()` and of the file `<name>.hex`
/// beside it, which has one input per line.
@NullMarked
package io.viaduct.fuzzing;

import org.jspecify.annotations.NullMarked;

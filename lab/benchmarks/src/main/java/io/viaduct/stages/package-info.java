/// Benchmarks of the time and garbage of each stage of a packet's path, and the command that runs
/// them. There is one class per stage. A stage whose parts are private to a package is measured
/// through the session that owns them.
@NullMarked
package io.viaduct.stages;

import org.jspecify.annotations.NullMarked;

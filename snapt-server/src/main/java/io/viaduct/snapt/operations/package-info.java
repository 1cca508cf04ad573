/// Counters by outcome, for the metrics of a SNAPT.
@NullMarked
package io.viaduct.snapt.operations;

import org.jspecify.annotations.NullMarked;

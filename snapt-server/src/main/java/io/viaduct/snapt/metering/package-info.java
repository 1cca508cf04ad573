/// Metering: the usage of a session per interval and flow, as a usage report whose sums are exact
/// to the byte.
@NullMarked
package io.viaduct.snapt.metering;

import org.jspecify.annotations.NullMarked;

/// The time of day by which this SNAPT checks tokens and dates reports.
@NullMarked
package io.viaduct.snapt.clock;

import org.jspecify.annotations.NullMarked;

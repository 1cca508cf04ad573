/// What a session carried in an interval, flow by flow, as a usage report that adds up to the byte.
@NullMarked
package io.viaduct.snapt.metering;

import org.jspecify.annotations.NullMarked;

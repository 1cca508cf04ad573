/// What counts and shares the bytes of a session, and when its counters are reported.
@NullMarked
package io.viaduct.tunnel.metering;

import org.jspecify.annotations.NullMarked;

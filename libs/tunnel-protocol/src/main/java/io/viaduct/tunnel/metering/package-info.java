/// Counts the bytes of a session, splits them among its flows, and schedules the reports of its
/// counters.
@NullMarked
package io.viaduct.tunnel.metering;

import org.jspecify.annotations.NullMarked;

/// Bits on the wire: datagram header, varints, path messages, replay window, and the verdicts on
/// them.
@NullMarked
package io.viaduct.tunnel.wire;

import org.jspecify.annotations.NullMarked;

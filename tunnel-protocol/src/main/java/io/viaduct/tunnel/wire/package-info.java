/// The bits that travel: datagram header, varints, path messages, replay window, and the verdict on
/// each of them.
@NullMarked
package io.viaduct.tunnel.wire;

import org.jspecify.annotations.NullMarked;

/// Order in which compounds leave, and the decision to wait for more packets.
@NullMarked
package io.viaduct.tunnel.scheduling;

import org.jspecify.annotations.NullMarked;

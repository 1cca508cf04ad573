/// Where the device's traffic enters the tunnel: the TUN's addresses, and the rules and routes that
/// lead everything there except the agent's own sockets.
@NullMarked
package io.viaduct.cnapt.egress;

import org.jspecify.annotations.NullMarked;

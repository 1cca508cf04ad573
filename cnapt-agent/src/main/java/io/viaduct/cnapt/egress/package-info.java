/// The routing of the device's traffic into the tunnel: the TUN's addresses, and the rules and
/// routes. The agent's own sockets stay outside the tunnel.
@NullMarked
package io.viaduct.cnapt.egress;

import org.jspecify.annotations.NullMarked;

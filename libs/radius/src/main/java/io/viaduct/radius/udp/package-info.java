/// The UDP socket of a client or a server.
@NullMarked
package io.viaduct.radius.udp;

import org.jspecify.annotations.NullMarked;

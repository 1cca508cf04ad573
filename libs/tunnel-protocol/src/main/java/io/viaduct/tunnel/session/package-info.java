/// One tunnel session for agent and SNAPT: packets in, datagrams out, time passed in.
@NullMarked
package io.viaduct.tunnel.session;

import org.jspecify.annotations.NullMarked;

/// One tunnel session as both shells drive it: packets in, datagrams out, time passed in.
@NullMarked
package io.viaduct.tunnel.session;

import org.jspecify.annotations.NullMarked;

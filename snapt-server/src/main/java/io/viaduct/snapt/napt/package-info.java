/// Translation between a session's inner addresses and its address of the pool, IPv4 and IPv6.
@NullMarked
package io.viaduct.snapt.napt;

import org.jspecify.annotations.NullMarked;

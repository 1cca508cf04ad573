/// Changes of the host's network, reported by the kernel when they happen (rtnetlink(7)).
@NullMarked
package io.viaduct.host.netlink;

import org.jspecify.annotations.NullMarked;

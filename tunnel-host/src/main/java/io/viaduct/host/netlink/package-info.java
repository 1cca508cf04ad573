/// What changes in the host's network, told by the kernel the moment it happens (rtnetlink(7)).
@NullMarked
package io.viaduct.host.netlink;

import org.jspecify.annotations.NullMarked;

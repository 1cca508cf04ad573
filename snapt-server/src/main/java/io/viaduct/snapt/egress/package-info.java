/// The connection to the Internet: TUN device, routes, forwarding and masquerading. The stop of the
/// SNAPT removes them.
@NullMarked
package io.viaduct.snapt.egress;

import org.jspecify.annotations.NullMarked;

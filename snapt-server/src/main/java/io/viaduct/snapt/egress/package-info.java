/// The way out to the Internet: TUN device, routes, forwarding, masquerading; removed again at
/// stop.
@NullMarked
package io.viaduct.snapt.egress;

import org.jspecify.annotations.NullMarked;

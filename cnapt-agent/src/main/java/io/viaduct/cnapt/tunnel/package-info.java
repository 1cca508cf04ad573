/// The data path of the device on one event loop: TUN to UDP and back, with the classes in between.
@NullMarked
package io.viaduct.cnapt.tunnel;

import org.jspecify.annotations.NullMarked;

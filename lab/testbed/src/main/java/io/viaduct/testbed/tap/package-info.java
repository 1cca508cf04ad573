/// Packet sockets that count what passes a network device.
@NullMarked
package io.viaduct.testbed.tap;

import org.jspecify.annotations.NullMarked;

/// The tunnel's network interface: a TUN device whose packets carry a virtio-net header, so that
/// segmentation and checksums can be left to the last receiver.
@NullMarked
package io.viaduct.host.tun;

import org.jspecify.annotations.NullMarked;

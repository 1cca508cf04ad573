/// The tunnel's network interface: a TUN device whose packets carry a virtio-net header, so that
/// the kernel may leave segmentation and checksums to whoever comes last.
@NullMarked
package io.viaduct.host.tun;

import org.jspecify.annotations.NullMarked;

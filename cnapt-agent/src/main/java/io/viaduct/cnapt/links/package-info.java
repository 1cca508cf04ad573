/// The links of the device that may carry the tunnel: chosen from the kernel's links by default
/// route and by rules of the configuration.
@NullMarked
package io.viaduct.cnapt.links;

import org.jspecify.annotations.NullMarked;
